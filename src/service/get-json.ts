import { isUtf8 } from 'node:buffer';
import { setTimeout as sleep } from 'node:timers/promises';
import { usesProxy } from '../config/environment.ts';
import type { ServiceConfig } from '../config/schema.ts';
import type { Secret } from '../config/secret.ts';
import { errorBodySchema } from '../contract/batch.ts';
import {
  AppError,
  GateError,
  printable,
  RefusedError,
  SecretFoundError,
  UnreachableError,
} from '../errors.ts';
import { firstOfSignals } from '../lib/abort.ts';
import { BodyTooLargeError, readBody } from '../lib/http/read-body.ts';
import {
  describeNetworkFault,
  isPassing,
  pauseBeforeRetry,
  retryAfterOf,
} from '../lib/http/retry.ts';
import { isTooComplex } from '../lib/json.ts';
import { countText } from '../lib/terminal/count-text.ts';

interface CallOptions {
  /** URL without the key. */
  url: URL;
  apiKey: Secret;
  /** Dealer or account of the call, for messages: `dealer 7001 (Northgate Cars)`. */
  subject: string;
  service: Pick<
    ServiceConfig,
    'timeout' | 'totalTimeout' | 'retries' | 'maxRetryAfter' | 'maxBytes'
  >;
  signal?: AbortSignal;
  /** Advice for a response that is too large. */
  smaller?: string;
}

/** A 200 response. */
export interface Answer {
  bytes: Buffer;
  /** Not yet checked against the contract. */
  records: unknown[];
}

/** A transient fault of one attempt. It never quotes fetch's error, which may contain the URL with the key. */
class PassingFault extends Error {
  readonly retryAfter: number | undefined;
  readonly mayRetry: boolean;

  constructor(
    reason: string,
    { retryAfter, mayRetry = true }: { retryAfter?: number; mayRetry?: boolean } = {},
  ) {
    super(reason);
    this.retryAfter = retryAfter;
    this.mayRetry = mayRetry;
  }
}

async function readBytes(response: Response, options: CallOptions): Promise<Buffer> {
  const { service, subject, smaller } = options;
  const { maxBytes } = service;
  const length = Number(response.headers.get('content-length'));
  try {
    const body = await readBody(response.body, maxBytes, length);
    // Programs in .NET write a byte order mark, which JSON.parse refuses.
    return body.subarray(body.toString('utf8', 0, 3) === '\ufeff' ? 3 : 0);
  } catch (error) {
    if (!(error instanceof BodyTooLargeError)) throw error;
    throw new GateError({
      code: 'service-answer-too-large',
      what: `The service's response for ${subject} is too large.`,
      why: `It has more than ${maxBytes} bytes, so it was not read.`,
      fix: `Ask the vendor why.${smaller ? ` ${smaller}` : ''}`,
    });
  }
}

const isMarkup = (text: string): boolean => /^\s*</.test(text);

function parseJson(bytes: Uint8Array, text: string): { ok: boolean; value?: unknown } {
  // In another encoding, texts would be published with wrong letters.
  if (!isUtf8(bytes) || isTooComplex(bytes)) return { ok: false };
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    return { ok: false };
  }
}

/** Why a body is not JSON. */
function notJson(bytes: Uint8Array, text: string): string {
  if (text.trim() === '') return 'its response is empty';
  if (!isUtf8(bytes)) return 'its response is not text in UTF-8';
  return isMarkup(text)
    ? 'its response is HTML or XML instead of JSON, often a login or maintenance page'
    : 'its response is not complete JSON of a sensible depth and size';
}

/** The message in an object of the service, as a sentence. */
function reportedIn(body: unknown, apiKey: Secret): string | undefined {
  const { Message, message = Message } = Object(body);
  if (typeof message !== 'string' || message === '') return undefined;
  return `It reported: "${printable(apiKey.redact(message)).slice(0, 300)}".`;
}

function refused(
  status: number,
  { body, text }: { body: unknown; text: string },
  { apiKey, subject }: CallOptions,
): RefusedError {
  const noReason = isMarkup(text)
    ? 'Its response is HTML or XML, perhaps from a firewall or a proxy.'
    : 'It gave no readable reason.';
  return new RefusedError({
    code: `service-refused-${status}`,
    what: `The service refused the request for ${subject} (status ${status}).`,
    why: reportedIn(body, apiKey) ?? noReason,
    fix: `Check the API key, that it belongs to this dealer or account, and the ids in the configuration.${status === 404 ? ' If they are right, check service.baseUrl.' : ''}`,
  });
}

