import type { HttpHeaders } from './http.ts';

/** Longest pause that backoff alone asks for, in milliseconds. */
const LONGEST_PAUSE = 20_000;

/** Whether an HTTP status is a transient fault, worth another try. */
export function isPassing(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}

/**
 * A `Retry-After` header in milliseconds from `now`; undefined means "no advice".
 * Source: RFC 9110, 10.2.3 (seconds or an HTTP date).
 */
export function parseRetryAfter(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  const text = header.trim();
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

export interface PauseOptions {
  /** 1 before the first retry. */
  attempt: number;
  /** What the service advised, in milliseconds. */
  retryAfter?: number | undefined;
  /** Longest advice that is waited for, in milliseconds; longer advice ends the tries. */
  maxRetryAfter: number;
  /** A number from 0 to 1. */
  random: number;
  /** Half of the longest first pause, in milliseconds. */
  unit?: number;
}

/**
 * Pause before the next try in milliseconds: the service's own advice where it gave one, else
 * exponential backoff with full jitter. Undefined means: do not try again.
 */
export function pauseBeforeRetry({
  attempt,
  retryAfter,
  maxRetryAfter,
  random,
  unit = 250,
}: PauseOptions): number | undefined {
  if (retryAfter !== undefined) return retryAfter > maxRetryAfter ? undefined : retryAfter;
  const ceiling = Math.min(LONGEST_PAUSE, unit * 2 ** attempt);
  return Math.round(ceiling * (0.25 + 0.75 * random));
}

/**
 * Milliseconds that an answer asks to wait: `Retry-After` (RFC 9110, 10.2.3), else `X-RateLimit-Reset`,
 * which is a time in seconds since 1970 at Netlify and a number of seconds at other hosts.
 */
export function waitOf(headers: HttpHeaders, now: number): number | undefined {
  const after = parseRetryAfter(headers.get('retry-after'), now);
  if (after !== undefined) return after;
  const reset = headers.get('x-ratelimit-reset')?.trim() ?? '';
  if (!/^\d+$/.test(reset)) return undefined;
  const seconds = Number(reset);
  return seconds > 1e9 ? Math.max(0, seconds * 1000 - now) : seconds * 1000;
}

/** Tries after the first for a status that may be transient although it looks like a refusal. */
const SECOND_LOOKS = 2;

export interface RetryPolicy {
  /** Tries after the first. */
  retries: number;
  /** Longest wait that a host may ask for, over all tries of a request, in milliseconds. */
  longestWait: number;
  /** Milliseconds between tries where the host asks for no wait. @param tries so far, 1 or more. */
  pause(tries: number): number;
}

/** What is known after a try that failed. */
export interface FailedTry {
  /** So far, this one among them. */
  tries: number;
  /** Of the answer; 0 where none came. */
  status: number;
  /** Milliseconds that the answer asks to wait. */
  asked: number;
  /** The same of the tries before this one, added up. */
  waited: number;
  /** Statuses that are tried again, twice. */
  again?: readonly number[] | undefined;
  /** Transient statuses, besides 408, 429 and 5xx. */
  passing?: readonly number[] | undefined;
}

/** What to do after a failed try. */
export type Next =
  /** Asking again is useless. */
  | { kind: 'refused' }
  /** The host asks for a longer wait than `longestWait`. */
  | { kind: 'limited' }
  /** There were enough tries. */
  | { kind: 'unreachable' }
  /** Another try after `ms` milliseconds. @property asked the host asked for the wait, so it applies to all requests. */
  | { kind: 'again'; ms: number; asked: boolean };

/** Decides what to do after a failed try. Pure. */
export function nextAfter(failed: FailedTry, { retries, longestWait, pause }: RetryPolicy): Next {
  const { tries, status, waited, again = [], passing = [] } = failed;
  const isSecondLook = again.includes(status);
  const mayPass = status === 0 || isPassing(status) || passing.includes(status) || isSecondLook;
  if (!mayPass || (isSecondLook && tries > SECOND_LOOKS)) return { kind: 'refused' };
  const asked = failed.asked;
  if (waited + asked > longestWait) return { kind: 'limited' };
  if (tries > retries) return { kind: 'unreachable' };
  return asked > 0
    ? { kind: 'again', ms: asked, asked: true }
    : { kind: 'again', ms: pause(tries), asked: false };
}
