import { Writable } from 'node:stream';
import { tellError } from '../src/batches/cli/command.ts';
import { COMMANDS, readValues } from '../src/batches/cli/commands.ts';
import { HELP, OVERVIEW } from '../src/batches/cli/help.ts';
import { storeFile } from '../src/batches/cli/options.ts';
import { loadEnvironmentFile } from '../src/config/load.ts';
import { ConfigError, describeError, type ExitCode } from '../src/errors.ts';
import { outliveReaders } from './cli.ts';

async function main([name = '', ...args]: readonly string[]): Promise<ExitCode | 0> {
  // Also what SQLite makes beside the history, and what any library might write, is for us alone.
  process.umask(0o077);
  loadEnvironmentFile();
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) {
    const asked = ['--help', 'help', ''].includes(name);
    if (asked) process.stdout.write(OVERVIEW);
    if (asked && name !== '') return 0;
    const what = name === '' ? 'No command was given.' : 'There is no such command.';
    throw new ConfigError({
      code: 'command-unknown',
      what,
      why: 'The word after -- says what to do.',
      fix: `Use one of: ${Object.keys(COMMANDS).join(', ')}.`,
    });
  }
  const values = readValues(command, args);
  if (values.help) {
    process.stdout.write(HELP[name] ?? OVERVIEW);
    return 0;
  }
  try {
    const { stdin, stdout, stderr } = process;
    // What export and status write on standard output is what was asked for.
    const silent = values.quiet === true && !['export', 'status'].includes(name);
    return await command.run(values, { stdin, stdout: silent ? nowhere() : stdout, stderr });
  } catch (error) {
    throw tellError(error, storeFile(values), { debug: values.debug === true });
  }
}

function nowhere(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}

outliveReaders();
const debug = process.argv.includes('--debug');
try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  const told = tellError(error, 'the history', { debug });
  process.stderr.write(`${describeError(told, { debug })}\n`);
  process.exitCode = told.exitCode;
}
