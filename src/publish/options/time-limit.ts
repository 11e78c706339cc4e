import { millisecondsOf } from '../../config/forms.ts';
import { ConfigError, printable } from '../../errors.ts';

/** Reads the value of `--for`, in milliseconds. @throws {ConfigError} it is not a duration. */
export function readTimeLimit(text: string): number {
  const milliseconds = millisecondsOf(text);
  if (milliseconds !== undefined && milliseconds > 0) return milliseconds;
  throw new ConfigError({
    code: 'argument-for',
    what: `--for ${printable(text)} is not a length of time.`,
    why: 'It needs a number above zero and a unit: s, m, h or d.',
    fix: 'Use an hour less than the time limit of your CI job, such as --for 5h.',
  });
}
