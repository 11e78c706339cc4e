import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import pMap from 'p-map';
import { readRecord } from '../../record/file.ts';
import { recordsInStore } from '../../record/folder.ts';
import { dealerOf, type KnownPictures } from '../../record/known-pictures.ts';
import type { ContentEntry, PictureRows } from '../../record/pictures.ts';
import { fingerprintOf, hashIn, outputName, suffixIn } from '../fingerprint.ts';
import { OutputNames } from '../output-names.ts';
import type { Source } from '../plan.ts';
import type { Outcome, Store } from '../ports.ts';
import { outputNames, outputSuffixes, type Recipe } from '../recipes.ts';
import { putOutput } from './folder.ts';
import type { Intact } from './intact-outputs.ts';
import { putOutputOnce } from './put-output-once.ts';
import { dealerOfWork, fromBytes, isResult, resultFileSchema, WORK } from './work-files.ts';

/** Objects that are read or written at the same time. */
const AT_ONCE = 16;

interface SharedOptions {
  store: Store;
  known: KnownPictures;
  /** Folder of the outputs on this machine. */
  folder: string;
  /** Folder of the published thumbnails, if it is on this machine. */
  site: string | undefined;
  /** Dealers that this run is about. */
  dealers: ReadonlySet<string>;
  /** Id of the configuration of the run. */
  configuration: string;
  /** Milliseconds since 1970. */
  now: number;
}

/** The parts of a source that its outputs depend on. */
type Planned = Pick<Source, 'key' | 'recipes'>;
type ContentOf = (key: string) => ({ hash: string } & ContentEntry) | undefined;

/**
 * A store that is shared with other machines, or with the next run on an empty disk. Its content is known
 * from one record a dealer and from results that no run has processed yet, without a request for each
 * file. If a record is wrong about that, the picture is made again.
 */
export class SharedStore {
  /** Outputs on this machine; downloaded ones are added. */
  intact: Intact = { outputs: new OutputNames(), published: new OutputNames(), lacks: false };
  /** Outputs that need not be made, as they are on this machine or in the store. */
  known: OutputNames = this.intact.outputs;
  readonly #options: SharedOptions;
  /** Outputs in the store. */
  #there = new OutputNames();

  private constructor(options: SharedOptions) {
    this.#options = options;
  }

