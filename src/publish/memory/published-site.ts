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
export class PublishedSite implements AsyncDisposable {
  readonly #config: LoadedConfig;
  readonly #folder: string | undefined;
  readonly #inFolder: RecordFiles | undefined;
  /** Records at `site.url`. */
  readonly #online: RecordFiles;
  readonly #signal: AbortSignal | undefined;
  #files: Promise<SiteFiles> | undefined;
  #isOnline: Promise<boolean> | undefined;

  constructor(config: LoadedConfig, { folder, onRead, signal }: PublishedSiteOptions) {
    this.#config = config;
    this.#folder = folder;
    this.#inFolder = folder === undefined ? undefined : folderReader(path.join(folder, RECORDS));
    this.#online = {
      read: async (name) => {
        const result = await this.#readOnline(RECORDS + name);
        if ('bytes' in result) onRead?.(name, result.bytes);
        return result;
      },
    };
    this.#signal = signal;
  }

  /** The published records of a dealer. Reading them throws only if the build's signal aborts. */
  async of({ id, slug }: { id: number; slug: string }): Promise<PublishedRecords> {
    const folder = this.#folder;
    // A dealer's slug may have changed, but its record is named after its id.
    const files = [`${slug}/index.html`, RECORDS + pieceName(id)];
    const isHere = folder && files.some((file) => existsSync(path.join(folder, file)));
    if (this.#inFolder && isHere && !(await this.#isOutdated(folder))) {
      const dealerFiles = folderReader(path.join(folder, slug));
      // A dealer's page at least proves that the dealer is published.
      const list = async () => asLive(vehiclesIn(await dealerFiles.read('media.json')));
      return { files: this.#inFolder, list, isFolder: true };
    }
    const list = async () => vehiclesIn(await this.#readOnline(`${slug}/media.json`));
    return { files: this.#online, list };
  }

  /** Whether the build of this folder could not read the published site, but this build can. */
  async #isOutdated(folder: string): Promise<boolean> {
    const bytes = readIfReadable(path.join(folder, PUBLISHED_TIMES));
    if (!bytes || readTimes(bytes)?.first === undefined) return false;
    this.#isOnline ??= this.#online
      .read(TIMES)
      .then((result) => 'bytes' in result && readTimes(result.bytes) !== undefined);
    return this.#isOnline;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#files)?.[Symbol.asyncDispose]();
  }

  async #readOnline(name: string): Promise<FoundFile> {
    const { media, site } = this.#config;
    // Loads the HTTP client only if it is needed.
    this.#files ??= import('../../images/published/site-files.ts').then(
      ({ SiteFiles }) => new SiteFiles(site.url, '', media, this.#signal),
    );
    return (await this.#files).read(name);
  }
}
