import { bench } from '../../bench/commands.ts';
import { SITE, SITE_COMMANDS } from '../../src/cli/commands.ts';
import { type CommandGroup, defineCommand } from '../../src/lib/command-line/definition.ts';
import {
  CHAOS_OPTIONS,
  NEW_OPTIONS,
  PACKAGE_OPTIONS,
  SCREENSHOTS_OPTIONS,
  START_OPTIONS,
} from './options.ts';

const start = defineCommand({
  name: 'start',
  summary: 'build and show the demo site',
  description:
    'Shows a demo: starts the sample service on this machine, builds a site from it with the normal build, serves it, and prints the URL.',
  options: START_OPTIONS,
  notes: ['Ctrl-C stops everything.'],
  load: () => import('./start.ts'),
});

const newCommand = defineCommand({
  name: 'new',
  summary: 'make or update a project from this clone',
  description:
    'Packs this clone and makes a project in FOLDER with that package in vendor/, then runs init and the doctor there. If FOLDER is such a project already, the package, package.json and the lockfile are updated, and no other file changes.',
  options: NEW_OPTIONS,
  positionals: {
    name: 'FOLDER',
    help: 'a new or empty folder, or the project',
    most: 1,
  },
  notes: [
    'Options of init replace its questions. For an existing project they are refused: run init in it to change settings.',
    'The .env of this clone is not read.',
    'If the Node of this machine is too old for the project, the project also gets the Node of this clone, except with yarn.',
  ],
  exitCodes: { 0: 'ready', 2: 'an error: an existing project is unchanged' },
  examples: [
    { args: '../my-site', does: 'make a project, with questions; later, update it' },
    { args: '../my-site --package-manager pnpm', does: 'install it with pnpm' },
  ],
  load: () => import('./new.ts'),
});

const chaos = defineCommand({
  name: 'chaos',
  summary: 'simulate random scheduled builds',
  description:
    'Simulates scheduled builds with random faults: lost caches, an unreachable site, failures of the service and of pictures, changes of stock and keys, jumps of the clock, kills. Each seed ends with a night without faults. After every build, the promises of docs/reliability.md are checked.',
  options: CHAOS_OPTIONS,
  examples: [{ args: '--seed 7', does: 'repeat one seed, with details' }],
  load: () => import('./chaos.ts'),
});

const screenshots = defineCommand({
  name: 'screenshots',
  summary: 'take screenshots of every kind of page',
  description:
    'Builds the demo and updates the picture of the README. With --output, it takes screenshots of every kind of page: four sizes, light and dark, German, large text, forced colours and print.',
  options: SCREENSHOTS_OPTIONS,
  load: () => import('./screenshots.ts'),
});

const schema = defineCommand({
  name: 'schema',
  summary: 'update generated files',
  description:
    'Updates generated files: JSON Schemas, the references of configuration, view models and commands, the tables of hosts and findings.',
  options: {},
  load: () => import('./schema.ts'),
});

const lockfile = defineCommand({
  name: 'lockfile',
  summary: 'complete the lockfile after a change of the dependencies',
  description:
    'Adds to package-lock.json the optional platform packages that a registry mirror does not have. Run it after each change of the dependencies.',
  options: {},
  load: () => import('./lockfile.ts'),
});

const packageCommand = defineCommand({
  name: 'package',
  summary: 'make the npm package',
  description:
    'Makes the npm package out of this repository: JavaScript and declarations, templates, documentation, and a package.json without development settings.',
  options: PACKAGE_OPTIONS,
  load: () => import('./package.ts'),
});

const releaseNotes = defineCommand({
  name: 'release-notes',
  summary: 'print the notes of a release',
  description:
    'Prints the section of CHANGELOG.md for the version of a tag. Refuses a tag that differs from the version of a published package or has no section in the changelog.',
  options: {},
  positionals: { name: 'TAG', help: 'tag of the release, such as v1.2.3', most: 1 },
  silent: true,
  examples: [{ args: 'v1.2.3', does: 'print the notes of that version' }],
  load: () => import('./release-notes.ts'),
});

/** Commands for developers of this project. */
export const DEVELOPMENT_COMMANDS = [
  start,
  newCommand,
  bench,
  chaos,
  screenshots,
  schema,
  lockfile,
  packageCommand,
  releaseNotes,
] as const;

/** Every command of this project. */
export const COMMANDS: CommandGroup = {
  ...SITE,
  commands: [...SITE_COMMANDS, ...DEVELOPMENT_COMMANDS],
};
