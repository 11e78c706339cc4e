import { hash } from 'node:crypto';
import type { AssetCache } from '@11ty/eleventy-fetch';
import type { ServiceConfig } from '../config/schema.ts';
import type { Secret } from '../config/secret.ts';
import { getAnswer } from './get-json.ts';

interface MediaByDealerOptions {
  service: ServiceConfig;
  dealer: { id: number; name: string; apiKey: Secret };
  /** Folder of eleventy-fetch's cached copies. */
  cacheDir: string;
  /**
   * Maximum age of a copy that is used without a request, in eleventy-fetch's form. Template authors do not want to
   * wait (`1h`). Without it, as in scheduled builds, a request is always sent, and no copy is stored.
   */
  maxAge?: string;
  signal?: AbortSignal;
}

/**
 * GetMediaByDealer (interface 4.1) for one dealer, with `maxAge` from a copy of eleventy-fetch.
 *
 * eleventy-fetch only stores copies: it gets a custom id and the received bytes, so no part of the URL reaches disk or
 * debug output. It would answer every failure with a copy of any age. The caller decides on the fallback.
 *
 * @returns the records of the response, not yet parsed.
 * @throws like {@link getAnswer}.
 */
export async function getMediaByDealer(options: MediaByDealerOptions): Promise<unknown[]> {
  const { service, dealer, cacheDir, maxAge, signal } = options;
  const subject = `dealer ${dealer.id} (${dealer.name})`;
  const url = new URL(`${service.baseUrl}/PublicAPI/GetMediaByDealer`);
  url.searchParams.set('dealerId', String(dealer.id));
  const request = () => getAnswer({ url, apiKey: dealer.apiKey, subject, service, signal });
  if (maxAge === undefined) return (await request()).records;
  const { default: Fetch } = await import('@11ty/eleventy-fetch');
  const origin = hash('sha256', service.baseUrl).slice(0, 12);
  const id = `media-by-dealer-${dealer.id}-${origin}`;
  const copy = new Fetch.AssetCache(id, cacheDir, {
    filenameFormat: (_id: string, idHash: string) => `${id}-${idHash.slice(0, 8)}`,
  });
  const records = recordsIn(copy, maxAge);
  if (records) return records;
  const response = await request();
  // Without a copy, for example on a full disk, the next request takes longer.
  await copy.save(response.bytes, 'buffer').catch(() => {});
  return response.records;
}

/** The records in a recent copy. Undefined without one, or if it is damaged: eleventy-fetch's writes are not atomic. */
function recordsIn(copy: AssetCache, maxAge: string): unknown[] | undefined {
  try {
    if (!copy.isCacheValid(maxAge)) return undefined;
    const value: unknown = JSON.parse(String(copy.getCachedValue()));
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
