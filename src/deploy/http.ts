import { setTimeout as delay } from 'node:timers/promises';
import { Agent, type Dispatcher, request } from 'undici';
import { z } from 'zod';
import { Secret } from '../config/secret.ts';
import { printable, RefusedError, UnreachableError } from '../errors.ts';
import { timeText } from '../lib/terminal/progress.ts';
import { describeNetworkFault } from '../service/network-fault.ts';
import { isPassing, parseRetryAfter } from '../service/retry.ts';

/** An answer of a host. */
export interface HttpAnswer {
  status: number;
  headers: Headers;
  bytes: Buffer;
}

export interface HttpRequest {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';
  url: string;
  headers?: Record<string, string> | undefined;
  /** Headers that are made anew for each try: those that hold a time. */
  sign?: () => Promise<Record<string, string>>;
  body?: Buffer | string | undefined;
  /** Statuses that are answers, besides 2xx: they come back instead of being an error or tried again. */
  also?: readonly number[];
  /** Statuses that are tried again, twice, besides 408, 429, 5xx and network faults. */
  again?: readonly number[];
  /** Whether it is not one of those that the host counts: no {@link HostHttpOptions.pace} is kept for it. */
  uncounted?: boolean;
  /** What it is, for errors: `the list of files`. */
  what: string;
}

/** Asks hosts, with their waits, their limits and a count of what it cost. */
export interface Http {
  /**
   * @throws {RefusedError} the host refused it (4xx).
   * @throws {UnreachableError} after all tries, or where it asks for a wait of more than 15 minutes.
   */
  send(request: HttpRequest): Promise<HttpAnswer>;
  /** Requests so far, and bytes of their bodies and of the answers. */
  readonly counts: { requests: number; up: number; down: number };
}

/** Time, so that tests need not wait. */
export interface Clock {
  /** Milliseconds. */
  now(): number;
  /** @throws as the signal says, once it is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export interface HostHttpOptions {
  /** Begins the codes of errors: `netlify` gives `netlify-refused`. */
  code: string;
  /** Name of the host. */
  name: string;
  /** What to do where it refuses. */
  fix: string;
  signal: AbortSignal;
  /** Told of a wait that the host asks for. */
  onWait(text: string): void;
  /** Most requests within so many milliseconds. */
  pace?: { requests: number; window: number } | undefined;
  /** Tries after the first. */
  retries?: number;
  /** Milliseconds that one try may take, without those of its body. */
  deadline?: number;
  clock?: Clock;
}

/** How a host is asked, and named in errors. */
export type HostWords = Pick<HostHttpOptions, 'code' | 'name' | 'fix' | 'pace'>;

/** Longest time that one try may take, without that of its body. */
const DEADLINE = 120_000;
/** Bytes a millisecond with which a body is sent at least: a slow line takes minutes for 50 MiB of pictures. */
const SLOWEST = 100;
const RETRIES = 5;
/** Tries after the first where a status only seems to be a refusal. */
const SECOND_LOOKS = 2;
/** Longest wait that a host may ask for, over all tries of a request. */
const LONGEST_WAIT = 15 * 60_000;
/** Waits from which on they are told. */
const TOLD = 2000;
/** Largest answer: no list of a host is as large. */
const LARGEST = 256 * 2 ** 20;

export const SYSTEM_CLOCK: Clock = {
  now: Date.now,
  sleep: (ms, signal) => delay(ms, undefined, { signal }),
};

/** One try that failed. Holds words only. */
class Fault extends Error {
  /** Of the answer; 0 where none came. */
  readonly status: number;
  readonly mayPass: boolean;
  /** What the host says of it. */
  readonly said: string | undefined;
  /** Milliseconds that it asks to wait. */
  readonly wait: number | undefined;

  constructor(words: string, of?: Pick<Fault, 'status' | 'mayPass' | 'said' | 'wait'>) {
    super(words);
    this.status = of?.status ?? 0;
    this.mayPass = of?.mayPass ?? true;
    this.said = of?.said;
    this.wait = of?.wait;
  }
}

/**
 * Milliseconds that an answer asks to wait: `Retry-After` (RFC 9110, 10.2.3), else `X-RateLimit-Reset`,
 * which is a time in seconds since 1970 at Netlify and a number of seconds elsewhere.
 */
export function waitOf(headers: Headers, now: number): number | undefined {
  const after = parseRetryAfter(headers.get('retry-after'), now);
  if (after !== undefined) return after;
  const reset = headers.get('x-ratelimit-reset')?.trim() ?? '';
  if (!/^\d+$/.test(reset)) return undefined;
  const seconds = Number(reset);
  return seconds > 1e9 ? Math.max(0, seconds * 1000 - now) : seconds * 1000;
}

function headersOf(given: Dispatcher.ResponseData['headers']): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(given)) {
    for (const one of [value ?? []].flat()) headers.append(name, one);
  }
  return headers;
}

const answerSchema = z.object({
  message: z.string().optional(),
  errors: z
    .array(
      z.object({
        code: z.union([z.string(), z.number()]).optional(),
        message: z.string().optional(),
      }),
    )
    .min(1)
    .optional(),
});

/** What a host says of a refusal, without what it was sent to be let in. */
function reasonOf(bytes: Buffer, headers: Record<string, string>): string | undefined {
  const text = bytes.subarray(0, 4000).toString('utf8').replace(/\s+/g, ' ').trim();
  // A page of a gateway says nothing to anybody.
  if (text === '' || text.startsWith('<')) return undefined;
  const secrets = Object.entries(headers)
    .filter(([name]) => /^(?:authorization|cookie|x-auth-.*|x-amz-security-token)$/i.test(name))
    .flatMap(([, value]) => value.split(/[\s,=]+/));
  const safe = secrets.reduce((said, value) => new Secret(value).redact(said), messageIn(text));
  return printable(safe).slice(0, 300);
}

