import { setTimeout as delay } from 'node:timers/promises';

/** Headers by name, in any letter case. */
export type HttpHeaders = Pick<Headers, 'get'>;

export interface HttpAnswer {
  status: number;
  headers: HttpHeaders;
  bytes: Buffer;
}

export interface HttpRequest {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';
  url: string;
  headers?: Record<string, string> | undefined;
  /** Makes the headers that contain a time, for each try. */
  sign?: () => Promise<Record<string, string>>;
  body?: Uint8Array | string | undefined;
  /** Statuses other than 2xx that are returned as answers, without an error or another try. */
  also?: readonly number[];
  /** Statuses that are tried again, twice, in addition to 408, 429, 5xx and network faults. */
  again?: readonly number[];
  /** Further transient statuses, handled like 408, 429, 5xx and network faults. */
  retryable?: readonly number[];
  /** Name of the requested thing, for errors: `the list of files`. */
  what: string;
}

/** Sends requests to a host: with retries, within its limits, and counted. */
export interface Http {
  /**
   * @returns an answer of status 2xx, or of one that `also` names.
   * @throws as the host's {@link HttpFailures} define. If it is aborted, the signal's reason.
   */
  send(request: HttpRequest): Promise<HttpAnswer>;
  /** Requests so far, and bytes of their bodies and of the answers. */
  readonly counts: { requests: number; up: number; down: number };
}

/** One try that failed. */
export interface HttpFault {
  /** Of the answer. 0 if none came. */
  status: number;
  /** The fault, without addresses and headers. */
  description: string;
  /** Of the answer, if one came. */
  bytes?: Buffer;
  /** Headers that were sent: the host's message may repeat them. */
  sent: Readonly<Record<string, string>>;
}

/** Makes the errors of a host. None may contain credentials. */
export interface HttpFailures {
  /** The host refused. Another try is useless. */
  refused(request: HttpRequest, fault: HttpFault): Error;
  /** All tries failed. */
  unreachable(request: HttpRequest, fault: HttpFault, tries: number): Error;
  /** The host asks for a wait of `asked` milliseconds, which is too long. */
  limited(request: HttpRequest, asked: number): Error;
}

/** Time, so that tests need not wait. */
export interface Clock {
  /** Milliseconds. */
  now(): number;
  /** @throws the signal's reason, once it is aborted. */
  sleep(ms: number, signal: AbortSignal | undefined): Promise<void>;
}

export const SYSTEM_CLOCK: Clock = {
  now: Date.now,
  sleep: (ms, signal) => delay(ms, undefined, signal ? { signal } : {}),
};
