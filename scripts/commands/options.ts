/** The options of the commands for developers. */
import { INIT_OPTIONS, LAST_PORT, QUIET } from '../../src/cli/options.ts';
import { defineOptions } from '../../src/lib/command-line/definition.ts';

/**
 * What the demo holds beyond the service's own defaults: enough vehicles a dealer for every odd plate
 * and kind of video, pictures as wide as the widest thumbnail, and about four a vehicle, because
 * making their thumbnails is most of what the demo costs.
 */
export const DEMO_SHAPE = { vehicles: 10, images: 4, pictureScale: 0.8 } as const;

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

export const NEW_OPTIONS = defineOptions({
  'package-manager': {
    type: 'string',
    value: 'NAME',
    choices: ['npm', 'pnpm', 'yarn'],
    unset: 'the one that runs this command; in an existing project, the one that made its lockfile',
    help: 'what installs the project',
  },
  ...INIT_OPTIONS,
});

export const CHAOS_OPTIONS = defineOptions({
  seeds: { type: 'number', value: 'N', default: 25, help: 'how many seeds' },
  from: { type: 'number', value: 'K', default: 1, help: 'first seed' },
  seed: { type: 'number', value: 'K', help: 'one seed alone, told in full' },
  jobs: { type: 'number', value: 'N', default: 2, most: 64, help: 'processes at the same time' },
  quiet: { type: 'boolean', help: 'only what failed' },
});

export const SCREENSHOTS_OPTIONS = defineOptions({
  output: {
    type: 'path',
    value: 'DIR',
    unset: 'only the picture of the README, in docs/images',
    help: 'folder for every page in every view',
  },
  page: { type: 'string', value: 'NAME', help: 'only this kind of page, such as vehicle' },
  view: { type: 'string', value: 'NAME', help: 'only this view, such as 360-dark' },
  ...QUIET,
});

export const PACKAGE_OPTIONS = defineOptions({
  output: { type: 'path', value: 'DIR', default: 'dist', help: 'where the package is put' },
  ...QUIET,
});
