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
import { nextAfter, type RetryPolicy, waitOf } from './retry.ts';

export interface HttpClientOptions {
  /** Name of the host. */
  name: string;
  failures: HttpFailures;
  policy?: Partial<RetryPolicy>;
  /** Milliseconds that one try may take, without those of its body. */
  deadline?: number | undefined;
  /** Instead of a deadline, which costs a timer for each request: milliseconds of silence within a try. */
  stalled?: number;
  /** Most connections at the same time; the rest waits. */
  connections?: number;
  pace?: RateLimit | undefined;
  clock?: Clock | undefined;
  signal?: AbortSignal;
  /** Called with the text for a wait that the host asks for. */
  onWait?(text: string): void;
}

/** Longest time that one try may take, without that of its body. */
const DEADLINE = 120_000;
/** Bytes a millisecond with which a body is sent at least: a slow line takes minutes for 50 MiB of pictures. */
const SLOWEST = 100;
/** Largest answer: no list of a host is as large. */
const LARGEST = 256 * 2 ** 20;

const POLICY: RetryPolicy = {
  retries: 5,
  longestWait: 15 * 60_000,
  pause: (tries) => 1000 * 2 ** (tries - 1),
};

/** Of an answer; no `Headers`, which are filled one by one for each of thousands. */
const headersOf = (given: Dispatcher.ResponseData['headers']): HttpAnswer['headers'] => ({
  get: (name) => {
    const value = given[name.toLowerCase()];
    return value === undefined ? null : [value].flat().join(', ');
  },
});

/**
 * {@link Http} for one host. The requests are undici's, because `fetch` costs more CPU (see
 * docs/performance.md); no redirect is followed, since it would take along what lets us in.
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
    const { again, passing } = wanted;
    let waited = 0;
    for (let tries = 1; ; tries++) {
      const result = await this.#try(wanted);
      if ('answer' in result) return result.answer;
      const { fault, asked } = result;
      const failed = { tries, status: fault.status, asked, waited, again, passing };
      const next = nextAfter(failed, this.#policy);
      if (next.kind === 'refused') throw failures.refused(wanted, fault);
      if (next.kind === 'limited') throw failures.limited(wanted, asked);
      if (next.kind === 'unreachable') throw failures.unreachable(wanted, fault, tries);
      waited += asked;
      if (next.asked) this.#turns.silence(next.ms);
      else await this.#clock.sleep(next.ms, this.#signal);
    }
  }

  /** Ends all connections. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#agent.destroy();
  }

  /** Ends a try: with the command, or once it takes too long. @param size bytes of its body. */
  #signalFor(size: number): AbortSignal | null {
    const { stalled, deadline = DEADLINE } = this.#options;
    if (stalled !== undefined) return this.#signal ?? null;
    const late = AbortSignal.timeout(deadline + Math.ceil(size / SLOWEST));
    return this.#signal ? AbortSignal.any([late, this.#signal]) : late;
  }

  async #try(
    wanted: HttpRequest,
  ): Promise<{ answer: HttpAnswer } | { fault: HttpFault; asked: number }> {
    await this.#turns.take(wanted.uncounted);
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
      return { fault: { status: 0, words: describeNetworkFault(error), sent: headers }, asked: 0 };
    }
    const { status, bytes } = answer;
    if ((status >= 200 && status < 300) || wanted.also?.includes(status)) return { answer };
    const words = `it answered with status ${status}`;
    const asked = waitOf(answer.headers, this.#clock.now()) ?? 0;
    return { fault: { status, words, bytes, sent: headers }, asked };
  }
}
