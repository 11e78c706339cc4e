import { setTimeout as delay } from 'node:timers/promises';
import { type Dispatcher, request as sendRequest } from 'undici';
import { RefusedError, UnreachableError } from '../../errors.ts';
import { firstOfSignals } from '../abort.ts';
import { countText } from '../terminal/count-text.ts';
import { timeText } from '../terminal/progress.ts';
import { type ProxiedAgent, proxiedAgent } from './agent.ts';
import { describeNetworkFault, isPassing, waitOf } from './retry.ts';

export interface HttpResponse {
  status: number;
  headers: Pick<Headers, 'get'>;
  bytes: Buffer;
}

export interface HttpRequest {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  url: string;
  headers?: Record<string, string>;
  /** Creates the headers that contain a time, for each attempt. */
  sign?: () => Promise<Record<string, string>>;
  body?: Uint8Array | string;
  /** Statuses other than 2xx that are returned as responses, without an error or another attempt. */
  also?: readonly number[];
  /** Statuses that are tried again like 408, 429, 5xx and network faults, and are refusals if they persist. */
  retryable?: readonly number[];
  /** Name of the requested thing, for errors: `the list of files`. */
  what: string;
}

/** A failed attempt. */
export interface HttpFault {
  /** Status of the response. 0 without a response. */
  status: number;
  /** The fault, without URLs and headers. */
  description: string;
  /** Body of the response, if there was one. */
  bytes?: Buffer;
  /** Request headers. The host's message may repeat them. */
  sent: Readonly<Record<string, string>>;
}

/** A replaceable clock, so that tests need not wait. */
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

export interface HttpClientOptions {
  /** Name of the host, the subject of messages. */
  name: string;
  /** Prefix of error codes: `netlify` gives `netlify-refused` and `netlify-unreachable`. */
  code: string;
  /** Advice if the host refuses a request. */
  fix: string;
  /** Advice if the host gives no usable response. */
  later: string;
  /** The host's reason for a refusal, without the credentials in the request. */
  reasonOf?(fault: HttpFault): string | undefined;
  /** Attempts after the first. */
  retries?: number;
  /** Default: {@link LONGEST_WAIT}. */
  longestWait?: number;
  /** Milliseconds between attempts if the host does not ask to wait. @param tries so far, 1 or more. */
  pause?(tries: number): number;
  /** Milliseconds that one attempt may take, excluding the time to send its body. */
  deadline?: number;
  /** Milliseconds of silence that end an attempt. It replaces the deadline, which needs a timer per request. */
  stalled?: number;
  /** Maximum number of connections at the same time. Other requests wait. */
  connections?: number;
  /** Maximum number of requests within a window, and its length in milliseconds. */
  pace?: { requests: number; window: number };
  clock?: Clock;
  signal?: AbortSignal;
  /** Called if the host asks to wait, with a text for the user. */
  onWait?(text: string): void;
}

/** Longest wait that a host may ask for, over all attempts of a request, in milliseconds. */
const LONGEST_WAIT = 15 * 60_000;
/** Default of `deadline`. */
const DEADLINE = 120_000;
/** Slowest speed of a body in bytes per millisecond: a slow line takes minutes for 50 MiB of pictures. */
const SLOWEST_SPEED = 100;
/** Shortest wait that is reported, in milliseconds. */
const SHORTEST_REPORTED_WAIT = 2000;
/** Largest response in bytes. Every list of a host is far smaller. */
export const LARGEST_RESPONSE = 256 * 2 ** 20;

/** Headers of a response. Creating a `Headers` object for each of thousands would be slow. */
const headersOf = (headers: Dispatcher.ResponseData['headers']): HttpResponse['headers'] => ({
  get: (name) => {
    const value = headers[name.toLowerCase()];
    return value === undefined ? null : [value].flat().join(', ');
  },
});

/**
 * Sends requests to one host: with retries, within its limits, and counted. It uses undici's `request`, because
 * `fetch` costs more CPU (see docs/performance.md). It does not follow redirects, because they would receive the
 * credentials.
 */
export class HttpClient implements AsyncDisposable {
  /** Requests so far, and bytes of their bodies and of the responses. */
  readonly counts = { requests: 0, up: 0, down: 0 };
  readonly #options: HttpClientOptions;
  readonly #clock: Clock;
  readonly #agent: ProxiedAgent;
  /** Times of the requests within the window, oldest first. */
  readonly #sent: number[] = [];
  /** Time until which the host wants no requests. */
  #silentUntil = 0;

