import { existsSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import type { LoadedConfig } from '../../config/load.ts';
import type { SiteFiles } from '../../images/published/site-files.ts';
import { readIfReadable } from '../../lib/files/read.ts';
import { matchingJson } from '../../lib/json.ts';
import { type FoundFile, folderReader, pieceName, type RecordFiles } from '../../record/file.ts';
import { asLive, type PublishedRecords } from '../../record/memory.ts';
import { PUBLISHED_TIMES, RECORDS } from '../../record/published-records.ts';
import { readTimes, TIMES } from '../../record/times.ts';
import type { PublishedVehicles } from '../../stock/refusals.ts';

/** The used part of `DEALER/media.json` (site/documents/media-json.ts). */
const listSchema = z.object({
  version: z.literal(1),
  vehicles: z.array(z.object({ vrm: z.string().max(1000) })),
});

function vehiclesIn(result: FoundFile): PublishedVehicles {
  if ('why' in result) {
    return result.missing ? { state: 'absent' } : { state: 'unknown', why: result.why };
  }
  const list = matchingJson(result.bytes, listSchema);
  if (!list) return { state: 'unknown', why: 'its list is damaged or unrelated' };
  return { state: 'live', vrms: list.vehicles.map(({ vrm }) => vrm) };
}

export interface PublishedSiteOptions {
  /** The published folder. Undefined if the output folder does not contain a site, or if the site is read online. */
  folder: string | undefined;
  /** Receives the record files that were read from `site.url`. */
  onRead?: (name: string, bytes: Uint8Array) => void;
  signal?: AbortSignal;
}

/**
 * The published site, for each dealer: the published folder if it is on this disk, otherwise `site.url`. Most
 * builds run on a new machine, where `site.url` is the only source.
 */
export function openPublishedSite(
  { media, site }: LoadedConfig,
  { folder, onRead, signal }: PublishedSiteOptions,
) {
  let files: Promise<SiteFiles> | undefined;
  const readOnline = async (name: string): Promise<FoundFile> => {
    // Loads the HTTP client only if it is needed.
    files ??= import('../../images/published/site-files.ts').then(
      ({ SiteFiles }) => new SiteFiles(site.url, '', media, signal),
    );
    return (await files).read(name);
  };
  const online: RecordFiles = {
    read: async (name) => {
      const result = await readOnline(RECORDS + name);
      if ('bytes' in result) onRead?.(name, result.bytes);
      return result;
    },
  };
  const inFolder = folderReader(path.join(folder ?? '', RECORDS));

  let isOnline: Promise<boolean> | undefined;
  /** Whether the build of the folder could not read the published site, but this build can. */
  const isOutdated = async (bytes: Buffer | undefined): Promise<boolean> => {
    if (!bytes || readTimes(bytes)?.first === undefined) return false;
    isOnline ??= online
      .read(TIMES)
      .then((result) => 'bytes' in result && readTimes(result.bytes) !== undefined);
    return isOnline;
  };

  return {
    /** The published records of a dealer. Reading them throws only if the build's signal aborts. */
    of: async ({ id, slug }: { id: number; slug: string }): Promise<PublishedRecords> => {
      const inSite = (name: string) => path.join(folder ?? '', name);
      // A dealer's slug may have changed, but its record is named after its id.
      const pages = [`${slug}/index.html`, RECORDS + pieceName(id)];
      const isHere = folder !== undefined && pages.some((file) => existsSync(inSite(file)));
      if (isHere && !(await isOutdated(readIfReadable(inSite(PUBLISHED_TIMES))))) {
        const dealerFiles = folderReader(inSite(slug));
        // A dealer's page at least proves that the dealer is published.
        const list = async () => asLive(vehiclesIn(await dealerFiles.read('media.json')));
        return { files: inFolder, list, isFolder: true };
      }
      const list = async () => vehiclesIn(await readOnline(`${slug}/media.json`));
      return { files: online, list };
    },
    [Symbol.asyncDispose]: async () => {
      await (await files)?.[Symbol.asyncDispose]();
    },
  };
}
