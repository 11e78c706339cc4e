import { setTimeout as delay } from 'node:timers/promises';
import { Agent, type Dispatcher, request } from 'undici';
import { timeText } from '../terminal/progress.ts';
import { describeNetworkFault, isPassing, waitOf } from './retry.ts';

export interface HttpAnswer {
  status: number;
  headers: Pick<Headers, 'get'>;
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

/** Most requests within a window, and its length in milliseconds. */
export interface RateLimit {
  requests: number;
  window: number;
}

export interface HttpClientOptions {
  /** Name of the host. */
  name: string;
  failures: HttpFailures;
  /** Tries after the first. */
  retries?: number | undefined;
  /** Longest wait that a host may ask for, over all tries of a request, in milliseconds. */
  longestWait?: number;
  /** Milliseconds between tries if the host asks for no wait. @param tries so far, 1 or more. */
  pause?(tries: number): number;
  /** Milliseconds that one try may take, excluding the time to send its body. */
  deadline?: number | undefined;
  /** Milliseconds of silence that end a try. It replaces the deadline, which costs a timer a request. */
  stalled?: number;
  /** Most connections at the same time. Further requests wait. */
  connections?: number;
  pace?: RateLimit | undefined;
  clock?: Clock | undefined;
  signal?: AbortSignal;
  /** Called with the text for a wait that the host asks for. */
  onWait?(text: string): void;
}

/** Tries after the first for a status that may be transient although it looks like a refusal. */
const SECOND_LOOKS = 2;
/** Default of `deadline`. */
const DEADLINE = 120_000;
/** Slowest speed of a body in bytes a millisecond: a slow line takes minutes for 50 MiB of pictures. */
const SLOWEST = 100;
/** Shortest wait that is reported, in milliseconds. */
const REPORTED = 2000;
/** Largest answer in bytes. Every list of a host is far smaller. */
const LARGEST = 256 * 2 ** 20;

/** Headers of an answer, without the cost of filling a `Headers` object for each of thousands. */
const headersOf = (given: Dispatcher.ResponseData['headers']): HttpAnswer['headers'] => ({
  get: (name) => {
    const value = given[name.toLowerCase()];
    return value === undefined ? null : [value].flat().join(', ');
  },
});

/**
 * Sends requests to one host: with retries, within its limits, and counted. It uses undici's `request`,
 * because `fetch` costs more CPU (see docs/performance.md). Redirects are not followed, since they would
 * carry the credentials along.
 */
export class HttpClient implements AsyncDisposable {
  /** Requests so far, and bytes of their bodies and of the answers. */
  readonly counts = { requests: 0, up: 0, down: 0 };
  readonly #options: HttpClientOptions;
  readonly #clock: Clock;
  readonly #signal: AbortSignal | undefined;
  readonly #agent: Agent;
  /** Times at which the requests of the window were sent, the oldest first. */
  readonly #sent: number[] = [];
  /** Until when the host asked for no requests. */
  #silentUntil = 0;

