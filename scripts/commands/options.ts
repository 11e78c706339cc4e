/** The options of the commands for developers. */
import { INIT_OPTIONS, LAST_PORT, QUIET } from '../../src/cli/options.ts';
import {
  defineOptions,
  flag,
  numberOption,
  pathOption,
  textOption,
} from '../../src/lib/command-line/definition.ts';

/**
 * Data of the demo: enough vehicles per dealer for every odd plate and kind of video, and pictures as wide as
 * the widest thumbnail. About four per vehicle, because making thumbnails takes most of the demo's time.
 */
export const DEMO_SHAPE = { vehicles: 10, images: 4, pictureScale: 0.8 } as const;

export const START_OPTIONS = defineOptions({
  port: numberOption('N', 'port of the site', { default: 8080, most: LAST_PORT }),
  'service-port': numberOption('N', 'port of the sample service', {
    default: 8701,
    most: LAST_PORT,
  }),
  vehicles: numberOption('N', 'vehicles per dealer', {
    default: DEMO_SHAPE.vehicles,
    most: 100_000,
    unset: `${DEMO_SHAPE.vehicles}, enough for every unusual plate and kind of video`,
  }),
  folder: pathOption('DIR', 'working folder', { default: '.demo' }),
  'real-names': flag('use the field names of a live service, such as youTubeUrl'),
  once: flag('build, print the folder, and end'),
  ...QUIET,
});

export const NEW_OPTIONS = defineOptions({
  'package-manager': textOption('NAME', 'package manager that installs the project', {
    choices: ['npm', 'pnpm', 'yarn'],
    unset: 'the one that runs this command, or that made the lockfile of an existing project',
  }),
  ...INIT_OPTIONS,
});

export const CHAOS_OPTIONS = defineOptions({
  seeds: numberOption('N', 'how many seeds', { default: 25 }),
  from: numberOption('K', 'first seed', { default: 1 }),
  seed: numberOption('K', 'only this seed, with details'),
  jobs: numberOption('N', 'processes at the same time', { default: 2, most: 64 }),
  quiet: flag('only failures'),
});

export const SCREENSHOTS_OPTIONS = defineOptions({
  output: pathOption('DIR', 'folder for every page in every view', {
    unset: 'only the picture of the README, in docs/images',
  }),
  page: textOption('NAME', 'only this kind of page, such as vehicle'),
  view: textOption('NAME', 'only this view, such as 360-dark'),
  ...QUIET,
});

export const PACKAGE_OPTIONS = defineOptions({
  output: pathOption('DIR', 'folder of the package', { default: 'dist' }),
  ...QUIET,
});
