import pLimit from 'p-limit';
import type { MediaConfig } from '../../config/schema.ts';
import type { FoundFile } from '../../record/file.ts';
import { Downloader } from '../download/download.ts';

/** Largest file that is read and is no picture, in bytes: hosts refuse some that are not much larger. */
const LARGEST_LIST = 20 * 2 ** 20;
/** Faults of the network one after another, after which the site counts as gone. */
const MOST_FAULTS = 5;
/** Longest wait for one answer: a site that is not there must not hold a build up. */
const PATIENCE = 30_000;

/**
 * Files of the published site, by the code that downloads pictures and with its guards. Nothing but
 * the site's own address is asked, and no redirect is followed.
 */
export class SiteFiles {
  readonly #url: string;
  readonly #lists: Downloader;
  readonly #pictures: Downloader;
  readonly #slots: ReturnType<typeof pLimit>;
  readonly #signal: AbortSignal | undefined;
  #faults = 0;
  /** Bytes that came. */
  received = 0;

  /** @param media with its bounds decided. */
  constructor(url: string, media: MediaConfig, signal: AbortSignal | undefined) {
    const own = { ...media, hosts: [], timeout: Math.min(media.timeout, PATIENCE) };
    const lists = { ...own, maxBytes: LARGEST_LIST };
    this.#url = url;
    this.#signal = signal;
    this.#slots = pLimit(media.downloads);
    this.#lists = new Downloader(url, lists, {
      redirects: 0,
      accept: 'application/json',
      encoding: 'gzip',
    });
    this.#pictures = new Downloader(url, own, { redirects: 0, accept: 'image/*' });
  }

  /** @param name below the site. */
  list(name: string): Promise<FoundFile> {
    return this.#get(this.#lists, name);
  }

  /** @param name of an output. */
  picture(name: string): Promise<FoundFile> {
    return this.#get(this.#pictures, `media/${name}`);
  }

  async close(): Promise<void> {
    await Promise.all([this.#lists.close(), this.#pictures.close()]);
  }

  #get(downloader: Downloader, name: string): Promise<FoundFile> {
    return this.#slots(async () => {
      if (this.#faults >= MOST_FAULTS) return { why: 'it does not answer', unreachable: true };
      const download = await downloader.get(`${this.#url}/${name}`, {}, this.#signal);
      this.#signal?.throwIfAborted();
      if (download.kind === 'bytes') {
        this.#faults = 0;
        this.received += download.bytes.length;
        return { bytes: download.bytes };
      }
      if (download.kind === 'unchanged') return { why: 'its server answered 304 unasked' };
      // What is simply not there says nothing of the rest.
      if (download.passing) this.#faults++;
      const { message: why, missing = false, passing: unreachable } = download;
      return { why, missing, unreachable };
    });
  }
}
