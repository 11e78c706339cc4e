import { existsSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import type { LoadedConfig } from '../../config/load.ts';
import { decideBounds, machine } from '../../images/bounds.ts';
import type { SiteFiles } from '../../images/published/site-files.ts';
import { readIfReadable } from '../../lib/files/read.ts';
import { FolderRecords, type FoundFile, pieceName, type RecordFiles } from '../../record/file.ts';
import { asLive, type PublishedRecords } from '../../record/memory.ts';
import { PUBLISHED_TIMES, RECORDS } from '../../record/published-records.ts';
import { readTimes, TIMES } from '../../record/times.ts';
import type { PublishedVehicles } from '../../stock/refusals.ts';

/** The part of `DEALER/media.json` (site/documents/media-json.ts) that is read here. */
const listSchema = z.object({
  version: z.literal(1),
  vehicles: z.array(z.object({ vrm: z.string().max(1000) })),
});

function vehiclesIn(found: FoundFile): PublishedVehicles {
  if ('why' in found) {
    return found.missing ? { state: 'absent' } : { state: 'unknown', why: found.why };
  }
  try {
    const { vehicles } = listSchema.parse(JSON.parse(Buffer.from(found.bytes).toString('utf8')));
    return { state: 'live', vrms: vehicles.map(({ vrm }) => vrm) };
  } catch {
    return { state: 'unknown', why: 'its list is damaged or unrelated' };
  }
}

export interface PublishedSiteOptions {
  /** The published folder. Undefined if the output folder holds no site, or if the site is read online. */
  folder: string | undefined;
  /** Receives the files of records that were read from `site.url`. */
  onRead?: ((name: string, bytes: Uint8Array) => void) | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * The published site, dealer by dealer: the published folder if it is on this disk, else
 * `site.url`. Nearly every build runs on a new machine, where `site.url` is the only source.
 */
export class PublishedSite implements AsyncDisposable {
  readonly #config: LoadedConfig;
  readonly #folder: string | undefined;
  readonly #inFolder: RecordFiles | undefined;
  /** Records at `site.url`. */
  readonly online: RecordFiles;
  readonly #signal: AbortSignal | undefined;
  #files: Promise<SiteFiles> | undefined;
  #isOnline: Promise<boolean> | undefined;

  constructor(config: LoadedConfig, { folder, onRead, signal }: PublishedSiteOptions) {
    this.#config = config;
    this.#folder = folder;
    this.#inFolder =
      folder === undefined ? undefined : new FolderRecords(path.join(folder, RECORDS));
    this.online = {
      read: async (name) => {
        const found = await this.#ask(RECORDS + name);
        if ('bytes' in found) onRead?.(name, found.bytes);
        return found;
      },
    };
    this.#signal = signal;
  }

  /** The published records of a dealer. Reading them throws only when the build's signal aborts. */
  async of({ id, slug }: { id: number; slug: string }): Promise<PublishedRecords> {
    const folder = this.#folder;
    // A dealer's slug may have changed; its record is found by its id.
    const signs = [`${slug}/index.html`, RECORDS + pieceName(id)];
    const isHere = folder && signs.some((file) => existsSync(path.join(folder, file)));
    if (this.#inFolder && isHere && !(await this.#isRefuted(folder))) {
      const dealerFiles = new FolderRecords(path.join(folder, slug));
      // A dealer's page shows at least that the dealer is published.
      const list = async () => asLive(vehiclesIn(await dealerFiles.read('media.json')));
      return { files: this.#inFolder, list, isFolder: true };
    }
    const list = async () => vehiclesIn(await this.#ask(`${slug}/media.json`));
    return { files: this.online, list };
  }

  /**
   * Whether the folder holds the site of a build that could not read the published site, which can be
   * read now.
   */
  async #isRefuted(folder: string): Promise<boolean> {
    const bytes = readIfReadable(path.join(folder, PUBLISHED_TIMES));
    if (!bytes || readTimes(bytes)?.first === undefined) return false;
    this.#isOnline ??= this.online
      .read(TIMES)
      .then((found) => 'bytes' in found && readTimes(found.bytes) !== undefined);
    return this.#isOnline;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#files)?.close();
  }

  async #ask(name: string): Promise<FoundFile> {
    this.#files ??= this.#open();
    return (await this.#files).read(name);
  }

  async #open(): Promise<SiteFiles> {
    // The HTTP client is loaded only when something is requested.
    const { SiteFiles } = await import('../../images/published/site-files.ts');
    const { media, site } = this.#config;
    const limits = { ...media, ...decideBounds(media, machine()) };
    return new SiteFiles(site.url, '', limits, this.#signal);
  }
}
