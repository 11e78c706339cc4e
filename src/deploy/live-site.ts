import type { SiteFile } from '../change-set/change-set.ts';
import { decompressed } from '../download/decompress.ts';
import { RefusedError, UnreachableError } from '../errors.ts';
import type { Http } from '../lib/http/http.ts';
import { BodyTooLargeError } from '../lib/http/read-body.ts';
import { fileHash } from '../record/files.ts';

/** Address of a file below the site. The address of a page is its folder. */
export const addressBelow = (file: string): string => file.replace(/(^|\/)index\.html$/, '$1');

/** Addresses under which hosts serve a file: some omit the ending of pages. */
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

  /** The same, even if the site did not answer before. @param query makes the URL new to every cache. */
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
