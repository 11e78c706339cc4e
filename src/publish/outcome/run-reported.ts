import path from 'node:path';
import { type AppError, EXIT, type ExitCode } from '../../errors.ts';
import type { RunOptions } from '../options/run-options.ts';
import type { BuildReport } from '../report/report.ts';
import { afterText, attention, makeReport, newState, type State, toError } from './run-state.ts';

export interface RunResult {
  exitCode: ExitCode;
  report: BuildReport;
  /** Why nothing was published. */
  error: unknown;
}

/** Runs a build, and returns its report. Never throws. */
export async function runReported(
  options: Pick<RunOptions, 'output' | 'console' | 'now' | 'strict'> & { cacheDir?: string },
  work: (state: State) => Promise<void>,
): Promise<RunResult> {
  const { console, now = Date.now(), output, cacheDir = output } = options;
  const startedAt = performance.now();
  const state = newState();
  let error: AppError | undefined;
  try {
    await work(state);
  } catch (cause) {
    console.finish();
    // A failure after the publish does not undo it; it becomes a note.
    if (state.published) state.after.push(afterText(cause));
    else error = toError(cause, state, [path.dirname(output), cacheDir]);
  }
  for (const note of state.after) console.warn(note);
  const isNeeded = options.strict === true && attention(state).length > 0;
  const exitCode = error?.exitCode ?? (isNeeded ? EXIT.attention : EXIT.published);
  return { exitCode, error, report: makeReport(state, now, error, exitCode, startedAt) };
}