async function tryOnce(options: CallOptions, total: AbortSignal): Promise<Answer> {
  const { apiKey, service } = options;
  const urlWithKey = new URL(options.url);
  urlWithKey.searchParams.set('apiKey', apiKey.reveal());
  const send = usesProxy() ? (await import('../lib/http/agent.ts')).proxiedFetch : fetch;
  let response: Awaited<ReturnType<typeof send>>;
  let bytes: Buffer;
  try {
    response = await send(urlWithKey, {
      redirect: 'manual',
      headers: { accept: 'application/json' },
      signal: AbortSignal.any([AbortSignal.timeout(service.timeout), total]),
    });
    if (isPassing(response.status)) {
      await response.body?.cancel();
      // Most services limit the requests of a minute. Shorter pauses would use up all attempts within it.
      const pause = response.status === 429 ? service.maxRetryAfter / 2 : undefined;
      throw new PassingFault(`it responded with status ${response.status}`, {
        // A time in the past is 0.
        retryAfter: retryAfterOf(response.headers) || pause,
      });
    }
    const location = response.headers.get('location');
    if (response.status < 400 && location !== null) {
      await response.body?.cancel();
      // Its path may contain the key.
      const to = apiKey.redact(URL.parse(location, urlWithKey)?.origin ?? 'another URL');
      const reason = `it redirects to ${printable(to).slice(0, 100)}, and redirects are not followed`;
      throw new PassingFault(reason, { mayRetry: false });
    }
    bytes = await readBytes(response, options);
  } catch (error) {
    if (error instanceof PassingFault || error instanceof AppError) throw error;
    throw new PassingFault(describeNetworkFault(error));
  }
  const text = bytes.toString('utf8');
  const body = parseJson(bytes, text);
  const isRefusal = body.ok && errorBodySchema.safeParse(body.value).success;
  if (isRefusal || response.status >= 400) {
    throw refused(response.status, { body: body.value, text }, options);
  }
  if (response.status !== 200)
    throw new PassingFault(`it responded with status ${response.status}`);
  if (!body.ok) throw new PassingFault(notJson(bytes, text));
  // JSON can write any character as `\u002b`, and a slash as `\/`.
  const plain = /\\[u/]/.test(text) ? JSON.stringify(body.value) : '';
  if (apiKey.occursIn(text) || apiKey.occursIn(plain)) {
    throw new SecretFoundError({
      code: 'service-answer-holds-key',
      what: `The service's response for ${options.subject} contains the API key.`,
      why: 'Everything in a response may be published or cached, so this one was discarded.',
      fix: 'Ask the vendor to keep keys out of its responses, and to replace the key.',
    });
  }
  if (!Array.isArray(body.value)) {
    throw new GateError({
      code: 'service-answer-no-array',
      what: `The service's response for ${options.subject} is not a list.`,
      why: reportedIn(body.value, apiKey) ?? 'The interface promises a JSON array.',
      fix: 'Check service.baseUrl, and ask the vendor whether the interface has changed.',
    });
  }
  return { bytes, records: body.value };
}

/**
 * One GET of the service with deadlines and retries. It adds the key at the last moment.
 *
 * @throws {RefusedError} 4xx other than 408 and 429, or a `{Success:false}` body, without a retry
 *   (interface 5 and 7).
 * @throws {UnreachableError} network faults, 408, 429, 5xx, unreadable bodies, after all retries.
 * @throws {GateError} the response is too large, or is not a JSON array.
 * @throws {SecretFoundError} the response contains the key.
 * None of these errors contains the URL or the key.
 */
export async function getAnswer(options: CallOptions): Promise<Answer> {
  const { service, subject } = options;
  const total = firstOfSignals(AbortSignal.timeout(service.totalTimeout), options.signal);
  for (let tries = 1; ; tries++) {
    try {
      return await tryOnce(options, total);
    } catch (error) {
      if (!(error instanceof PassingFault)) throw error;
      const mayRetry = error.mayRetry && tries <= service.retries && !total.aborted;
      const pause = pauseBeforeRetry({
        attempt: tries,
        retryAfter: error.retryAfter,
        maxRetryAfter: service.maxRetryAfter,
        unit: service.timeout / 120,
      });
      if (mayRetry && pause !== undefined) {
        await sleep(pause, undefined, { signal: total }).catch(() => {});
        if (!total.aborted) continue;
      }
      const isTooLong = mayRetry && pause === undefined;
      throw new UnreachableError({
        code: 'service-unreachable',
        what: `The service gave no usable response for ${subject}.`,
        why: `After ${countText(tries, 'try', 'tries')}: ${error.message}${isTooLong ? ' and asked to wait too long' : ''}.`,
        fix: 'If it fails again later, check service.baseUrl and ask the vendor.',
      });
    }
  }
}
