import { createHash } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import Fetch from '@11ty/eleventy-fetch';
import type { ServiceConfig } from '../config/schema.ts';
import type { Secret } from '../config/secret.ts';
import { GateError } from '../errors.ts';
import { getJson } from './get-json.ts';

export interface MediaByDealerOptions {
  service: ServiceConfig;
  dealer: { id: number; name: string; apiKey: Secret };
  /** Folder of eleventy-fetch's copies. */
  cacheDir: string;
  /**
   * How old a copy may be to be used without asking, in eleventy-fetch's form. Scheduled builds
   * always ask (`0s`); people who change templates do not want to wait (`1h`).
   */
  maxAge?: string;
  signal?: AbortSignal;
}

/** Our own name for the request: nothing of the address may reach the cache. */
function requestIdOf(baseUrl: string, dealerId: number): string {
  const origin = createHash('sha256').update(baseUrl).digest('hex').slice(0, 12);
  return `media-by-dealer-${dealerId}-${origin}`;
}

/**
 * GetMediaByDealer (interface 4.1) for one dealer, by way of eleventy-fetch.
 *
 * eleventy-fetch is used in its safe form: a function as source and a `requestId` of our own, so
 * that no part of the address reaches disk or debug output. It hides every failure behind a copy
 * of any age; so failures are noted here and thrown to the caller, who alone decides what stands in.
 *
 * @returns the array of the answer, its records not yet parsed.
 * @throws what {@link getJson} throws, and {@link GateError} where the body is no array.
 */
export async function getMediaByDealer(options: MediaByDealerOptions): Promise<unknown[]> {
  const { service, dealer, cacheDir, maxAge = '0s' } = options;
  const requestId = requestIdOf(service.baseUrl, dealer.id);
  const subject = `dealer ${dealer.id} (${dealer.name})`;
  const url = new URL(`${service.baseUrl}/PublicAPI/GetMediaByDealer`);
  url.searchParams.set('dealerId', String(dealer.id));

  let failure: unknown;
  const ask = async () => {
    try {
      const body = await getJson({
        url,
        apiKey: dealer.apiKey,
        subject,
        service,
        signal: options.signal,
      });
      if (Array.isArray(body)) return body as unknown[];
      throw new GateError({
        code: 'service-answer-no-array',
        what: `The service's answer for ${subject} is not a list of vehicles.`,
        why: 'The interface promises a JSON array.',
        fix: 'Check service.baseUrl; ask the vendor whether the operation has changed.',
      });
    } catch (error) {
      failure = error;
      throw error;
    }
  };
  const run = () =>
    new Fetch.RemoteAssetCache(ask, cacheDir, {
      requestId,
      type: 'json',
      duration: maxAge,
      formatUrlForDisplay: () => requestId,
      // A hash of our own id as file name; never anything of the address.
      filenameFormat: (_id: string, hash: string) => `${requestId}-${hash.slice(0, 8)}`,
    }).fetch() as Promise<unknown>;

  let answer: unknown;
  try {
    answer = await run();
  } catch {
    if (failure !== undefined) throw failure;
    // The copy is at fault (its writes are not atomic, so it may be torn): do without it.
    await removeCopies(cacheDir, requestId);
    answer = await ask();
  }
  if (failure !== undefined) throw failure;
  return answer as unknown[];
}

async function removeCopies(cacheDir: string, requestId: string): Promise<void> {
  for (const name of await readdir(cacheDir).catch(() => [])) {
    if (name.startsWith(requestId)) await rm(path.join(cacheDir, name), { force: true });
  }
}
