import { Writable } from 'node:stream';
import { AppError } from '../../errors.ts';
import type { Options, Run } from '../../lib/command-line/definition.ts';
import { explainSystemError } from '../../lib/files/system-errors.ts';
import { explainSqlite } from '../store/open.ts';

/** An error in words: nothing of a record can stand in it, whatever went wrong. */
export function explainError(
  error: unknown,
  file: string,
  { debug }: { debug: boolean },
): AppError {
  const known =
    error instanceof AppError ? error : (explainSqlite(error, file) ?? explainSystemError(error));
  if (known) return known;
  const name = error instanceof Error ? error.name : typeof error;
  const frames = error instanceof Error ? (error.stack?.match(/^ {4}at .*$/gm) ?? []) : [];
  return new AppError({
    code: 'internal',
    what: `A fault of this program: ${name}.`,
    why: `${
      frames
        .slice(0, debug ? 20 : 1)
        .join('\n')
        .trim() || 'No place is known.'
    }`,
    fix: 'Nothing was stored by the step that failed. Please report it, with --debug.',
  });
}

const nowhere = (): Writable => new Writable({ write: (_chunk, _encoding, done) => done() });

let running = 0;
let usual = 0;

/** Until the last of those that run has ended, what this process makes is for its user alone. */
function privateFiles(): Disposable {
  const before = process.umask(0o077);
  if (running++ === 0) usual = before;
  return {
    [Symbol.dispose]: () => {
      if (--running === 0) process.umask(usual);
    },
  };
}

/**
 * A command of the history, guarded: no error of it holds anything of a record, and what it makes is
 * for its user alone, also what SQLite makes beside the history, and what any library might write.
 *
 * @param writesData what it writes on standard output was asked for, so `--quiet` leaves it.
 */
export const guarded =
  <O extends Options & { store: { type: 'string'; default: string }; quiet: { type: 'boolean' } }>(
    run: Run<O>,
    { writesData = false } = {},
  ): Run<O> =>
  async (args, io) => {
    const { store, quiet, debug } = args.values as {
      store: string;
      quiet: boolean;
      debug: boolean;
    };
    using _private = privateFiles();
    try {
      return await run(args, quiet && !writesData ? { ...io, stdout: nowhere() } : io);
    } catch (error) {
      throw explainError(error, store, { debug });
    }
  };