/** The words in an answer: `message` at Netlify, `errors` with numbers to search for at Cloudflare. */
function messageIn(text: string): string {
  try {
    const { message, errors = [{ message }] } = answerSchema.parse(JSON.parse(text));
    const words = errors.flatMap((one) =>
      one.message ? [one.code === undefined ? one.message : `${one.message} (${one.code})`] : [],
    );
    return words.join('; ') || text;
  } catch {
    return text;
  }
}

/** {@link Http} for one host. */
export class HostHttp implements Http, AsyncDisposable {
  readonly counts = { requests: 0, up: 0, down: 0 };
  readonly #options: HostHttpOptions;
  readonly #clock: Clock;
  // A try has one deadline, for all of it.
  readonly #agent = new Agent({
    allowH2: false,
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: LARGEST,
  });
  /** When the last requests of the window were sent, the oldest first. */
  readonly #sent: number[] = [];
  /** The host asked for silence until then. */
  #silentUntil = 0;

  constructor(options: HostHttpOptions) {
    this.#options = options;
    this.#clock = options.clock ?? SYSTEM_CLOCK;
  }

  async send(wanted: HttpRequest): Promise<HttpAnswer> {
    const { code, name, fix, signal, retries = RETRIES } = this.#options;
    let waited = 0;
    for (let tries = 1; ; tries++) {
      const fault = await this.#try(wanted);
      if (!(fault instanceof Fault)) return fault;
      const { status, message, said } = fault;
      if (!fault.mayPass || (wanted.again?.includes(status) && tries > SECOND_LOOKS)) {
        throw new RefusedError({
          code: `${code}-refused`,
          what: `${name} refused ${wanted.what} (status ${status}).`,
          why: said === undefined ? 'It gave no reason that could be read.' : `It says: "${said}"`,
          fix,
        });
      }
      const asked = fault.wait ?? 0;
      waited += asked;
      if (waited > LONGEST_WAIT) {
        throw new UnreachableError({
          code: 'deploy-limit',
          what: `${name} takes no more requests for now.`,
          why: `It asked to wait ${timeText(asked)} before ${wanted.what}; the longest wait is ${timeText(LONGEST_WAIT)}.`,
          fix: 'Deploy again later: what was sent is not sent twice. docs/hosting.md names the limits of the hosts.',
        });
      }
      if (tries > retries) {
        throw new UnreachableError({
          code: `${code}-unreachable`,
          what: `${name} gave no usable answer to ${wanted.what}.`,
          why: `After ${tries} ${tries === 1 ? 'try' : 'tries'}: ${message}.`,
          fix: 'Deploy again once it answers: what was sent is not sent twice.',
        });
      }
      if (asked > 0) this.#silence(asked, `${name} asks to wait ${timeText(asked)}.`);
      else await this.#clock.sleep(1000 * 2 ** (tries - 1), signal);
    }
  }

  /** Ends all connections. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#agent.destroy();
  }

  /** Nothing is sent for so long, by whichever request; said once. */
  #silence(ms: number, text: string): void {
    const until = this.#clock.now() + ms;
    if (ms >= TOLD && until > this.#silentUntil + TOLD) this.#options.onWait(text);
    this.#silentUntil = Math.max(this.#silentUntil, until);
  }

  /** Waits until the host may be asked, and counts it as asked. */
  async #turn(uncounted = false): Promise<void> {
    const { signal, pace, name } = this.#options;
    while (true) {
      signal.throwIfAborted();
      const now = this.#clock.now();
      const silent = this.#silentUntil - now;
      if (silent > 0) {
        await this.#clock.sleep(silent, signal);
        continue;
      }
      if (!pace || uncounted) return;
      while ((this.#sent[0] ?? now) <= now - pace.window) this.#sent.shift();
      if (this.#sent.length < pace.requests) {
        this.#sent.push(now);
        return;
      }
      const pause = (this.#sent[0] ?? now) + pace.window - now;
      this.#silence(pause, `Waiting ${timeText(pause)}: ${name} takes so many requests only.`);
    }
  }

  async #try(wanted: HttpRequest): Promise<HttpAnswer | Fault> {
    const { signal, deadline = DEADLINE } = this.#options;
    await this.#turn(wanted.uncounted);
    const size = Buffer.byteLength(wanted.body ?? '');
    const longest = deadline + Math.ceil(size / SLOWEST);
    const headers = { ...wanted.headers, ...(await wanted.sign?.()) };
    let answer: HttpAnswer;
    try {
      this.counts.requests++;
      this.counts.up += size;
      const {
        statusCode,
        headers: got,
        body,
      } = await request(wanted.url, {
        method: wanted.method,
        headers,
        body: wanted.body ?? null,
        dispatcher: this.#agent,
        signal: AbortSignal.any([AbortSignal.timeout(longest), signal]),
      });
      const bytes = Buffer.from(await body.arrayBuffer());
      this.counts.down += bytes.length;
      answer = { status: statusCode, headers: headersOf(got), bytes };
    } catch (error) {
      signal.throwIfAborted();
      return new Fault(describeNetworkFault(error));
    }
    const { status } = answer;
    if ((status >= 200 && status < 300) || wanted.also?.includes(status)) return answer;
    const mayPass = isPassing(status) || wanted.again?.includes(status) === true;
    return new Fault(`it answered with status ${status}`, {
      status,
      mayPass,
      said: reasonOf(answer.bytes, headers),
      wait: mayPass ? waitOf(answer.headers, this.#clock.now()) : undefined,
    });
  }
}