  constructor(options: HttpClientOptions) {
    const { stalled = 0, connections } = options;
    this.#options = options;
    this.#clock = options.clock ?? SYSTEM_CLOCK;
    this.#agent = proxiedAgent({
      allowH2: false,
      headersTimeout: stalled,
      bodyTimeout: stalled,
      maxResponseSize: LARGEST_RESPONSE,
      ...(connections !== undefined && { connections }),
    });
  }

  /**
   * @returns a response with a status of 2xx, or in `also`.
   * @throws {RefusedError} another attempt is useless.
   * @throws {UnreachableError} all attempts failed, or the host asks to wait too long.
   * @throws the signal's reason, if it is aborted.
   */
  async send(request: HttpRequest): Promise<HttpResponse> {
    const { name, retries = 5, longestWait = LONGEST_WAIT } = this.#options;
    const { pause = (tries) => 1000 * 2 ** (tries - 1) } = this.#options;
    let waited = 0;
    for (let tries = 1; ; tries++) {
      const result = await this.#try(request);
      if ('response' in result) return result.response;
      const { fault, wait } = result;
      const { status } = fault;
      const mayPass = request.retryable?.includes(status) && tries <= retries;
      if (status > 0 && !isPassing(status) && !mayPass) throw this.#refusal(request.what, fault);
      waited += wait;
      if (waited > longestWait) {
        const limit = `The longest wait is ${timeText(longestWait)}.`;
        throw this.unusable(request.what, `It asked to wait ${timeText(wait)}. ${limit}`);
      }
      if (tries > retries) {
        const why = `After ${countText(tries, 'try', 'tries')}: ${fault.description}.`;
        throw this.unusable(request.what, why);
      }
      // All requests wait for a time that the host asks for.
      if (wait > 0) this.#silence(wait, `${name} asks to wait ${timeText(wait)}.`);
      else await this.#clock.sleep(pause(tries), this.#options.signal);
    }
  }

  /** The error about an unusable response. @param to the request. @param why as a sentence. */
  unusable(to: string, why?: string): UnreachableError {
    const { code, name, later } = this.#options;
    return new UnreachableError({
      code: `${code}-unreachable`,
      what: `${name} gave no usable response to ${to}.`,
      why: why ?? `Something between here and ${name} may have responded in its place.`,
      fix: later,
    });
  }

  #refusal(what: string, fault: HttpFault): RefusedError {
    const { code, name, fix, reasonOf } = this.#options;
    const reason = reasonOf?.(fault);
    return new RefusedError({
      code: `${code}-refused`,
      what: `${name} refused ${what} (status ${fault.status}).`,
      why: reason === undefined ? 'It gave no readable reason.' : `It reported: "${reason}".`,
      fix,
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#agent.end();
  }

  /** Ends an attempt if the command is aborted, or at the deadline. @param size bytes of the body. */
  #signalFor(size: number): AbortSignal | null {
    const { stalled, deadline = DEADLINE } = this.#options;
    if (stalled !== undefined) return this.#options.signal ?? null;
    const timeout = AbortSignal.timeout(deadline + Math.ceil(size / SLOWEST_SPEED));
    return firstOfSignals(timeout, this.#options.signal);
  }

  /** Waits until the limits allow a request, and counts it. The limits apply to all requests. */
  async #takeTurn(): Promise<void> {
    const { pace, name } = this.#options;
    while (true) {
      this.#options.signal?.throwIfAborted();
      const now = this.#clock.now();
      if (this.#silentUntil > now) {
        await this.#clock.sleep(this.#silentUntil - now, this.#options.signal);
        continue;
      }
      if (!pace) return;
      while ((this.#sent[0] ?? now) <= now - pace.window) this.#sent.shift();
      if (this.#sent.length < pace.requests) {
        this.#sent.push(now);
        return;
      }
      const wait = (this.#sent[0] ?? now) + pace.window - now;
      this.#silence(wait, `Waiting ${timeText(wait)}: ${name} limits the number of requests.`);
    }
  }

  /** Stops sending for `ms` milliseconds. @param text reported once for each wait. */
  #silence(ms: number, text: string): void {
    const until = this.#clock.now() + ms;
    if (ms >= SHORTEST_REPORTED_WAIT && until > this.#silentUntil + SHORTEST_REPORTED_WAIT)
      this.#options.onWait?.(text);
    this.#silentUntil = Math.max(this.#silentUntil, until);
  }

  async #try(
    request: HttpRequest,
  ): Promise<{ response: HttpResponse } | { fault: HttpFault; wait: number }> {
    await this.#takeTurn();
    const size = Buffer.byteLength(request.body ?? '');
    const headers = { ...request.headers, ...(await request.sign?.()) };
    let response: HttpResponse;
    try {
      this.counts.requests++;
      this.counts.up += size;
      const received = await sendRequest(request.url, {
        method: request.method,
        headers,
        body: request.body ?? null,
        dispatcher: this.#agent,
        signal: this.#signalFor(size),
      });
      const bytes = Buffer.from(await received.body.arrayBuffer());
      this.counts.down += bytes.length;
      response = { status: received.statusCode, headers: headersOf(received.headers), bytes };
    } catch (error) {
      this.#options.signal?.throwIfAborted();
      return {
        fault: { status: 0, description: describeNetworkFault(error), sent: headers },
        wait: 0,
      };
    }
    const { status, bytes } = response;
    if ((status >= 200 && status < 300) || request.also?.includes(status)) return { response };
    const description = `it responded with status ${status}`;
    const wait = waitOf(status, response.headers);
    return { fault: { status, description, bytes, sent: headers }, wait };
  }
}

/** A client, or its replacement in tests. */
export type Http = Pick<HttpClient, 'send' | 'counts' | 'unusable'>;
