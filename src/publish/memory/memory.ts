import { statSync } from 'node:fs';
import path from 'node:path';
import type { LoadedConfig } from '../../config/load.ts';
import type { DealerConfig } from '../../config/schema.ts';
import type { SecretSearch } from '../../config/secret-search.ts';
import { OutputNames } from '../../images/output-names.ts';
import type { PipelineOptions } from '../../images/pipeline/types.ts';
import { entriesOf } from '../../lib/files/entries-of.ts';
import { folderReader, readRecord } from '../../record/file.ts';
import { KnownPictures } from '../../record/known-pictures.ts';
import { lastList } from '../../record/list.ts';
import { Memory, type MemoryOptions, type RecordedDealer } from '../../record/memory.ts';
import { recordsFolder } from '../../record/published-records.ts';
import { latestFirst, TIMES } from '../../record/times.ts';
import { fromPublic } from '../../record/vehicle.ts';
import type { DealerMemory, DealerStock } from '../../stock/dealer-stock.ts';
import { openPublishedSite, type PublishedSiteOptions } from './published-site.ts';

interface BuildMemoryOptions extends Pick<MemoryOptions, 'now' | 'lists'> {
  cacheDir: string;
  /** Location of the published site. Without it, published records are not read. */
  published?: PublishedSiteOptions;
}

export type RecordedPictures = Required<Pick<PipelineOptions, 'lastConfirmed' | 'usedByOthers'>> & {
  known: KnownPictures;
  /** Outputs of the published site that equal the known outputs. Undefined if the published folder is on this disk. */
  published: OutputNames | undefined;
};

/** Milliseconds after the last build of another configuration in which its outputs stay. */
const UNUSED_AFTER = 30 * 86_400_000;

/**
 * Outputs of other configurations and dealers, according to their records and journals in the cache. A configuration
 * that is no longer built, such as one with another URL, has none.
 *
 * @returns undefined if a record cannot be read.
 */
async function otherOutputs(
  ownFolder: string,
  except: ReadonlySet<number>,
  now: number,
): Promise<OutputNames | undefined> {
  const names = new OutputNames();
  for (const { name } of entriesOf(path.dirname(ownFolder))) {
    const folder = path.join(path.dirname(ownFolder), name);
    // Every build writes its times.
    const built = statSync(path.join(folder, TIMES), { throwIfNoEntry: false })?.mtimeMs ?? now;
    if (folder !== ownFolder && now - built > UNUSED_AFTER) continue;
    const files = folderReader(folder);
    const ids = entriesOf(folder).map((one) =>
      Number(/^(\d+)\.(?:json|journal)$/.exec(one.name)?.[1]),
    );
    for (const id of new Set(ids)) {
      if (Number.isNaN(id) || (folder === ownFolder && except.has(id))) continue;
      const result = await readRecord(files, id);
      if ('why' in result && !result.missing) return undefined;
      const known = new KnownPictures(folder);
      known.adopt(String(id), 'record' in result ? result.record : undefined);
      names.addRecorded(known.contents);
    }
  }
  return names;
}

/** The records of a build's dealers, read from the cache and the published site. */
export class BuildMemory implements AsyncDisposable {
  readonly #memory: Memory;
  readonly #site: ReturnType<typeof openPublishedSite> | undefined;
  readonly #recalled = new Map<number, RecordedDealer>();
  readonly #folder: string;
  readonly #isOnline: boolean;
  readonly #now: number;
  /** The latest `RecordedDealer.first` so far. */
  first: string | null | undefined;

  constructor(config: LoadedConfig, { cacheDir, now, published, lists }: BuildMemoryOptions) {
    this.#folder = recordsFolder(cacheDir, config);
    const site = published && openPublishedSite(config, published);
    this.#site = site;
    this.#isOnline = lists !== undefined;
    this.#now = now;
    this.#memory = new Memory({
      site: config.site.url,
      siteSecret: config.siteSecret,
      now,
      cached: folderReader(this.#folder),
      ...(site && { published: (dealer) => site.of(dealer) }),
      lists,
    });
  }

  /** The stored state of a dealer, before a request to the service. */
  async of(dealer: LoadedConfig['dealers'][number] & DealerConfig): Promise<DealerMemory> {
    const recalled = await this.#memory.recall(dealer);
    this.#recalled.set(dealer.id, recalled);
    const { last, live, first, notes } = recalled;
    this.first = latestFirst([this.first, first]);
    if (!last) return { last: undefined, live, notes };
    const { vehicles, withdrawn } = last.record;
    const snapshot = {
      confirmed: last.confirmed,
      vehicles: vehicles.map((vehicle) => fromPublic(vehicle, dealer.id)),
      withdrawn,
      list: lastList(last.record),
    };
    return { last: snapshot, live, notes };
  }

  /** See `Memory.publishedIds`. */
  get publishedIds(): ReadonlySet<number> {
    return this.#memory.publishedIds;
  }

  /** The recorded pictures of dealers with a usable response. */
  pictures(stock: readonly DealerStock[], search: SecretSearch): RecordedPictures {
    const known = new KnownPictures(this.#folder, search);
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
      usedByOthers: () => otherOutputs(this.#folder, chunkDealers, this.#now),
      published: this.#isOnline ? this.#publishedOutputs(known) : undefined,
    };
  }

  /** The published record of a dealer, if it is trusted. */
  published(dealerId: number): RecordedDealer['published'] {
    return this.#recalled.get(dealerId)?.published;
  }

  #publishedOutputs(known: KnownPictures): OutputNames {
    const names = new OutputNames();
    for (const { published } of this.#recalled.values()) {
      for (const [hash, , , , outputs] of published?.record.contents ?? []) {
        // Outputs can differ after a killed run, or if another dealer's record lists other outputs for the same bytes.
        const knownOutputs = known.contents.get(hash)?.outputs;
        const suffixes = Object.keys(outputs).filter(
          (suffix) => knownOutputs?.[suffix] === outputs[suffix],
        );
        names.addPictures(suffixes, [hash]);
      }
    }
    return names;
  }

  /** A dealer's previous record. */
  record(dealerId: number): RecordedDealer['last'] {
    return this.#recalled.get(dealerId)?.last;
  }

  /** Frees the loaded records. */
  release(): void {
    this.#recalled.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#site?.[Symbol.asyncDispose]();
  }
}
