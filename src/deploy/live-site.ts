import type { SiteFile } from '../change-set/change-set.ts';
import { decompressed } from '../download/decompress.ts';
import { RefusedError, UnreachableError } from '../errors.ts';
import type { Http } from '../lib/http/http.ts';
import { BodyTooLargeError } from '../lib/http/read-body.ts';
import { fileHash } from '../record/files.ts';
import { NETLIFY_FORMS } from '../site/documents/netlify-forms.ts';

/** URL path of a file, relative to the site. The path of a page is its folder. */
export const addressBelow = (file: string): string => file.replace(/(^|\/)index\.html$/, '$1');

/** Whether a file is a page for visitors: not the error page, and not the list of forms for Netlify. */
export const isPage = (file: string): boolean =>
  file.endsWith('.html') && file !== '404.html' && file !== NETLIFY_FORMS;

/** URL paths under which hosts serve a file. Some omit the extension of pages. */
const addressesOf = (file: string): string[] => {
  const address = addressBelow(file);
  return address.endsWith('.html') ? [address, address.slice(0, -5)] : [address];
};

export type LiveFile =
  | { bytes: Buffer }
  /** Why it is not the file, as a sentence. Empty if it is another file. */
  | { why: string; unreachable?: true };

/** Traces of Cloudflare, which hides e-mail addresses in pages of other hosts and adds its scripts by default. */
const CLOUDFLARE = /\/cdn-cgi\/|cloudflareinsights\.com/;

/** Files of the live site, as visitors receive them. */
export class LiveSite {
  /** Without a slash at the end. */
  readonly url: string;
  readonly #http: Http;
  #unreachable: string | undefined;

  constructor(url: string, http: Http) {
    this.url = url;
    this.#http = http;
  }

  /** Downloads a file and compares its hash. Makes no more requests once the site does not respond. */
  async read(file: SiteFile): Promise<LiveFile> {
    if (this.#unreachable !== undefined) return { why: this.#unreachable, unreachable: true };
    const result = await this.readAgain(file);
    if ('unreachable' in result) this.#unreachable = result.why;
    return result;
  }

  /** The same, even if the site did not respond before. @param query bypasses caches. */
  async readAgain({ path, size, hash }: SiteFile, query = ''): Promise<LiveFile> {
    let why = '';
    for (const address of addressesOf(path)) {
      try {
        const { bytes, headers } = await this.#http.send({
          method: 'GET',
          url: `${this.url}/${address}${query}`,
          what: path,
        });
        const encoding = headers.get('content-encoding') ?? undefined;
        const content = decompressed(bytes, encoding, Math.max(1, size));
        if (content && fileHash(content) === hash) return { bytes: content };
        why = CLOUDFLARE.test(bytes.toString('latin1')) ? `Cloudflare altered ${path}.` : '';
      } catch (error) {
        if (error instanceof UnreachableError) {
          return { why: error.why ?? error.message, unreachable: true };
        }
        if (error instanceof BodyTooLargeError) why = '';
        else if (error instanceof RefusedError) why = error.message;
        else throw error;
      }
    }
    return { why };
  }
}
