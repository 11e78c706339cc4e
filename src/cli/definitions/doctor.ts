import { type Described, defineOptions } from '../../lib/command-line/definition.ts';
import { CONFIG, HOST } from './options.ts';

export const DOCTOR_OPTIONS = defineOptions({
  ...CONFIG,
  output: { type: 'path', value: 'DIR', default: '_site', help: 'the folder that builds publish' },
  cache: {
    type: 'path',
    value: 'DIR',
    unset: '.cache',
    help: 'where builds keep their thumbnails',
  },
  report: {
    type: 'path',
    value: 'FILE',
    default: 'build-report.json',
    help: 'the report of builds',
  },
  host: { ...HOST, unset: 'the variable DEPLOY_TO', help: 'where the site goes' },
  json: { type: 'boolean', help: 'findings as JSON' },
  quiet: { type: 'boolean', help: 'errors and warnings only' },
});

export const doctor: Described<typeof DOCTOR_OPTIONS> = {
  name: 'doctor',
  summary: 'check everything that a build needs',
  description:
    'Checks everything that a build needs, and changes nothing: the disk, the configuration, the keys, theme, stock lists and logos, whether the service answers for each dealer and account and how its answers fit, whether pictures can be had and pages be made, whether the site fits your host, and what npm run deploy would lack on this machine.',
  options: DOCTOR_OPTIONS,
  notes: ['docs/doctor.md explains every code.'],
  exitCodes: { 0: 'no error', 2: 'at least one error' },
  examples: [{ args: '--host netlify', does: 'see whether the site fits Netlify' }],
};
