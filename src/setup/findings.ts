import { type AppError, printableLines } from '../errors.ts';
import { toError } from '../publish/outcome/to-error.ts';
import messages from './messages.json' with { type: 'json' };

export type Severity = 'error' | 'warning' | 'info';

/** The texts of a finding that do not depend on the case. */
export interface Message {
  severity: Severity;
  /** Meaning of the code, for docs/errors.md. */
  meaning: string;
  /** The reason. Missing if it depends on the case. Without either, the meaning is shown. */
  why?: string;
  /** The fix. Missing if the error that caused the finding has one, or if nothing is wrong. */
  fix?: string;
}

/** All findings of the doctor. Codes are never renamed: scripts match on them. */
export const MESSAGES = messages as Record<keyof typeof messages, Message>;

export type Code = keyof typeof MESSAGES;

/** The fix of information. */
export const NO_FIX = 'Nothing needs to be done.';

/** A finding of the doctor, as data and as text. */
export interface Finding {
  code: Code;
  severity: Severity;
  args: Readonly<Record<string, unknown>>;
  what: string;
  why: string;
  fix: string;
}

/** @param texts reason and fix of this case. They override the texts of its code. */
export function finding(
  code: Code,
  args: Finding['args'],
  what: string,
  texts: { why?: string; fix?: string } = {},
): Finding {
  const { severity, meaning, why, fix }: Message = MESSAGES[code];
  return {
    code,
    severity,
    args,
    // Text from the service must not control the terminal.
    what: printableLines(what),
    why: printableLines(texts.why ?? why ?? meaning),
    fix: printableLines(texts.fix ?? fix ?? (severity === 'info' ? NO_FIX : 'See docs/errors.md.')),
  };
}

/** The findings of a check, one by one. Returns its other results. */
export type Check<T = void> = AsyncGenerator<Finding, T>;

/** A finding with the texts of an error. */
export function passedOn(
  code: Code,
  { code: problem, message: what, why, fix }: AppError,
): Finding {
  return finding(code, { problem, what, why, fix }, what, { why, fix });
}

/** Runs a check that throws errors of a build. An error becomes a finding. @returns whether there was none. */
export async function* fromErrors(code: Code, check: () => unknown): Check<boolean> {
  try {
    await check();
    return true;
  } catch (problem) {
    yield passedOn(code, toError(problem));
    return false;
  }
}

/** The first ten names with their counts, as text. */
export const counted = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .slice(0, 10)
    .map(([name, count]) => `${name} (${count})`)
    .join(', ');
