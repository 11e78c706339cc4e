import path from 'node:path';
import type { LoadedConfig } from '../../config/load.ts';
import type { DealerConfig } from '../../config/schema.ts';
import { outputName } from '../../images/fingerprint.ts';
import type { MediaLineOptions } from '../../images/line/types.ts';
import { OutputNames } from '../../images/output-names.ts';
import type { Store } from '../../images/ports.ts';
import { entriesOf } from '../../lib/files/entries-of.ts';
import { type RecordFiles, readRecord } from '../../record/file.ts';
import { FolderRecords } from '../../record/folder.ts';
import { KnownPictures } from '../../record/known-pictures.ts';
import { Memory, type Recalled } from '../../record/memory.ts';
import { recordsFolder, storedRecords } from '../../record/published-records.ts';
import { fromPublic } from '../../record/vehicle.ts';
import type { DealerMemory, DealerStock } from '../../stock/load.ts';
import { MEDIA } from '../site-diff/listing.ts';
import { PublishedSite, type PublishedSiteOptions } from './published-site.ts';

export interface BuildMemoryOptions {
  cacheDir: string;
  /** Milliseconds since 1970; without it, the clock's. */
  now?: number;
  /** What machines share, where they share anything. */
  store?: Store | undefined;
  /**
   * The published folder; undefined where what lies there is no site. Without this, nobody asks what
   * is published.
   */
  published?: PublishedSiteOptions | undefined;
  /** For a build that leaves what is published where it is. */
  remote?:
    | {
        /** Which keys the published site must have been searched for, see `listMarkOf`. */
        searched: string;
        /** Files that it has lost. */
        lost: ReadonlySet<string>;
      }
    | undefined;
}

export type RememberedPictures = Required<
  Pick<MediaLineOptions, 'lastConfirmed' | 'usedByOthers'>
> & {
  known: KnownPictures;
  /** Outputs that the published site has; undefined where what is published is looked at. */
  published: PublishedOutputs | undefined;
};

export interface PublishedOutputs {
  /** Those that it has as they are known here. */
  asKnown: OutputNames;
  /** All that its records name. */
  all: OutputNames;
}

/**
 * Outputs that the other records of a cache name, and what killed runs noted: of other
 * configurations, and of dealers of this one that a build is not about.
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
    const files = new FolderRecords(folder, { isOwn: true });
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

/** What a build remembers of its dealers, wherever it lies. */
export class BuildMemory implements AsyncDisposable {
  readonly #memory: Memory;
  readonly #site: PublishedSite | undefined;
  readonly #recalled = new Map<number, Recalled>();
  readonly #folder: string;
  readonly #remote: BuildMemoryOptions['remote'];

  constructor(
    config: LoadedConfig,
    { cacheDir, now = Date.now(), store, published, remote }: BuildMemoryOptions,
  ) {
    this.#folder = recordsFolder(cacheDir, config);
    const site = published && new PublishedSite(config, published);
    const own: RecordFiles[] = [new FolderRecords(this.#folder, { isOwn: true })];
    if (store && store.folder === undefined) own.push(storedRecords(store, config));
    this.#site = site;
    this.#remote = remote;
    this.#memory = new Memory({
      site: config.site.url,
      now,
      own,
      ...(site && { published: (dealer) => site.of(dealer) }),
      lists: remote,
    });
  }

  /** What is known of a dealer before it is asked. */
  async of(dealer: LoadedConfig['dealers'][number] & DealerConfig): Promise<DealerMemory> {
    const recalled = await this.#memory.recall(dealer);
    this.#recalled.set(dealer.id, recalled);
    const { last, live, notes } = recalled;
    if (!last) return { last: undefined, live, notes };
    const { vehicles, withdrawn } = last.record;
    const good = {
      confirmed: last.confirmed,
      vehicles: vehicles.map((vehicle) => fromPublic(vehicle, dealer.id)),
      withdrawn,
    };
    return { last: good, live, notes };
  }

  /** What is remembered of the pictures of dealers that have something to stand on. */
  pictures(stock: readonly DealerStock[]): RememberedPictures {
    const known = new KnownPictures(this.#folder);
    const own = new Set<number>();
    const confirmed = new Map<string, number>();
    for (const { dealer, source } of stock) {
      if (source === 'none') continue;
      own.add(dealer.id);
      const last = this.record(dealer.id);
      known.adopt(String(dealer.id), last?.record);
      if (last) confirmed.set(String(dealer.id), Date.parse(last.confirmed));
    }
    return {
      known,
      lastConfirmed: (dealer) => confirmed.get(dealer),
      usedByOthers: () => otherOutputs(this.#folder, own),
      published: this.#remote && this.#publishedOutputs(known),
    };
  }

  /** What is published of a dealer, as far as it is believed. */
  published(dealerId: number): Recalled['published'] {
    return this.#recalled.get(dealerId)?.published;
  }

  /** The times that what is published was believed by, see `Memory.timesAt`. */
  async publishedTimes(): ReturnType<Memory['timesAt']> {
    return this.#site && this.#memory.timesAt(this.#site.online);
  }

  #publishedOutputs(known: KnownPictures): PublishedOutputs {
    const [asKnown, all] = [new OutputNames(), new OutputNames()];
    for (const { published } of this.#recalled.values()) {
      for (const [hash, , , , outputs] of published?.record.contents ?? []) {
        const suffixes = Object.keys(outputs);
        all.addPictures(suffixes, [hash]);
        // What a killed run made since, or what another dealer's record says of equal bytes, may differ.
        const now = known.contents.get(hash)?.outputs;
        const same = suffixes.filter(
          (suffix) => now?.[suffix] === outputs[suffix] && !this.#isLost(hash, suffix),
        );
        asKnown.addPictures(same, [hash]);
      }
    }
    return { asKnown, all };
  }

  #isLost(hash: string, suffix: string): boolean {
    const lost = this.#remote?.lost;
    return lost !== undefined && lost.size > 0 && lost.has(MEDIA + outputName(hash, suffix));
  }

  /** The record that a dealer's vehicles were remembered by. */
  record(dealerId: number): Recalled['last'] {
    return this.#recalled.get(dealerId)?.last;
  }

  /** Forgets what was recalled. */
  release(): void {
    this.#recalled.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#site?.[Symbol.asyncDispose]();
  }
}
