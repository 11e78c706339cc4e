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

/** The live site, as visitors receive it. */
export interface LiveSite {
  /** Without a slash at the end. */
  url: string;
  http: Http;
}

/** Downloads a file of the live site and compares its hash. @param query bypasses caches. */
export async function readLive(
  { url, http }: LiveSite,
  { path, size, hash }: SiteFile,
  query = '',
): Promise<LiveFile> {
  let why = '';
  for (const address of addressesOf(path)) {
    try {
      const { bytes, headers } = await http.send({
        method: 'GET',
        url: `${url}/${address}${query}`,
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
