import { LAST_PORT, QUIET } from '../../../src/cli/definitions/options.ts';
import { DEMO_SHAPE } from '../../../src/cli/demo/shape.ts';
import { type Described, defineOptions } from '../../../src/lib/command-line/definition.ts';

export const START_OPTIONS = defineOptions({
  port: { type: 'number', value: 'N', default: 8080, most: LAST_PORT, help: 'port of the site' },
  'service-port': {
    type: 'number',
    value: 'N',
    default: 8701,
    most: LAST_PORT,
    help: 'port of the sample service',
  },
  vehicles: {
    type: 'number',
    value: 'N',
    default: DEMO_SHAPE.vehicles,
    most: 100_000,
    unset: `${DEMO_SHAPE.vehicles}, enough for every odd plate and kind of video`,
    help: 'vehicles per dealer',
  },
  folder: { type: 'path', value: 'DIR', default: '.demo', help: 'where it works' },
  'real-names': {
    type: 'boolean',
    help: 'let the service write youTubeUrl and so on, as a live one does',
  },
  once: { type: 'boolean', help: 'build, say where, and end' },
  ...QUIET,
});

export const start: Described<typeof START_OPTIONS> = {
  name: 'start',
  summary: 'sample service, its site, and a server for it',
  description:
    'Shows the project at work: starts the sample service on this machine, builds its site exactly as a real one is built, serves it, and prints where to look.',
  options: START_OPTIONS,
  notes: ['Ctrl-C ends everything that was started.'],
};
