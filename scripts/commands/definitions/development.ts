/** Commands for those who work on this project. */

import { QUIET } from '../../../src/cli/definitions/options.ts';
import { type Described, defineOptions } from '../../../src/lib/command-line/definition.ts';

export const CHAOS_OPTIONS = defineOptions({
  seeds: { type: 'number', value: 'N', default: 25, help: 'how many seeds' },
  from: { type: 'number', value: 'K', default: 1, help: 'first seed' },
  seed: { type: 'number', value: 'K', help: 'one seed alone, told in full' },
  jobs: { type: 'number', value: 'N', default: 2, most: 64, help: 'processes at the same time' },
  quiet: { type: 'boolean', help: 'only what failed' },
});

export const chaos: Described<typeof CHAOS_OPTIONS> = {
  name: 'chaos',
  summary: 'random nights on random disks',
  description:
    'Random nights on random disks: kept, restored, empty, or with the published site out of reach; faults of the service and of pictures, changes of the stock and of keys, jumps of the clock, kills at random moments; each seed ends with a calm night. After every build the invariants of docs/reliability.md are checked.',
  options: CHAOS_OPTIONS,
  examples: [{ args: '--seed 7', does: 'play one seed again, told in full' }],
};

export const SCREENSHOTS_OPTIONS = defineOptions({
  output: { type: 'path', value: 'DIR', default: 'docs/images', help: 'where they are put' },
  page: { type: 'string', value: 'NAME', help: 'one kind of page alone, such as vehicle' },
  view: { type: 'string', value: 'NAME', help: 'one view alone, such as 360-dark' },
  ...QUIET,
});

export const screenshots: Described<typeof SCREENSHOTS_OPTIONS> = {
  name: 'screenshots',
  summary: 'take pictures of every kind of page',
  description:
    "Builds the demo and takes pictures of every kind of page in the real browser: four sizes, light and dark, German, large text, forced colours and print, in DIR/pages; the README's in DIR.",
  options: SCREENSHOTS_OPTIONS,
};

export const schema: Described<Record<never, never>> = {
  name: 'schema',
  summary: 'write what is generated anew',
  description:
    'Writes what is generated: JSON Schemas, the references of configuration, view models and commands, the tables of hosts and findings.',
  options: {},
};

export const lockfile: Described<Record<never, never>> = {
  name: 'lockfile',
  summary: 'complete the lockfile after a change of the dependencies',
  description:
    'Adds to package-lock.json the optional platform packages that a registry mirror does not hold. Run it after each change of the dependencies.',
  options: {},
};

export const PACKAGE_OPTIONS = defineOptions({
  output: { type: 'path', value: 'DIR', default: 'dist', help: 'where the package is put' },
  ...QUIET,
});

export const packageCommand: Described<typeof PACKAGE_OPTIONS> = {
  name: 'package',
  summary: 'make the package that is published',
  description:
    'Makes the npm package out of this repository: JavaScript and declarations, templates, documentation, and a package.json without what only the development needs.',
  options: PACKAGE_OPTIONS,
};

export const RELEASE_NOTES_OPTIONS = defineOptions({});

export const releaseNotes: Described<typeof RELEASE_NOTES_OPTIONS> = {
  name: 'release-notes',
  summary: 'what a release says of itself',
  description:
    'Prints the section of CHANGELOG.md for the version of a tag. Refuses a tag that is not the version of all that is published, or of which the changelog says nothing.',
  options: RELEASE_NOTES_OPTIONS,
  words: { name: 'TAG', help: 'tag of the release, such as v1.2.3', most: 1 },
  silent: true,
  examples: [{ args: 'v1.2.3', does: 'print the notes of that version' }],
};
