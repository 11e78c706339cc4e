import { RefusedError, UnreachableError } from '../errors.ts';
import { decompressed } from '../images/download/read-picture.ts';
import type { Clock, Http } from '../lib/http/http.ts';
import type { SiteFile } from '../publish/change-set/change-set.ts';
import { fileHash } from '../record/files.ts';
import { BodyTooLargeError } from '../service/read-body.ts';
import { liveDiffers, liveUnreachable } from './host-api/errors.ts';

/** Address of a file below the site: pages have that of their folder. */
export const addressBelow = (file: string): string => file.replace(/(^|\/)index\.html$/, '$1');

/** Addresses under which hosts serve a file: some leave the ending of pages out. */
const addressesOf = (file: string): string[] => {
  const address = addressBelow(file);
  return address.endsWith('.html') ? [address, address.slice(0, -5)] : [address];
};

export type LiveFile = { bytes: Buffer } | { why: string; unreachable?: true };

/** Files of the live site, as visitors get them. */
export class LiveSite {
  /** Without a slash at the end. */
  readonly url: string;
  readonly #http: Http;
  #unreachable: string | undefined;

  constructor(url: string, http: Http) {
    this.url = url;
    this.#http = http;
  }

  /** A file if its bytes are exactly the expected ones. Once the site does not answer, no more requests are made. */
  async read(file: SiteFile): Promise<LiveFile> {
    if (this.#unreachable !== undefined) return { why: this.#unreachable, unreachable: true };
    const found = await this.readAgain(file);
    if ('unreachable' in found) this.#unreachable = found.why;
    return found;
  }

  /** The same, whatever the site answered before. @param query makes the URL new to every cache. */
  async readAgain({ path, size, hash }: SiteFile, query = ''): Promise<LiveFile> {
    let why = '';
    for (const address of addressesOf(path)) {
      try {
        const { bytes, headers } = await this.#http.send({
          method: 'GET',
          url: `${this.url}/${encodeURI(address)}${query}`,
          headers: query === '' ? {} : { 'cache-control': 'no-cache' },
          what: path,
        });
        const encoding = headers.get('content-encoding') ?? undefined;
        const content = decompressed(bytes, encoding, Math.max(1, size));
        if (content && fileHash(content) === hash) return { bytes: content };
        why = 'it has other bytes';
      } catch (error) {
        if (error instanceof UnreachableError) {
          return { why: error.why ?? error.message, unreachable: true };
        }
        if (error instanceof BodyTooLargeError) why = 'it has other bytes';
        else if (error instanceof RefusedError) why = error.message;
        else throw error;
      }
    }
    return { why };
  }
}

export interface LiveCheck {
  live: LiveSite;
  /** Files that must be there. */
  files: readonly SiteFile[];
  /** Names this deploy. */
  id: string;
  /** How long the host may take until all visitors get the new site, in milliseconds. */
  timeout: number;
  /** What to do if the site is not right. */
  advice(): Promise<string>;
  /** Called before each check. @param left files that were not right yet. */
  onCheck(left: number): void;
  clock: Clock;
  signal: AbortSignal;
}

const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 8000;

/**
 * Waits until the live site is the one that was sent.
 *
 * @throws {GateError} it is not. @throws {UnreachableError} it does not answer.
 */
export async function waitUntilLive(check: LiveCheck): Promise<void> {
  const { live, id, timeout, clock, signal } = check;
  const end = clock.now() + timeout;
  // One that was right stays right: there is no way back to the old one.
  let left = check.files;
  for (let pause = FIRST_PAUSE; ; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
    check.onCheck(left.length);
    const found = await Promise.all(left.map((file) => live.readAgain(file, `?deploy=${id}`)));
    left = left.filter((_, index) => !('bytes' in (found[index] ?? {})));
    if (left.length === 0) return;
    if (clock.now() + pause <= end) {
      await clock.sleep(pause, signal);
      continue;
    }
    const silent = found.find((one) => 'unreachable' in one);
    if (silent && 'why' in silent) {
      throw liveUnreachable(live.url, silent.why, await check.advice());
    }
    throw liveDiffers(
      left.map(({ path }) => `/${addressBelow(path)}`),
      await check.advice(),
    );
  }
}
