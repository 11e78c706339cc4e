import { AppError } from '../../src/errors.ts';

function ours(error: unknown): AppError {
  if (error instanceof AppError) return error;
  throw error;
}

/** The error that a call throws. Undefined if it throws none. */
export function thrownBy(work: () => unknown): AppError | undefined {
  try {
    work();
  } catch (error) {
    return ours(error);
  }
  return undefined;
}

/** The error of a deploy, a request or other work that must fail. */
export const failureOf = (work: Promise<unknown>): Promise<AppError> =>
  work.then(() => ours(new Error('It succeeded.')), ours);
