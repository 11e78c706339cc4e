import pLimit from 'p-limit';
import type { MediaConfig } from '../../config/schema.ts';
import { Downloader } from '../../download/download.ts';
import type { FoundFile } from '../../record/file.ts';
import { decideBounds, machine } from '../bounds.ts';

/** Successive network faults after which the site counts as unreachable. */
const MAX_FAULTS = 5;
/** Longest wait for one response in milliseconds, so that an unreachable site does not delay a build. */
const TIMEOUT = 30_000;

/**
 * Reads files of the published site, with the downloader of pictures and its checks. It requests only URLs of
 * the site and does not follow redirects.
 */
export class SiteFiles implements AsyncDisposable {
  readonly #url: string;
  readonly #downloader: Downloader;
  readonly #slots: ReturnType<typeof pLimit>;
  readonly #signal: AbortSignal | undefined;
  #faults = 0;
  /** Bytes received so far. */
  received = 0;

  /** @param folder relative to the site, with a slash at its end. */
  constructor(url: string, folder: string, media: MediaConfig, signal: AbortSignal | undefined) {
    const { downloads } = decideBounds(media, machine());
    const timeout = Math.min(media.timeout, TIMEOUT);
    this.#url = `${url}/${folder}`;
    this.#signal = signal;
    this.#slots = pLimit(downloads);
    this.#downloader = new Downloader(url, { ...media, downloads, timeout, hosts: [] }, 'site');
  }

  /** @param name relative to the folder. */
  read(name: string): Promise<FoundFile> {
    return this.#slots(async () => {
      if (this.#faults >= MAX_FAULTS) return { why: 'it does not respond', unreachable: true };
      const download = await this.#downloader.get(this.#url + name, undefined, this.#signal);
      this.#signal?.throwIfAborted();
      if (download.kind === 'bytes') {
        this.#faults = 0;
        this.received += download.bytes.length;
        return { bytes: download.bytes };
      }
      if (download.kind === 'unchanged') throw new Error('The request had no condition');
      // A missing file does not indicate a network fault.
      if (download.passing) this.#faults++;
      const { message: why, missing = false, passing: unreachable } = download;
      return { why, missing, unreachable };
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#downloader[Symbol.asyncDispose]();
  }
}
