import { createHash } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { ServiceConfig } from '../config/schema.ts';
import type { Secret } from '../config/secret.ts';
import { type Answer, getAnswer } from './get-json.ts';

export interface MediaByDealerOptions {
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
 * GetMediaByDealer (interface 4.1) for one dealer, with `maxAge` by eleventy-fetch.
 *
 * eleventy-fetch is used in its safe form: with a function as source and a custom `requestId`, no part of
 * the URL reaches disk or debug output. It hides every failure behind a copy of any age, so failures are
 * recorded here and thrown to the caller, which decides on the fallback. It caches the received bytes,
 * which saves converting them to text again.
 *
 * @returns the records of the response, not yet parsed.
 * @throws like {@link getAnswer}.
 */
export async function getMediaByDealer(options: MediaByDealerOptions): Promise<unknown[]> {
  const { service, dealer, cacheDir, maxAge } = options;
  const subject = `dealer ${dealer.id} (${dealer.name})`;
  const url = new URL(`${service.baseUrl}/PublicAPI/GetMediaByDealer`);
  url.searchParams.set('dealerId', String(dealer.id));

  const request = (): Promise<Answer> =>
    getAnswer({ url, apiKey: dealer.apiKey, subject, service, signal: options.signal });
  if (maxAge === undefined) return (await request()).records;
  const origin = createHash('sha256').update(service.baseUrl).digest('hex').slice(0, 12);
  const requestId = `media-by-dealer-${dealer.id}-${origin}`;
  let response: Answer | undefined;
  let failure: unknown;
  const source = async (): Promise<Buffer> => {
    try {
      response = await request();
      return response.bytes;
    } catch (error) {
      failure = error;
      throw error;
    }
  };

  try {
    const bytes = await cached(source, { cacheDir, requestId, maxAge });
    if (failure === undefined) return response?.records ?? fromCopy(bytes);
  } catch {
    if (failure === undefined) {
      // The cached copy is damaged (eleventy-fetch's writes are not atomic): remove it and send a request.
      await removeCopies(cacheDir, requestId);
      return (await request()).records;
    }
  }
  throw failure;
}

/** The bytes of a response: a recent copy, otherwise the bytes of the source. */
async function cached(
  source: () => Promise<Buffer>,
  { cacheDir, requestId, maxAge }: { cacheDir: string; requestId: string; maxAge: string },
): Promise<unknown> {
  const { default: Fetch } = await import('@11ty/eleventy-fetch');
  return new Fetch.RemoteAssetCache(source, cacheDir, {
    requestId,
    type: 'buffer',
    duration: maxAge,
    formatUrlForDisplay: () => requestId,
    // The file name is derived from the custom id and contains no part of the URL.
    filenameFormat: (_id: string, hash: string) => `${requestId}-${hash.slice(0, 8)}`,
  }).fetch();
}

/** @throws the copy is damaged, or has another format. */
function fromCopy(copy: unknown): unknown[] {
  const value: unknown = Buffer.isBuffer(copy) ? JSON.parse(copy.toString('utf8')) : undefined;
  if (!Array.isArray(value)) throw new TypeError('no cached copy');
  return value;
}

async function removeCopies(cacheDir: string, requestId: string): Promise<void> {
  for (const name of await readdir(cacheDir).catch(() => [])) {
    if (name.startsWith(requestId)) await rm(path.join(cacheDir, name), { force: true });
  }
}