  /**
   * Reads which outputs of the dealers the store has.
   *
   * @param list called once all records are read: finds the intact outputs of this machine.
   */
  static async open(
    store: Store,
    sources: readonly Planned[],
    {
      list,
      ...options
    }: Omit<SharedOptions, 'store' | 'dealers'> & { list: () => Promise<Intact> },
  ): Promise<SharedStore> {
    const dealers = new Set(sources.map(({ key }) => dealerOf(key)));
    const shared = new SharedStore({ ...options, store, dealers });
    if (!shared.#isFolder) await shared.#readRecords();
    await shared.#readResults();
    shared.intact = await list();
    const local = shared.intact.outputs;
    shared.known = local;
    // For a folder, this machine's outputs and the store's are the same.
    if (shared.#isFolder) shared.#there = local;
    else {
      shared.known = new OutputNames(local);
      for (const name of shared.#there) shared.known.add(name);
    }
    return shared;
  }

  get #isFolder(): boolean {
    return this.#options.store.folder !== undefined;
  }

  /** Records the outputs of a finished source. */
  arrived(recipes: readonly Recipe[], outcome: Outcome, byWorkers: boolean): void {
    if (!outcome.ok) return;
    const { entry, content } = outcome;
    for (const name of outputNames({ hash: entry.hash, ...content }, recipes)) {
      // Outputs that were made or found on this machine are not in the store yet.
      if (byWorkers) this.#there.add(name);
      else if (!this.#there.has(name)) this.intact.outputs.add(name);
      this.known.add(name);
    }
  }

  /**
   * Downloads planned outputs that only the store has, and uploads those that only this machine has.
   *
   * @returns how many the store lacks although its record lists them.
   */
  async exchange(sources: readonly Planned[], contentOf: ContentOf): Promise<number> {
    if (this.#isFolder) return 0;
    const planned = plannedNames(sources, contentOf);
    const { store, folder, site = folder, known } = this.#options;
    const { outputs: local, published } = this.intact;
    let lost = 0;
    await pMap(
      planned,
      async ([name, fingerprint]) => {
        if (local.has(name)) {
          if (this.#there.has(name)) return;
          const mine = await readFile(path.join(published.has(name) ? site : folder, name));
          const there = await putOutputOnce(store, name, mine);
          if (there.bytes !== mine) {
            await putOutput(folder, name, there.bytes, there.fingerprint);
            known.setFingerprint(hashIn(name), suffixIn(name), there.fingerprint);
            published.delete(name);
          }
          this.#there.add(name);
        } else if (this.#there.has(name)) {
          const bytes = await store.get(`files/${name}`);
          if (bytes && fingerprint !== undefined && fingerprintOf(bytes) === fingerprint) {
            await putOutput(folder, name, bytes, fingerprint);
            local.add(name);
          } else {
            lost++;
            // `once` leaves an existing object as it is, so a damaged one is removed first.
            if (bytes) await store.remove([`files/${name}`]);
            this.#there.delete(name);
            this.known.delete(name);
          }
        }
      },
      { concurrency: AT_ONCE },
    );
    return lost;
  }

  /**
   * Cleans the store: removes outputs of the earlier records that neither the plan nor another record
   * has, and the files for workers. An output that a worker is writing now is in no earlier record, so
   * it stays. To be called once the records are in the store.
   */
  async clean(sources: readonly Planned[], contentOf: ContentOf): Promise<void> {
    const { store, dealers } = this.#options;
    if (!this.#isFolder) await this.#sweep(plannedNames(sources, contentOf));
    if (store.folder === undefined) {
      const left = await store.list(WORK);
      await store.remove(left.filter((name) => dealers.has(dealerOfWork(name))));
      return;
    }
    // The whole folder, because a killed worker can leave an incomplete file that no list names.
    for (const dealer of dealers) {
      await rm(path.join(store.folder, WORK, dealer), { recursive: true, force: true });
    }
  }

  async #readRecords(): Promise<void> {
    const { store, dealers, configuration } = this.#options;
    const files = recordsInStore(store, configuration);
    await pMap(
      dealers,
      async (dealer) => {
        const read = await readRecord(files, Number(dealer));
        if ('why' in read) return;
        for (const name of outputNamesOf(read.record)) this.#there.add(name);
      },
      { concurrency: AT_ONCE },
    );
  }

  /** Processes results of workers for an interrupted run. */
  async #readResults(): Promise<void> {
    const { store, dealers, known, now } = this.#options;
    const names = (await store.list(WORK)).filter(
      (name) => isResult(name) && dealers.has(dealerOfWork(name)),
    );
    await pMap(
      names,
      async (name) => {
        const bytes = await store.get(name);
        for (const row of (bytes && fromBytes(resultFileSchema, bytes))?.outcomes ?? []) {
          if (!row.ok) continue;
          known.offer(row.key, row.entry, row.content, now);
          // A folder was listed, so its list is used rather than that of the result.
          if (!this.#isFolder) for (const one of row.outputs) this.#there.add(one);
        }
      },
      { concurrency: AT_ONCE },
    );
  }

  async #sweep(planned: ReadonlyMap<string, unknown>): Promise<void> {
    const { store, dealers, configuration } = this.#options;
    const garbage = new Set([...this.#there].filter((name) => !planned.has(name)));
    if (garbage.size === 0) return;
    // Two dealers, or one in two configurations, can share the outputs of equal bytes.
    const others = (await store.list('records/')).flatMap((name) => {
      const [, its = '', dealer] = /^records\/([^/]+)\/(\d+)\.json$/.exec(name) ?? [];
      if (dealer === undefined || (its === configuration && dealers.has(dealer))) return [];
      return [{ its, dealer: Number(dealer) }];
    });
    await pMap(
      others,
      async ({ its, dealer }) => {
        const read = await readRecord(recordsInStore(store, its), dealer);
        // An unreadable record may list any of them.
        if ('why' in read) garbage.clear();
        else for (const name of outputNamesOf(read.record)) garbage.delete(name);
      },
      { concurrency: AT_ONCE },
    );
    await store.remove([...garbage].map((name) => `files/${name}`));
    for (const name of garbage) this.#there.delete(name);
  }
}

/** The names of all outputs in a record's rows. */
function* outputNamesOf({ contents }: PictureRows): Iterable<string> {
  for (const [hash, , , , outputs] of contents) {
    for (const suffix of Object.keys(outputs)) yield outputName(hash, suffix);
  }
}

/** Names and fingerprints of all planned outputs of sources whose bytes are known. */
function plannedNames(
  sources: readonly Planned[],
  contentOf: ContentOf,
): Map<string, string | undefined> {
  const names = new Map<string, string | undefined>();
  for (const { key, recipes } of sources) {
    const content = contentOf(key);
    if (!content) continue;
    for (const suffix of outputSuffixes(content, recipes)) {
      names.set(outputName(content.hash, suffix), content.outputs[suffix]);
    }
  }
  return names;
}
