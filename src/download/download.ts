import { setTimeout as sleep } from 'node:timers/promises';
import { type Dispatcher, request } from 'undici';
import type { MediaConfig } from '../config/schema.ts';
import { firstOfSignals } from '../lib/abort.ts';
import { refuseOpenFiles } from '../lib/files/system-errors.ts';
import { BodyTooLargeError, readBody } from '../lib/http/read-body.ts';
import { faultText, isPassing, pauseBeforeRetry, retryAfterOf } from '../lib/http/retry.ts';
import { bytesText } from '../lib/terminal/progress.ts';
import { decompressed } from './decompress.ts';
import { guardedAgent } from './guarded-agent.ts';
import { hostRules, isAllowedHost } from './hosts.ts';
import { conditionOf, toValidator } from './validator.ts';

const MAX_TRIES = 3;
/**
 * Successive tries without a response after which a host gets one short try for each picture. Otherwise a host that
 * hangs uses up the time of a build, and pictures of other hosts are not made.
 */
const MAX_SILENT = 20;
/** Milliseconds in which the response to a short try must begin. */
const SHORT = 2000;
/** Part of the time for a picture in which a short try must end. */
const SHORT_SHARE = 1 / 6;

export type Download =
  /** `validator`: for the next request, see `toValidator`. */
  { kind: 'bytes'; bytes: Buffer; validator: string } | { kind: 'unchanged' } | FailedDownload;

type FailedDownload = {
  kind: 'failed';
  code: `download-${string}`;
  message: string;
  /** The fault is transient, so another attempt may succeed. */
  passing: boolean;
  /** The picture or its host does not exist: status 404 or 410, or no such host name. */
  missing?: boolean;
  /** Milliseconds that its server asks to wait. */
  retryAfter?: number;
};

/** Maximum number of redirects, and request headers. Sizes are counted after decompression. */
const KINDS = {
  /** Pictures of the service. */
  pictures: {
    redirects: 3,
    headers: { accept: 'image/webp,image/jpeg,image/png', 'accept-encoding': 'identity' },
  },
  /** Files of the published site. */
  site: { redirects: 0, headers: { accept: '*/*', 'accept-encoding': 'gzip' } },
  /** Stock lists of dealers. */
  list: {
    redirects: 3,
    headers: { accept: 'text/csv,application/json,*/*', 'accept-encoding': 'gzip' },
  },
} as const;

const failed = (
  code: FailedDownload['code'],
  message: string,
  passing = false,
): FailedDownload => ({ kind: 'failed', code, message, passing });

type Headers = Dispatcher.ResponseData['headers'];

const header = (headers: Headers, name: string): string | undefined => {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
};

function faultOf(error: unknown, media: MediaConfig): Download {
  refuseOpenFiles(error);
  if (error instanceof BodyTooLargeError) {
    return failed('download-too-large', `it is larger than ${bytesText(media.maxBytes)}`);
  }
  const stalled = failed('download-stalled', 'its server stopped sending', true);
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    if (code === 'FORBIDDEN_ADDRESS') return failed('download-address', cause.message);
    if (cause.name === 'TimeoutError' || cause.name === 'AbortError') {
      return failed('download-timeout', 'it did not arrive in time', true);
    }
    if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT') return stalled;
    if (code === 'ENOTFOUND') {
      return { ...failed('download-network', faultText(code)), missing: true };
    }
    if (typeof code === 'string' && code !== '') {
      return failed('download-network', faultText(code), true);
    }
  }
  return failed('download-network', 'network fault', true);
}

/**
 * Downloads pictures from untrusted URLs. Hosts must be on an allow-list, and connections go only to
 * public addresses (see guarded-agent.ts). Both are checked again at each of at most three redirects.
 * No cookie, key or referrer is sent. Size and time are limited.
 */
export class Downloader implements AsyncDisposable {
  readonly #agent: ReturnType<typeof guardedAgent>;
  readonly #media: MediaConfig;
  readonly #rules: ReturnType<typeof hostRules>;
  readonly #authorization: string | undefined;
  readonly #kind: (typeof KINDS)[keyof typeof KINDS];
  /** Successive tries without a response, by host. */
  readonly #silent = new Map<string, number>();

  /** @param authorization header for every request. With it, redirects are followed only within the same origin. */
  constructor(
    baseUrl: string,
    media: MediaConfig,
    kind: keyof typeof KINDS = 'pictures',
    authorization?: string,
  ) {
    this.#authorization = authorization;
    this.#media = media;
    this.#kind = KINDS[kind];
    this.#rules = hostRules(baseUrl, media.hosts);
    this.#agent = guardedAgent(this.#rules, media);
  }

