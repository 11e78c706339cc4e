import { type AppError, printable } from '../errors.ts';
import { toError } from '../publish/outcome/to-error.ts';
import messages from './messages.json' with { type: 'json' };

export type Severity = 'error' | 'warning' | 'info';

/** A finding of the doctor, except for the text that depends on the case. */
export interface Message {
  severity: Severity;
  /** Meaning of the code, for docs/errors.md. */
  meaning: string;
  /** The reason; missing if each case has its own. */
  why?: string;
  /** What to do; missing if the error that caused the finding has it. */
  fix?: string;
}

/** All findings of the doctor. Codes are never renamed: scripts match on them. */
export const MESSAGES = messages as Record<keyof typeof messages, Message>;

export type Code = keyof typeof MESSAGES;

/** A finding of the doctor, as data and in words. */
export interface Finding {
  code: Code;
  severity: Severity;
  args: Readonly<Record<string, unknown>>;
  what: string;
  why: string;
  fix: string;
}

/** Text of the service in a finding must not control the terminal. */
const safe = (text: string): string => text.split('\n').map(printable).join('\n');

/** @param ofCase reason and remedy of this case, if the ones of its code are not enough. */
export function finding(
  code: Code,
  args: Finding['args'],
  what: string,
  ofCase: { why?: string | undefined; fix?: string | undefined } = {},
): Finding {
  const { severity, why, fix }: Message = MESSAGES[code];
  return {
    code,
    severity,
    args,
    what: safe(what),
    why: safe(ofCase.why ?? why ?? 'Nothing more is known.'),
    fix: safe(ofCase.fix ?? fix ?? 'See docs/errors.md.'),
  };
}

/** A finding that one of our errors already explains. */
export function passedOn(
  code: Code,
  { code: problem, message: what, why, fix }: AppError,
): Finding {
  return finding(code, { problem, what, why, fix }, what, { why, fix });
}

/** The finding of a check that throws the errors of a build. None if it throws nothing. */
export async function fromErrors(code: Code, check: () => unknown): Promise<Finding[]> {
  try {
    await check();
    return [];
  } catch (problem) {
    return [passedOn(code, toError(problem))];
  }
}

/** The first ten of counted names, as text. */
export const counted = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .slice(0, 10)
    .map(([name, count]) => `${name} (${count})`)
    .join(', ');
