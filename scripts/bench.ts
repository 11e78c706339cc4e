import { readdirSync } from 'node:fs';
import { AppError, ConfigError, describeError } from '../src/errors.ts';
import { runCommand } from './cli.ts';

const folder = new URL('../bench/', import.meta.url);
const names = readdirSync(folder)
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.slice(0, -3));

const usage = `
Measures, and writes what it measured into docs/performance.md or docs/batches.md. It takes minutes,
and nothing else should run beside it.

npm run bench -- NAME [options]
  NAME is one of: ${names.join(', ')}

npm run bench -- NAME --help lists the options of one.
`;

const [, script = '', name = '', ...options] = process.argv;
if (names.includes(name)) {
  process.argv = [process.execPath, script, ...options];
  try {
    await import(new URL(`${name}.ts`, folder).href);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    console.error(describeError(error, { debug: options.includes('--debug') }));
    process.exitCode = error.exitCode;
  }
} else {
  // A name that nobody knows is told below, not as a word too many.
  if (!name.startsWith('-')) process.argv = [process.execPath, script, ...options];
  await runCommand({ usage, options: {} }, async () => {
    throw new ConfigError({
      code: 'bench-unknown',
      what: name === '' ? 'No measurement was named.' : 'There is no such measurement.',
      why: 'Each takes minutes, so none is run by itself.',
      fix: `Use one of: ${names.join(', ')}.`,
    });
  });
}
