import { type AppError, printable } from '../errors.ts';
import type { FindingText, Problem, Severity } from './prose/entry.ts';
import { PROSE } from './prose/prose.ts';

/** What the doctor found, as data: a stable code, how bad it is, and what its words need. */

export type Code = keyof typeof PROSE;
export type ArgsOf<C extends Code> = Parameters<(typeof PROSE)[C]['describe']>[0];

export interface Finding {
  code: Code;
  severity: Severity;
  args: Readonly<Record<string, unknown>>;
}

/** A finding, with the arguments that its words need. */
export function finding<C extends Code>(code: C, args: ArgsOf<C>): Finding {
  return { code, severity: PROSE[code].severity, args: args as Record<string, unknown> };
}

/** A finding in words. Text of the service in it is made safe for a terminal. */
export function describeFinding({ code, args }: Finding): FindingText {
  const words = (PROSE[code].describe as (args: unknown) => FindingText)(args);
  const safe = (text: string) => text.split('\n').map(printable).join('\n');
  return { what: safe(words.what), why: safe(words.why), fix: safe(words.fix) };
}

/** The parts of an error of ours that a finding passes on. */
export function problemArgs(error: AppError): Problem {
  const { code, message, why, fix } = error;
  return { problem: code, what: message, ...(why && { why }), ...(fix && { fix }) };
}
