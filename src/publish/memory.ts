import type { LoadedConfig } from '../config/load.ts';
import type { DealerConfig } from '../config/schema.ts';
import type { Store } from '../media/ports.ts';
import type { RecordFiles } from '../record/file.ts';
import { FolderRecords } from '../record/folder.ts';
import { Memory, type Recalled } from '../record/memory.ts';
import { fromPublic } from '../record/vehicle.ts';
import type { DealerMemory } from '../stock/load.ts';
import { PublishedSite } from './published-site.ts';
import { recordsFolder, storedRecords } from './records.ts';

export interface BuildMemoryOptions {
  cacheDir: string;
  /** What machines share, where they share anything. */
  store?: Store | undefined;
  /**
   * The published folder; undefined where what lies there is no site. Without this, nobody asks what
   * is published.
   */
  published?: { folder: string | undefined; signal?: AbortSignal | undefined } | undefined;
}

/** What a build remembers of its dealers, wherever it lies. */
export class BuildMemory implements AsyncDisposable {
  readonly #memory: Memory;
  readonly #site: PublishedSite | undefined;
  readonly #recalled = new Map<number, Recalled>();

  constructor(config: LoadedConfig, { cacheDir, store, published }: BuildMemoryOptions) {
    const site = published && new PublishedSite(config, published);
    const own: RecordFiles[] = [new FolderRecords(recordsFolder(cacheDir, config))];
    if (store && store.folder === undefined) own.push(storedRecords(store, config));
    this.#site = site;
    this.#memory = new Memory({
      site: config.site.url,
      own,
      ...(site && { published: (dealer) => site.of(dealer) }),
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

  /** The record that a dealer's vehicles were remembered by. */
  record(dealerId: number): Recalled['last'] {
    return this.#recalled.get(dealerId)?.last;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#site?.[Symbol.asyncDispose]();
  }
}
