import { AppError } from '../errors.ts';
import type { Http } from '../lib/http/http.ts';
import type { DeploySource, HostRun } from './host-api/types.ts';
import { addressBelow, isPage } from './live-site.ts';

/** Maximum number of URLs in one request (https://www.indexnow.org/documentation). */
const MAX_URLS = 10_000;

/** Excludes embedded pages, and pages that only the dealer uses. */
const isForSearch = (file: string): boolean =>
  isPage(file) && !/^embed\/|\/sticker\/index\.html$/.test(file);

/**
 * Reports changed pages to search engines, if a key is set. A failure is a warning: the site is online
 * without it.
 *
 * @param service URL of the IndexNow service.
 * @returns the number of reported pages. Undefined if there were none to report.
 */
export async function notifyIndexNow(
  service: string,
  { site, indexNow: key, changed }: Pick<DeploySource, 'site' | 'indexNow' | 'changed'>,
  http: Http,
  console: HostRun['console'],
): Promise<number | undefined> {
  if (site === undefined || key === undefined || changed.length === 0) return undefined;
  const pages = changed.filter(isForSearch);
  const addresses = pages.map((file) => `${site}/${addressBelow(file)}`);
  for (let done = 0; done < addresses.length; done += MAX_URLS) {
    const urlList = addresses.slice(done, done + MAX_URLS);
    const body = { host: new URL(site).host, key, keyLocation: `${site}/${key}.txt`, urlList };
    try {
      await http.send({
        method: 'POST',
        url: service,
        headers: { 'content-type': 'application/json; charset=utf-8' },
        body: JSON.stringify(body),
        what: 'the changed URLs',
      });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const why = `${error.message} ${error.why ?? ''}`.trim();
      console.warn(`Search engines were not notified of all changed pages: ${why}`);
      return done;
    }
  }
  return addresses.length;
}
