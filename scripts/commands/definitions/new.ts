import { INIT_OPTIONS } from '../../../src/cli/definitions/init.ts';
import { type Described, defineOptions } from '../../../src/lib/command-line/definition.ts';

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

export const newCommand: Described<typeof NEW_OPTIONS> = {
  name: 'new',
  summary: 'make or update a project from this clone',
  description:
    'Packs this clone and makes a project in FOLDER with that package in vendor/, then runs init and the doctor there. If FOLDER is such a project already, the package, package.json and the lockfile are updated, and no other file changes.',
  options: NEW_OPTIONS,
  words: {
    name: 'FOLDER',
    help: 'a new or empty folder, or the project',
    most: 1,
  },
  notes: [
    'Options of init replace its questions. In an existing project they are refused: change settings there with init.',
    'The .env of this clone is not read.',
    'If the Node of this machine is too old for the project, the project also gets the Node of this clone.',
  ],
  exitCodes: { 0: 'ready', 2: 'something is wrong; an existing project is unchanged' },
  examples: [
    { args: '../my-site', does: 'make a project, with questions; later, update it' },
    { args: '../my-site --package-manager pnpm', does: 'install it with pnpm' },
  ],
};
