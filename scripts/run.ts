/** The process of every command: `node scripts/run.ts build --output DIR`. */

import { NPM } from '../src/cli/commands.ts';
import { runProcess } from '../src/lib/command-line/process.ts';
import { COMMANDS } from './commands/index.ts';

const [name] = process.argv.slice(2);
const program = {
  ...NPM,
  prepare: async () => {
    // Keys of a site in this clone are not the keys of a new project.
    if (name === 'new') return;
    (await import('../src/config/environment.ts')).readEnvironment();
  },
};
await runProcess(COMMANDS, process.argv.slice(2), { env: process.env, program });
