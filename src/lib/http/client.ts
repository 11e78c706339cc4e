import { Agent, type Dispatcher, request } from 'undici';
import {
  type Clock,
  type Http,
  type HttpAnswer,
  type HttpFailures,
  type HttpFault,
  type HttpRequest,
  SYSTEM_CLOCK,
} from './http.ts';
import { describeNetworkFault } from './network-fault.ts';
import { type RateLimit, RateLimiter } from './rate-limiter.ts';
import { isPassing, waitOf } from './retry.ts';

export interface RetryPolicy {
  /** Tries after the first. */
  retries: number;
  /** Longest wait that a host may ask for, over all tries of a request, in milliseconds. */
  longestWait: number;
  /** Milliseconds between tries if the host asks for no wait. @param tries so far, 1 or more. */
  pause(tries: number): number;
}

export interface HttpClientOptions {
  /** Name of the host. */
  name: string;
  failures: HttpFailures;
  policy?: Partial<RetryPolicy>;
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
/** Largest answer in bytes. Every list of a host is far smaller. */
const LARGEST = 256 * 2 ** 20;

const POLICY: RetryPolicy = {
  retries: 5,
  longestWait: 15 * 60_000,
  pause: (tries) => 1000 * 2 ** (tries - 1),
};

/** Headers of an answer, without the cost of filling a `Headers` object for each of thousands. */
const headersOf = (given: Dispatcher.ResponseData['headers']): HttpAnswer['headers'] => ({
  get: (name) => {
    const value = given[name.toLowerCase()];
    return value === undefined ? null : [value].flat().join(', ');
  },
});

/**
 * {@link Http} for one host. It uses undici's `request`, because `fetch` costs more CPU (see
 * docs/performance.md). Redirects are not followed, since they would carry the credentials along.
 */
export class HttpClient implements Http, AsyncDisposable {
  readonly counts = { requests: 0, up: 0, down: 0 };
  readonly #options: HttpClientOptions;
  readonly #policy: RetryPolicy;
  readonly #clock: Clock;
  readonly #signal: AbortSignal | undefined;
  readonly #agent: Agent;
  readonly #turns: RateLimiter;

  constructor(options: HttpClientOptions) {
    const { name, pace, onWait = () => {}, stalled = 0, connections } = options;
    this.#options = options;
    this.#policy = { ...POLICY, ...options.policy };
    this.#clock = options.clock ?? SYSTEM_CLOCK;
    this.#signal = options.signal;
    this.#turns = new RateLimiter({ name, pace, onWait, clock: this.#clock, signal: this.#signal });
    this.#agent = new Agent({
      allowH2: false,
      headersTimeout: stalled,
      bodyTimeout: stalled,
      maxResponseSize: LARGEST,
      ...(connections !== undefined && { connections }),
    });
  }

  async send(wanted: HttpRequest): Promise<HttpAnswer> {
    const { failures } = this.#options;
    const { retries, longestWait, pause } = this.#policy;
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
      if (asked > 0) this.#turns.silence(asked);
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

  async #try(
    wanted: HttpRequest,
  ): Promise<{ answer: HttpAnswer } | { fault: HttpFault; asked: number }> {
    await this.#turns.take();
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
