/** The process of every command: `node scripts/run.ts build --output DIR`. */
import { runProcess } from '../src/lib/command-line/process.ts';
import { COMMANDS } from './commands/index.ts';
import { NPM } from './commands/site.ts';

const program = {
  ...NPM,
  prepare: async () => (await import('../src/config/environment.ts')).loadEnvironmentFile(),
};
await runProcess(COMMANDS, process.argv.slice(2), { env: process.env, program });
