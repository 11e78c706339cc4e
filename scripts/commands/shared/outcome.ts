/** What commands that publish a site say at their end. */
import path from 'node:path';
import { inspect } from 'node:util';
import { AppError, describeError, printableLines } from '../../../src/errors.ts';
import type { Io } from '../../../src/lib/command-line/definition.ts';

/** Tells why nothing was published; with `--debug` also where, and the error below it. */
export function printFailure(error: unknown, { stderr }: Io, { debug }: { debug: boolean }): void {
  stderr.write(`${describeError(error, { debug })}\n`);
  if (debug && error instanceof AppError && error.cause) {
    stderr.write(`${printableLines(inspect(error.cause))}\n`);
  }
}

/** Where a change set is, and what takes it, in one line. */
export function changesText(output: string, { cwd }: Io): string {
  const folder = path.relative(cwd, output) || '.';
  const named = folder === '_changes' ? '' : ` -- --folder ${folder}`;
  return `What changed is in ${folder}, not online yet. Send it: npm run deploy${named}`;
}

/** Where a finished site is, and how to look at it, in one line. */
export function placeText(output: string, { cwd }: Io): string {
  const folder = path.relative(cwd, output) || '.';
  const named = folder === '_site' ? '' : ` -- --output ${folder}`;
  return `The site is in ${folder}, not online yet (docs/hosting.md). Look: npm run preview${named}`;
}