  /** Downloads one picture, by a conditional request if there is a validator. Never throws. */
  async get(address: string, validator = '', signal?: AbortSignal): Promise<Download> {
    const { timeout } = this.#media;
    const stop = firstOfSignals(AbortSignal.timeout(timeout), signal);
    const host = URL.parse(address)?.host ?? '';
    const silent = () => this.#silent.get(host) ?? 0;
    for (let attempt = 1; ; attempt++) {
      const isShort = silent() >= MAX_SILENT;
      const end = isShort ? [stop, AbortSignal.timeout(timeout * SHORT_SHARE)] : [stop];
      const result = await this.#try(address, validator, AbortSignal.any(end), isShort);
      const code = result.kind === 'failed' ? result.code : undefined;
      const isSilent = code === 'download-stalled' || code === 'download-timeout';
      this.#silent.set(host, isSilent ? silent() + 1 : 0);
      if (result.kind !== 'failed' || !result.passing) return result;
      if (attempt === MAX_TRIES || isShort || stop.aborted) return result;
      const pause = pauseBeforeRetry({
        attempt,
        retryAfter: result.retryAfter,
        maxRetryAfter: this.#media.timeout / 2,
      });
      if (pause === undefined) return result;
      await sleep(pause, undefined, { signal: stop }).catch(() => {});
      // The fault of the last attempt is a better reason than the deadline.
      if (stop.aborted) return result;
    }
  }

  /** Closes all connections. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#agent.end();
  }

  async #try(
    address: string,
    validator: string,
    signal: AbortSignal,
    isShort: boolean,
  ): Promise<Download> {
    let url = URL.parse(address);
    const origin = url?.origin;
    const { redirects, headers: kindHeaders } = this.#kind;
    try {
      for (let hop = 0; hop <= redirects; hop++) {
        if (url === null) return failed('download-host', 'it is not a URL');
        // Plain HTTP at the same host is another origin.
        if (this.#authorization !== undefined && url.origin !== origin) {
          return failed('download-redirects', `it redirects to ${url.origin.slice(0, 100)}`);
        }
        if (!isAllowedHost(url, this.#rules)) {
          const host = url.host.slice(0, 100);
          return failed('download-host', `host ${host} is not in media.hosts`);
        }
        // The web streams of `fetch` would cost 5 ms of CPU and three copies for each picture (measured).
        const { statusCode, headers, body } = await request(url, {
          dispatcher: this.#agent,
          signal,
          ...(isShort && { headersTimeout: Math.min(SHORT, this.#media.stallTimeout) }),
          headers: {
            ...kindHeaders,
            'user-agent': 'vehicle-media-site',
            ...(this.#authorization !== undefined && { authorization: this.#authorization }),
            ...conditionOf(validator),
          },
        });
        // An unread body would block its connection, so it is destroyed. Later errors are ignored.
        body.on('error', () => {});
        if (statusCode === 200) return await this.#receive(headers, body);
        body.destroy();
        if (statusCode === 304 && validator !== '') return { kind: 'unchanged' };
        const location = header(headers, 'location');
        if (![301, 302, 303, 307, 308].includes(statusCode) || location === undefined) {
          const what = `its server responded with status ${statusCode}`;
          return {
            ...failed('download-status', what, isPassing(statusCode)),
            missing: statusCode === 404 || statusCode === 410,
            retryAfter: retryAfterOf({ get: (name) => header(headers, name) ?? null }),
          };
        }
        url = URL.parse(location, url.href);
      }
      // Its path may contain a key.
      const to = url === null || url.origin === origin ? '' : ` to ${url.origin.slice(0, 100)}`;
      const times = redirects === 0 ? to : ` more than ${redirects} times`;
      return failed('download-redirects', `it redirects${times}`);
    } catch (error) {
      return faultOf(error, this.#media);
    }
  }

  async #receive(headers: Headers, body: Dispatcher.ResponseData['body']): Promise<Download> {
    const { maxBytes } = this.#media;
    const length = Number(header(headers, 'content-length'));
    let received: Buffer;
    try {
      if (length > maxBytes) throw new BodyTooLargeError();
      received = await readBody(body, maxBytes, length);
    } finally {
      body.destroy();
    }
    const bytes = decompressed(received, header(headers, 'content-encoding'), maxBytes);
    if (!bytes) return failed('download-encoding', 'its compression is unknown');
    const validator = toValidator(header(headers, 'etag'), header(headers, 'last-modified'));
    return { kind: 'bytes', bytes, validator };
  }
}
