import { refuseOpenFiles } from '../files/system-errors.ts';

/** Longest pause of backoff, in milliseconds. */
const LONGEST_PAUSE = 20_000;

/** Whether an HTTP status is a transient fault that justifies another attempt. */
export const isPassing = (status: number): boolean =>
  status === 408 || status === 429 || status >= 500;

/** The time of a response by its own clock, because the clock of this machine may be wrong. */
const timeOf = (headers: Pick<Headers, 'get'>): number =>
  Date.parse(headers.get('date') ?? '') || Date.now();

/** Milliseconds that `Retry-After` asks to wait: seconds or an HTTP date (RFC 9110, 10.2.3). Undefined without it. */
export function retryAfterOf(headers: Pick<Headers, 'get'>): number | undefined {
  const text = headers.get('retry-after')?.trim() ?? '';
  if (/^[\d.]+$/.test(text)) return Number(text) * 1000 || 0;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - timeOf(headers));
}

interface PauseOptions {
  /** 1 before the first retry. */
  attempt: number;
  /** The service's advice, in milliseconds. */
  retryAfter?: number;
  /** Longest accepted advice, in milliseconds. Longer advice ends the attempts. */
  maxRetryAfter: number;
  /** A number from 0 to 1. */
  random?: number;
  /** Half of the longest first pause, in milliseconds. */
  unit?: number;
}

/**
 * Pause before the next attempt in milliseconds: the service's advice if it gave one, otherwise
 * exponential backoff with full jitter. Undefined if there should be no other attempt.
 */
export function pauseBeforeRetry(options: PauseOptions): number | undefined {
  const { attempt, retryAfter, maxRetryAfter, random = Math.random(), unit = 250 } = options;
  // Zero, or a time in the past if a clock is wrong, would use up all attempts at once.
  if (retryAfter) return retryAfter > maxRetryAfter ? undefined : retryAfter;
  const ceiling = Math.min(LONGEST_PAUSE, unit * 2 ** attempt);
  return Math.round(ceiling * (0.25 + 0.75 * random));
}

/**
 * Milliseconds that a response asks to wait: `Retry-After`, otherwise Netlify's `X-RateLimit-Reset`, a time in seconds
 * since 1970. Every response has it, so it counts only in a refusal.
 */
export function waitOf(status: number, headers: Pick<Headers, 'get'>): number {
  const reset = status === 429 ? Number(headers.get('x-ratelimit-reset')) * 1000 : 0;
  return retryAfterOf(headers) ?? (Math.max(0, reset - timeOf(headers)) || 0);
}

const FAULT_WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  ENOTFOUND: 'its host name is unknown',
  EAI_AGAIN: 'its host name could not be looked up',
  ETIMEDOUT: 'the connection timed out',
  UND_ERR_SOCKET: 'the connection was closed early',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  UND_ERR_RES_EXCEEDED_MAX_SIZE: 'its response is too large',
  UND_ERR_PRX_CONN: 'the proxy in HTTP_PROXY or HTTPS_PROXY refused the connection',
  UND_ERR_INVALID_ARG: 'its address or credentials have characters that no request can have',
  ERR_SSL_WRONG_VERSION_NUMBER: 'its server does not use https at this address',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: "its certificate is not yet valid, or this machine's clock is wrong",
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host name',
};

/** Node reads the variable when it starts, before `.env` is read. */
const UNTRUSTED =
  'its certificate is not trusted (if a company proxy issued it, set NODE_USE_SYSTEM_CA=1 outside of .env)';

export function faultText(code: string): string {
  if (/SELF_SIGNED|ISSUER_CERT|LEAF_SIGNATURE/.test(code)) return UNTRUSTED;
  if (code.startsWith('Z_')) return 'its compressed response is damaged';
  return FAULT_WORDS[code] ?? `network fault ${code}`;
}

/**
 * Describes a network fault without the text of the error, which may contain a URL or a header.
 *
 * @throws {MachineError} this machine has no open files left for a connection.
 */
export function describeNetworkFault(error: unknown): string {
  refuseOpenFiles(error);
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause.name === 'TimeoutError') return 'no response before the deadline';
    const code = (cause as NodeJS.ErrnoException).code;
    if (typeof code === 'string' && code !== '') return faultText(code);
  }
  return 'network fault';
}
