import { setTimeout as sleep } from 'node:timers/promises';
import { type Agent, fetch, type Response } from 'undici';
import type { MediaConfig } from '../../config/schema.ts';
import { BodyStalledError, BodyTooLargeError, readBody } from '../../service/read-body.ts';
import { isPassing, parseRetryAfter, pauseBeforeRetry } from '../../service/retry.ts';
import { guardedAgent, parseNetworks } from './guarded-agent.ts';
import { hostRules, isAllowedHost } from './hosts.ts';

const MAX_REDIRECTS = 3;
const MAX_TRIES = 3;

export type DownloadFault =
  | 'download-host'
  | 'download-address'
  | 'download-redirects'
  | 'download-status'
  | 'download-too-large'
  | 'download-timeout'
  | 'download-stalled'
  | 'download-network';

export type Download =
  | { kind: 'bytes'; bytes: Buffer; etag: string | undefined; lastModified: string | undefined }
  | { kind: 'unchanged' }
  | { kind: 'failed'; code: DownloadFault; message: string; passing: boolean };

export interface Validators {
  etag?: string | undefined;
  lastModified?: string | undefined;
}

const failed = (code: DownloadFault, message: string, passing = false): Download => ({
  kind: 'failed',
  code,
  message,
  passing,
});

/** Longest validator that is kept: it is stored with each picture and sent again. */
const LONGEST_VALIDATOR = 512;

const validator = (response: Response, header: string): string | undefined => {
  const value = response.headers.get(header);
  return value !== null && value.length <= LONGEST_VALIDATOR ? value : undefined;
};

function faultOf(error: unknown, media: MediaConfig): Download {
  if (error instanceof BodyTooLargeError) {
    return failed(
      'download-too-large',
      `it is larger than ${media.maxBytes} bytes (media.maxBytes)`,
    );
  }
  const stalled = failed('download-stalled', 'its server stopped sending', true);
  if (error instanceof BodyStalledError) return stalled;
  for (let at = error; at instanceof Error; at = at.cause) {
    const code = (at as NodeJS.ErrnoException).code;
    if (code === 'FORBIDDEN_ADDRESS') return failed('download-address', at.message);
    if (at.name === 'TimeoutError' || at.name === 'AbortError') {
      return failed('download-timeout', 'it did not arrive within media.timeout', true);
    }
    if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT') return stalled;
    if (typeof code === 'string' && code !== '') {
      return failed('download-network', `network fault ${code}`, true);
    }
  }
  return failed('download-network', 'network fault', true);
}

/**
 * Downloads pictures from untrusted addresses. Hosts come from an allow-list, connections go to
 * public addresses alone (see guarded-agent.ts), both checked again at each of at most three
 * redirects; no cookie, key or referrer is sent; size and time are capped.
 */
export class Downloader {
  readonly #agent: Agent;
  readonly #media: MediaConfig;
  readonly #rules: ReturnType<typeof hostRules>;

  constructor(baseUrl: string, media: MediaConfig) {
    this.#media = media;
    this.#rules = hostRules(baseUrl, media.hosts);
    this.#agent = guardedAgent(this.#rules, {
      networks: parseNetworks(media.privateNetworks),
      connectTimeout: Math.min(10_000, media.timeout),
      stallTimeout: media.stallTimeout,
      maxConnections: media.downloads,
    });
  }

  /** One picture; conditional where validators of an earlier answer are given. Never throws. */
  async get(address: string, validators: Validators = {}, signal?: AbortSignal): Promise<Download> {
    const deadline = AbortSignal.timeout(this.#media.timeout);
    const stop = signal ? AbortSignal.any([deadline, signal]) : deadline;
    for (let attempt = 1; ; attempt++) {
      const { result, retryAfter } = await this.#try(address, validators, stop);
      const passing = result.kind === 'failed' && result.passing;
      if (!passing || attempt === MAX_TRIES || stop.aborted) return result;
      const pause = pauseBeforeRetry({
        attempt,
        retryAfter,
        maxRetryAfter: this.#media.timeout / 2,
        random: Math.random(),
      });
      if (pause === undefined) return result;
      await sleep(pause, undefined, { signal: stop }).catch(() => {});
    }
  }

  /** Closes all connections. */
  close(): Promise<void> {
    return this.#agent.destroy();
  }

  async #try(
    address: string,
    { etag, lastModified }: Validators,
    signal: AbortSignal,
  ): Promise<{ result: Download; retryAfter?: number | undefined }> {
    let url = URL.parse(address);
    try {
      for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
        if (url === null) return { result: failed('download-host', 'it is no address') };
        if (!isAllowedHost(url, this.#rules)) {
          const host = url.host.slice(0, 100);
          return { result: failed('download-host', `host ${host} is not in media.hosts`) };
        }
        const response = await fetch(url.href, {
          dispatcher: this.#agent,
          redirect: 'manual',
          signal,
          headers: {
            accept: 'image/webp,image/jpeg,image/png',
            ...(etag !== undefined && { 'if-none-match': etag }),
            ...(lastModified !== undefined && { 'if-modified-since': lastModified }),
          },
        });
        if (response.status === 200) {
          return {
            result: {
              kind: 'bytes',
              bytes: await readBody(
                response.body as ReadableStream<Uint8Array> | null,
                this.#media,
              ),
              etag: validator(response, 'etag'),
              lastModified: validator(response, 'last-modified'),
            },
          };
        }
        await response.body?.cancel();
        const asked = etag !== undefined || lastModified !== undefined;
        if (response.status === 304 && asked) return { result: { kind: 'unchanged' } };
        const location = response.headers.get('location');
        if (![301, 302, 303, 307, 308].includes(response.status) || location === null) {
          return {
            result: failed(
              'download-status',
              `its server answered with status ${response.status}`,
              isPassing(response.status),
            ),
            retryAfter: parseRetryAfter(response.headers.get('retry-after'), Date.now()),
          };
        }
        url = URL.parse(location, url.href);
      }
      return {
        result: failed('download-redirects', `it redirects more than ${MAX_REDIRECTS} times`),
      };
    } catch (error) {
      return { result: faultOf(error, this.#media) };
    }
  }
}
