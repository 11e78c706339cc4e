/**
 * Errors for users. Each reports the problem, its cause and a solution, and has
 * a stable code (never renamed, scripts match on it) and the exit code of the process.
 */

import { printable, printableLines } from './lib/terminal/printable.ts';

export { printable, printableLines };

/** Exit codes of every command. Promised to schedulers: never renumbered. */
export const EXIT = {
  published: 0,
  internal: 1,
  config: 2,
  refused: 3,
  unreachable: 4,
  gate: 5,
  secret: 6,
  hole: 7,
  attention: 8,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Problems that need attention come before temporary ones. */
const BY_GRAVITY: readonly ExitCode[] = [
  EXIT.internal,
  EXIT.config,
  EXIT.secret,
  EXIT.refused,
  EXIT.gate,
  EXIT.unreachable,
  EXIT.hole,
  EXIT.attention,
];

/** The worst of several outcomes. */
export const worst = (codes: readonly ExitCode[]): ExitCode =>
  BY_GRAVITY.find((code) => codes.includes(code)) ?? EXIT.published;

export interface ErrorDetails {
  /** Stable, machine-readable, kebab-case. */
  code: string;
  /** The problem, in one sentence. */
  what: string;
  /** Why, as far as it is known. */
  why?: string;
  /** The solution. */
  fix?: string;
  cause?: unknown;
}

/** Base of all errors that are reported without a stack trace. */
export class AppError extends Error {
  readonly code: string;
  readonly exitCode: ExitCode = EXIT.internal;
  readonly why: string | undefined;
  readonly fix: string | undefined;

  constructor({ code, what, why, fix, cause }: ErrorDetails) {
    super(what, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.code = code;
    this.why = why;
    this.fix = fix;
  }
}

/** The configuration, an argument or the environment is wrong: nothing was fetched yet. */
export class ConfigError extends AppError {
  override readonly exitCode = EXIT.config;
}

/** The service answered, and its answer means "no" (wrong key, unknown dealer): retrying is useless. */
export class RefusedError extends AppError {
  override readonly exitCode = EXIT.refused;
}

/** The service could not be reached, or did not give a usable answer, within its deadlines. */
export class UnreachableError extends AppError {
  override readonly exitCode = EXIT.unreachable;
}

/** A check stopped the command to protect published or stored data. */
export class GateError extends AppError {
  override readonly exitCode = EXIT.gate;
}

/** A limit of this machine was reached: neither the service nor the stored data is at fault. */
export class MachineError extends GateError {}

/** A secret was found in public files. */
export class SecretFoundError extends AppError {
  override readonly exitCode = EXIT.secret;
}

/** A pull found a new hole in the history of batches. */
export class GapError extends AppError {
  override readonly exitCode = EXIT.hole;
}

/** The command did its work, and found something that needs a decision. */
export class AttentionError extends AppError {
  override readonly exitCode = EXIT.attention;
}

const TYPES = {
  AppError,
  ConfigError,
  GateError,
  MachineError,
  RefusedError,
  SecretFoundError,
  UnreachableError,
};

/** An `AppError` of a build as plain data: a structured clone of an error loses its class and fields. */
export interface PlainError extends Omit<ErrorDetails, 'cause'> {
  type: keyof typeof TYPES;
  stack: string | undefined;
}

/** The error that stopped a command, if the clean-up after it failed too. */
export const firstError = (error: unknown): unknown =>
  error instanceof SuppressedError ? firstError(error.suppressed) : error;

/** An error as data for reports. */
export function problemOf({ code, message, why, fix }: AppError): Omit<ErrorDetails, 'cause'> {
  return { code, what: message, ...(why && { why }), ...(fix && { fix }) };
}

export function toPlainError(error: AppError): PlainError {
  const type = error.name in TYPES ? (error.name as keyof typeof TYPES) : 'AppError';
  return { type, ...problemOf(error), stack: error.stack };
}

export const fromPlainError = ({ type, stack, ...details }: PlainError): AppError =>
  Object.assign(new TYPES[type](details), { stack });

/** An error as lines for a terminal: problem, cause and solution. With `debug`, also the stack. */
export function describeError(error: unknown, { debug = false } = {}): string {
  if (!(error instanceof AppError)) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return `Unexpected error (a bug): ${printableLines(text)}`;
  }
  const lines = [`${printableLines(error.message)} [${error.code}]`];
  if (error.why) lines.push(`  Why: ${error.why.split('\n').map(printable).join('\n       ')}`);
  if (error.fix) lines.push(`  Do:  ${error.fix.split('\n').map(printable).join('\n       ')}`);
  if (debug && error.stack) lines.push(printableLines(error.stack));
  return lines.join('\n');
}
