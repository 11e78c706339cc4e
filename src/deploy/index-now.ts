import { AppError } from '../errors.ts';
import type { Http } from '../lib/http/http.ts';
import { NETLIFY_FORMS } from '../site/documents/netlify-forms.ts';
import { addressBelow } from './live.ts';

/** Most addresses of one post (https://www.indexnow.org/documentation). */
const MOST = 10_000;

export interface IndexNowOptions {
  /** Address of the IndexNow service. */
  address: string;
  /** Of the site, without a slash at the end. */
  site: string;
  key: string;
  /** Files of pages, below the site. */
  changed: readonly string[];
  http: Http;
}

/** Not so the page for what is not there, those within pages of others, and those for the dealer alone. */
const isForSearch = (file: string): boolean =>
  file.endsWith('.html') &&
  file !== '404.html' &&
  file !== NETLIFY_FORMS &&
  !/^(?:[^/]+\/){0,2}embed\/|^(?:[^/]+\/){2,3}sticker\//.test(file);

/** Number of reported addresses, and why some were not. */
export interface IndexNowResult {
  notified: number;
  problem?: string;
}

/** Reports changed pages to search engines. Never throws: the site is online without it. */
export async function notifyIndexNow(options: IndexNowOptions): Promise<IndexNowResult> {
  const { address, site, key, changed, http } = options;
  const pages = changed.filter(isForSearch);
  const addresses = pages.map((file) => `${site}/${encodeURI(addressBelow(file))}`);
  let notified = 0;
  while (notified < addresses.length) {
    const urlList = addresses.slice(notified, notified + MOST);
    const body = { host: new URL(site).host, key, keyLocation: `${site}/${key}.txt`, urlList };
    try {
      await http.send({
        method: 'POST',
        url: address,
        headers: { 'content-type': 'application/json; charset=utf-8' },
        body: JSON.stringify(body),
        what: 'the changed addresses',
      });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return { notified, problem: `${error.message} ${error.why ?? ''}`.trim() };
    }
    notified += urlList.length;
  }
  return { notified };
}
