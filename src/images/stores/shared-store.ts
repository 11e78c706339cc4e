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
  /** The published thumbnails, where they are on this machine. */
  site: string | undefined;
  /** Dealers that this run is about. */
  dealers: ReadonlySet<string>;
  /** Names the configuration that the run is for. */
  configuration: string;
  /** Milliseconds since 1970. */
  now: number;
}

/** A source as far as its outputs go. */
type Planned = Pick<Source, 'key' | 'recipes'>;
type ContentOf = (key: string) => ({ hash: string } & ContentEntry) | undefined;

/**
 * A store that others see too: other machines, or the next run on an empty disk. What lies in it is
 * known from the rows of one record a dealer and from results that no run has taken in yet; no file
 * is ever asked for whether it exists. Where a record is wrong about that, the picture is made again.
 */
export class SharedStore {
  /** Outputs on this machine; what is brought is added. */
  intact: Intact = { outputs: new OutputNames(), published: new OutputNames(), lacks: false };
  /** Outputs that need not be made: here or there. */
  known: OutputNames = this.intact.outputs;
  readonly #options: SharedOptions;
  /** Outputs in the store. */
  #there = new OutputNames();

  private constructor(options: SharedOptions) {
    this.#options = options;
  }

  /**
   * Reads what the store has of the dealers.
   *
   * @param list called once all is known: says which outputs this machine has as they were made.
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
    // A folder is here and there at once.
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

  /** Notes the outputs of a source that is done. */
  arrived(recipes: readonly Recipe[], outcome: Outcome, byWorkers: boolean): void {
    if (!outcome.ok) return;
    const { entry, content } = outcome;
    for (const name of outputNames({ hash: entry.hash, ...content }, recipes)) {
      // What is made here, or was found here, is not there yet.
      if (byWorkers) this.#there.add(name);
      else if (!this.#there.has(name)) this.intact.outputs.add(name);
      this.known.add(name);
    }
  }

  /**
   * Brings planned outputs that only the store has, and gives it those that only this machine has.
   *
   * @returns how many the store does not have although its record says so.
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
            // What is there stays where it is put once, so it must go first.
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
   * Leaves the store as the plan says: removes what an earlier record knew and neither the plan nor
   * another record knows, and takes away what was for the workers. An output that a worker is just
   * putting is in no earlier record, so it stays. To be called once the records are in the store.
   */
  async clean(sources: readonly Planned[], contentOf: ContentOf): Promise<void> {
    const { store, dealers } = this.#options;
    if (!this.#isFolder) await this.#sweep(plannedNames(sources, contentOf));
    if (store.folder === undefined) {
      const left = await store.list(WORK);
      await store.remove(left.filter((name) => dealers.has(dealerOfWork(name))));
      return;
    }
    // Whole: a worker that was killed while it wrote leaves a file that no list names.
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

  /** Takes in what workers did for a run that did not come to its end. */
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
          // A folder was listed; what it does not hold is not there, whatever a result says.
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
    // Equal bytes of two dealers, or of a dealer in two configurations, are one output.
    const others = (await store.list('records/')).flatMap((name) => {
      const [, its = '', dealer] = /^records\/([^/]+)\/(\d+)\.json$/.exec(name) ?? [];
      if (dealer === undefined || (its === configuration && dealers.has(dealer))) return [];
      return [{ its, dealer: Number(dealer) }];
    });
    await pMap(
      others,
      async ({ its, dealer }) => {
        const read = await readRecord(recordsInStore(store, its), dealer);
        // It may name any of them.
        if ('why' in read) garbage.clear();
        else for (const name of outputNamesOf(read.record)) garbage.delete(name);
      },
      { concurrency: AT_ONCE },
    );
    await store.remove([...garbage].map((name) => `files/${name}`));
    for (const name of garbage) this.#there.delete(name);
  }
}

/** The names of all outputs that rows know. */
function* outputNamesOf({ contents }: PictureRows): Iterable<string> {
  for (const [hash, , , , outputs] of contents) {
    for (const suffix of Object.keys(outputs)) yield outputName(hash, suffix);
  }
}

/** All outputs that sources should have, of those whose bytes are known, with their fingerprints. */
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
