import { type Described, defineOptions } from '../../lib/command-line/definition.ts';
import { CONFIG, ENDED_BY_PERSON, LAST_PORT, QUIET } from './options.ts';

export const DEV_OPTIONS = defineOptions({
  sample: { type: 'boolean', help: 'with vehicles of the sample service, in place of your own' },
  vehicles: {
    type: 'number',
    value: 'N',
    default: 12,
    most: 100_000,
    help: 'vehicles per dealer of the sample service',
  },
  theme: {
    type: 'path',
    value: 'DIR',
    unset: 'the one of the configuration; with --sample, theme',
    help: 'the theme',
  },
  ...CONFIG,
  cache: {
    type: 'path',
    value: 'DIR',
    unset: '.cache, with --sample .demo/cache',
    help: 'kept between runs',
  },
  port: { type: 'number', value: 'N', default: 8080, most: LAST_PORT, help: 'port of the site' },
  ...QUIET,
});

export const dev: Described<typeof DEV_OPTIONS> = {
  name: 'dev',
  summary: 'show the site while its templates are being changed',
  description:
    'Shows the site while its templates, theme, words and style sheets are being changed: every change is in the browser at once. Nothing is published.',
  options: DEV_OPTIONS,
  notes: [
    'Vehicles and pictures are fetched once: answers of the last hour are used again, and the last good answer stands in where the service cannot be reached. A changed configuration is read again.',
    ENDED_BY_PERSON,
  ],
  examples: [{ args: '--sample', does: 'work on a theme without a key of the service' }],
};
