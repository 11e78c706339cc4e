import path from 'node:path';
import type { LoadedConfig } from '../../config/load.ts';
import type { DealerConfig } from '../../config/schema.ts';
import type { MediaLineOptions } from '../../images/line/types.ts';
import { OutputNames } from '../../images/output-names.ts';
import { entriesOf } from '../../lib/files/entries-of.ts';
import { FolderRecords, readRecord } from '../../record/file.ts';
import { KnownPictures } from '../../record/known-pictures.ts';
import { lastList } from '../../record/list.ts';
import { Memory, type RecordedDealer } from '../../record/memory.ts';
import { recordsFolder } from '../../record/published-records.ts';
import { latestFirst } from '../../record/times.ts';
import { fromPublic } from '../../record/vehicle.ts';
import type { DealerMemory, DealerStock } from '../../stock/load.ts';
import { PublishedSite, type PublishedSiteOptions } from './published-site.ts';

export interface BuildMemoryOptions {
  cacheDir: string;
  /** Milliseconds since 1970. Without it, the clock's. */
  now?: number;
  /** Where the published site is. Without this, published records are not read. */
  published?: PublishedSiteOptions | undefined;
  /** For a change set: mark of the keys that the published site must have been searched for, see `listMarkOf`. */
  lists?: { searched: string } | undefined;
}

export type RecordedPictures = Required<
  Pick<MediaLineOptions, 'lastConfirmed' | 'usedByOthers'>
> & {
  known: KnownPictures;
  /**
   * Outputs of the published site whose bytes equal those known here. Undefined if the published folder is on
   * this disk.
   */
  published: OutputNames | undefined;
};

/**
 * Outputs named by other records of the cache, and by notes of killed runs: those of other
 * configurations, and of dealers that this build does not include.
 *
 * @returns undefined where one of them cannot be read.
 */
async function otherOutputs(
  own: string,
  except: ReadonlySet<number>,
): Promise<OutputNames | undefined> {
  const names = new OutputNames();
  for (const { name } of entriesOf(path.dirname(own))) {
    const folder = path.join(path.dirname(own), name);
    const files = new FolderRecords(folder);
    const ids = entriesOf(folder).map((one) =>
      Number(/^(\d+)\.(?:json|journal)$/.exec(one.name)?.[1]),
    );
    for (const id of new Set(ids)) {
      if (Number.isNaN(id) || (folder === own && except.has(id))) continue;
      const read = await readRecord(files, id);
      if ('why' in read && !read.missing) return undefined;
      const known = new KnownPictures(folder);
      known.adopt(String(id), 'record' in read ? read.record : undefined);
      for (const [hash, { outputs }] of known.contents) {
        names.addPictures(Object.keys(outputs), [hash]);
      }
    }
  }
  return names;
}

/** The records of a build's dealers, read from the cache and the published site. */
export class BuildMemory implements AsyncDisposable {
  readonly #memory: Memory;
  readonly #site: PublishedSite | undefined;
  readonly #recalled = new Map<number, RecordedDealer>();
  readonly #folder: string;
  readonly #isOnline: boolean;
  #first: string | null | undefined;

  constructor(
    config: LoadedConfig,
    { cacheDir, now = Date.now(), published, lists }: BuildMemoryOptions,
  ) {
    this.#folder = recordsFolder(cacheDir, config);
    const site = published && new PublishedSite(config, published);
    this.#site = site;
    this.#isOnline = lists !== undefined;
    this.#memory = new Memory({
      site: config.site.url,
      siteSecret: config.siteSecret,
      now,
      cached: new FolderRecords(this.#folder),
      ...(site && { published: (dealer) => site.of(dealer) }),
      lists,
    });
  }

  /** What the records say of a dealer, before its service is asked. */
  async of(dealer: LoadedConfig['dealers'][number] & DealerConfig): Promise<DealerMemory> {
    const recalled = await this.#memory.recall(dealer);
    this.#recalled.set(dealer.id, recalled);
    const { last, live, first, notes } = recalled;
    this.#first = latestFirst([this.#first, first]);
    if (!last) return { last: undefined, live, notes };
    const { vehicles, withdrawn } = last.record;
    const good = {
      confirmed: last.confirmed,
      vehicles: vehicles.map((vehicle) => fromPublic(vehicle, dealer.id)),
      withdrawn,
      list: lastList(last.record),
    };
    return { last: good, live, notes };
  }

  /** The latest `RecordedDealer.first` so far. */
  get first(): string | null | undefined {
    return this.#first;
  }

  /** What the records say of the pictures of dealers that have a usable answer. */
  pictures(stock: readonly DealerStock[]): RecordedPictures {
    const known = new KnownPictures(this.#folder);
    const chunkDealers = new Set<number>();
    const confirmed = new Map<string, number>();
    for (const { dealer, source } of stock) {
      if (source === 'none') continue;
      chunkDealers.add(dealer.id);
      const last = this.record(dealer.id);
      known.adopt(String(dealer.id), last?.record);
      if (last) confirmed.set(String(dealer.id), Date.parse(last.confirmed));
    }
    return {
      known,
      lastConfirmed: (dealer) => confirmed.get(dealer),
      usedByOthers: () => otherOutputs(this.#folder, chunkDealers),
      published: this.#isOnline ? this.#publishedOutputs(known) : undefined,
    };
  }

  /** The published record of a dealer, if it is trusted. */
  published(dealerId: number): RecordedDealer['published'] {
    return this.#recalled.get(dealerId)?.published;
  }

  #publishedOutputs(known: KnownPictures): OutputNames {
    const asKnown = new OutputNames();
    for (const { published } of this.#recalled.values()) {
      for (const [hash, , , , outputs] of published?.record.contents ?? []) {
        // A killed run may have made other outputs since, or another dealer's record may list others for equal bytes.
        const now = known.contents.get(hash)?.outputs;
        const same = Object.keys(outputs).filter((suffix) => now?.[suffix] === outputs[suffix]);
        asKnown.addPictures(same, [hash]);
      }
    }
    return asKnown;
  }

  /** The record that a dealer's former vehicles were read from. */
  record(dealerId: number): RecordedDealer['last'] {
    return this.#recalled.get(dealerId)?.last;
  }

  /** Frees the records that were read. */
  release(): void {
    this.#recalled.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#site?.[Symbol.asyncDispose]();
  }
}