  constructor(options: HttpClientOptions) {
    const { stalled = 0, connections } = options;
    this.#options = options;
    this.#clock = options.clock ?? SYSTEM_CLOCK;
    this.#signal = options.signal;
    this.#agent = new Agent({
      allowH2: false,
      headersTimeout: stalled,
      bodyTimeout: stalled,
      maxResponseSize: LARGEST,
      ...(connections !== undefined && { connections }),
    });
  }

  /**
   * @returns an answer of status 2xx, or of one that `also` names.
   * @throws as the host's {@link HttpFailures} define. If it is aborted, the signal's reason.
   */
  async send(wanted: HttpRequest): Promise<HttpAnswer> {
    const { name, failures, retries = 5, longestWait = 15 * 60_000 } = this.#options;
    const { pause = (tries) => 1000 * 2 ** (tries - 1) } = this.#options;
    const { again = [], retryable = [] } = wanted;
    let waited = 0;
    for (let tries = 1; ; tries++) {
      const result = await this.#try(wanted);
      if ('answer' in result) return result.answer;
      const { fault, asked } = result;
      const { status } = fault;
      const isTransient = status === 0 || isPassing(status) || retryable.includes(status);
      const isSecondLook = again.includes(status) && tries <= SECOND_LOOKS;
      if (!isTransient && !isSecondLook) throw failures.refused(wanted, fault);
      waited += asked;
      if (waited > longestWait) throw failures.limited(wanted, asked);
      if (tries > retries) throw failures.unreachable(wanted, fault, tries);
      // All requests wait for a time that the host asks for.
      if (asked > 0) this.#silence(asked, `${name} asks to wait ${timeText(asked)}.`);
      else await this.#clock.sleep(pause(tries), this.#signal);
    }
  }

  /** Ends all connections. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#agent.destroy();
  }

  /** Signal that ends a try: when the command is aborted, or at its deadline. @param size bytes of its body. */
  #signalFor(size: number): AbortSignal | null {
    const { stalled, deadline = DEADLINE } = this.#options;
    if (stalled !== undefined) return this.#signal ?? null;
    const late = AbortSignal.timeout(deadline + Math.ceil(size / SLOWEST));
    return this.#signal ? AbortSignal.any([late, this.#signal]) : late;
  }

  /** Waits until the host may be asked, and counts it as asked. The limits apply to all requests. */
  async #takeTurn(): Promise<void> {
    const { pace, name } = this.#options;
    while (true) {
      this.#signal?.throwIfAborted();
      const now = this.#clock.now();
      if (this.#silentUntil > now) {
        await this.#clock.sleep(this.#silentUntil - now, this.#signal);
        continue;
      }
      if (!pace) return;
      while ((this.#sent[0] ?? now) <= now - pace.window) this.#sent.shift();
      if (this.#sent.length < pace.requests) {
        this.#sent.push(now);
        return;
      }
      const wait = (this.#sent[0] ?? now) + pace.window - now;
      this.#silence(wait, `Waiting ${timeText(wait)}: ${name} takes so many requests only.`);
    }
  }

  /** Stops sending for `ms` milliseconds. @param text reported once for a wait. */
  #silence(ms: number, text: string): void {
    const until = this.#clock.now() + ms;
    if (ms >= REPORTED && until > this.#silentUntil + REPORTED) this.#options.onWait?.(text);
    this.#silentUntil = Math.max(this.#silentUntil, until);
  }

  async #try(
    wanted: HttpRequest,
  ): Promise<{ answer: HttpAnswer } | { fault: HttpFault; asked: number }> {
    await this.#takeTurn();
    const size = Buffer.byteLength(wanted.body ?? '');
    const headers = { ...wanted.headers, ...(await wanted.sign?.()) };
    let answer: HttpAnswer;
    try {
      this.counts.requests++;
      this.counts.up += size;
      const response = await request(wanted.url, {
        method: wanted.method,
        headers,
        body: wanted.body ?? null,
        dispatcher: this.#agent,
        signal: this.#signalFor(size),
      });
      const bytes = Buffer.from(await response.body.arrayBuffer());
      this.counts.down += bytes.length;
      answer = { status: response.statusCode, headers: headersOf(response.headers), bytes };
    } catch (error) {
      this.#signal?.throwIfAborted();
      return {
        fault: { status: 0, description: describeNetworkFault(error), sent: headers },
        asked: 0,
      };
    }
    const { status, bytes } = answer;
    if ((status >= 200 && status < 300) || wanted.also?.includes(status)) return { answer };
    const description = `it answered with status ${status}`;
    const asked = waitOf(answer.headers, this.#clock.now()) ?? 0;
    return { fault: { status, description, bytes, sent: headers }, asked };
  }
}

/** A client, or the same for tests. */
export type Http = Pick<HttpClient, 'send' | 'counts'>;
