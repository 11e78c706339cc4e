import type { Writable } from 'node:stream';
import type { ParseArgsOptionsConfig } from 'node:util';
import { AppError, type ExitCode } from '../../errors.ts';
import { explainSystemError } from '../../lib/files/system-errors.ts';
import { explainSqlite, type Store } from '../store/open.ts';
import type { Values } from './options.ts';

/** Where a command reads and writes; a test gives its own. */
export interface Terminal {
  stdin: NodeJS.ReadableStream;
  stdout: Writable & { isTTY?: boolean };
  stderr: NodeJS.WriteStream;
}

export interface Command {
  options: ParseArgsOptionsConfig;
  run(values: Values, terminal: Terminal): Promise<ExitCode>;
}

export const say = (stream: NodeJS.WritableStream, lines: readonly string[]): void => {
  for (const line of lines) stream.write(`${line}\n`);
};

/** An error in words: nothing of a record can stand in it, whatever went wrong. */
export function tellError(error: unknown, file: string, { debug }: { debug: boolean }): AppError {
  const told =
    error instanceof AppError ? error : (explainSqlite(error, file) ?? explainSystemError(error));
  if (told) return told;
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

/** Accounts that the history knows. */
export const namesIn = (store: Store): string[] =>
  store.db
    .prepare('SELECT name FROM account')
    .all()
    .map(({ name }) => String(name));
