import { appendFileSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { GateError } from '../../errors.ts';
import { writeFileAtomic } from '../../files.ts';
import {
  type ContentEntry,
  type ContentRow,
  type DealerFile,
  dealerOf,
  fromContentRow,
  fromSourceRow,
  manifestName,
  readDealer,
  type SourceEntry,
  type SourceRow,
  sealed,
  toContentRow,
  toSourceRow,
  unsealed,
  VERSION,
  writeDealer,
} from './dealer-file.ts';
import type { OutputNames } from './output-names.ts';
import { readIfThere } from './read-if-there.ts';

export type { ContentEntry, SourceEntry };

/** One line of the journal. */
type JournalRow = [version: number, source: SourceRow, content: ContentRow];

/**
 * The media line's memory: source → hash of its bytes → what is known of them, the fingerprints of
 * their outputs among that. Which outputs exist is not in it; the store itself says that. Each dealer has a file; a finished picture is appended to
 * one journal at once, so a killed run loses only the pictures in flight. A torn file costs time,
 * never correctness: every line carries a checksum, and what does not fit is as if it were not there.
 */
export class Manifest {
  readonly sources = new Map<string, SourceEntry>();
  readonly contents = new Map<string, ContentEntry>();
  /** What was wrong with the files, to be told; empty where all was well. */
  readonly problems: string[] = [];
  readonly #folder: string;
  readonly #journal: string;
  /** Dealers whose file does not hold what is known. */
  readonly #dirty = new Set<string>();
  #journalTorn = false;
  /** How many sources of each dealer were known when they were let go of. */
  #released: Map<string, number> | undefined;
  /** The dealer that was asked for last since then. */
  #again: { dealer: string; file: Manifest } | undefined;

  private constructor(folder: string) {
    this.#folder = folder;
    this.#journal = path.join(folder, 'journal.ndjson');
  }

  /** Reads the manifests and the journal of a folder that may not exist yet. */
  static open(folder: string): Manifest {
    mkdirSync(path.join(folder, 'manifests'), { recursive: true });
    const manifest = new Manifest(folder);
    for (const name of readdirSync(path.join(folder, 'manifests')).sort()) {
      const dealer = /^(\d+)\.json$/.exec(name)?.[1];
      if (dealer !== undefined) manifest.#readFile(dealer);
    }
    manifest.#readJournal();
    return manifest;
  }

  /** Notes a finished source, in memory and in the journal. */
  record(key: string, source: SourceEntry, content: ContentEntry): void {
    const row: JournalRow = [VERSION, toSourceRow(key, source), toContentRow(source.hash, content)];
    this.#note(row[1], row[2]);
    // A line that a killed run left unfinished must not swallow this one.
    const start = this.#journalTorn ? '\n' : '';
    this.#journalTorn = false;
    appendFileSync(this.#journal, `${start}${sealed(JSON.stringify(row))}\n`);
  }

  /** Adds what another store knows of a dealer; of two entries the one that was asked for last. */
  adopt(file: DealerFile): void {
    const contents = new Map(file.contents.map((row) => [row[0], row]));
    for (const row of file.sources) {
      const [key, , , , checkedAt, hash] = row;
      const known = this.sources.get(key);
      const content = contents.get(hash);
      if (!content || (known && known.checkedAt >= checkedAt)) continue;
      this.#note(row, content);
    }
  }

  /** Whether it knows these sources and no others, each with bytes of its own. */
  isExactly(sources: readonly { key: string }[]): boolean {
    if (this.sources.size !== sources.length) return false;
    const hashes = new Set<string>();
    for (const { key } of sources) {
      const entry = this.sources.get(key);
      if (!entry) return false;
      hashes.add(entry.hash);
    }
    return hashes.size === sources.length;
  }

  /** What is known of a source and its bytes. @throws {GateError} its file is no longer as it was. */
  known(key: string): { entry: SourceEntry; content: ContentEntry } | undefined {
    const { sources, contents } = this.#released ? this.#readAgain(dealerOf(key)) : this;
    const entry = sources.get(key);
    const content = entry && contents.get(entry.hash);
    return content && { entry, content };
  }

  /**
   * Lets go of all that is known, once it is saved: of 400,000 pictures that is 120 MB. What
   * {@link known} is asked for is read again, a dealer at a time.
   */
  async release(): Promise<void> {
    await this.save();
    this.#released = this.#counts();
    this.sources.clear();
    this.contents.clear();
  }

  /** Dealers that anything is known of. */
  dealers(): Set<string> {
    return new Set(Array.from(this.sources.keys(), dealerOf));
  }

  /** Sources that are known although nothing plans them. */
  others(planned: ReadonlySet<string>): string[] {
    return [...this.sources.keys()].filter((key) => !planned.has(key));
  }

  /** Forgets sources, and contents that no source has, with the next {@link save}. */
  async forget(keys: readonly string[]): Promise<void> {
    if (keys.length === 0) return;
    const dealers = new Set(keys.map(dealerOf));
    if (this.#released) {
      const part = new Manifest(this.#folder);
      for (const dealer of dealers) part.#readFile(dealer);
      await part.forget(keys);
      await part.save();
      const left = part.#counts();
      for (const dealer of dealers) this.#released.set(dealer, left.get(dealer) ?? 0);
      this.#again = undefined;
      return;
    }
    for (const key of keys) this.sources.delete(key);
    for (const dealer of dealers) this.#dirty.add(dealer);
    const used = new Set(Array.from(this.sources.values(), ({ hash }) => hash));
    for (const hash of this.contents.keys()) if (!used.has(hash)) this.contents.delete(hash);
  }

  /**
   * Forgets outputs that are no longer there or planned, with the next {@link save}, except for the
   * pictures of some dealers.
   *
   * @param outputs those that are.
   */
  forgetOutputs(outputs: OutputNames, except: ReadonlySet<string>): void {
    const isOther = (key: string) => except.has(dealerOf(key));
    const others = new Set<string>();
    for (const [key, { hash }] of this.sources) if (isOther(key)) others.add(hash);
    for (const [key, { hash }] of this.sources) {
      const content = this.contents.get(hash);
      if (!content || others.has(hash)) continue;
      const there = outputs.endsOf(hash);
      const known = Object.entries(content.outputs);
      const left = known.filter(([end]) => there.includes(end));
      if (left.length === known.length) continue;
      this.contents.set(hash, { ...content, outputs: Object.fromEntries(left) });
      this.#dirty.add(dealerOf(key));
    }
  }

  /** What is known of some dealers, as it stands in their files. */
  dealerFiles(dealers: ReadonlySet<string>): Map<string, Omit<DealerFile, 'version'>> {
    const keys = Map.groupBy(this.sources.keys(), dealerOf);
    const known = [...dealers].filter((dealer) => keys.has(dealer));
    return new Map(known.map((dealer) => [dealer, this.#fileOf(keys.get(dealer) ?? [])]));
  }

  /** Writes the files of dealers of whom anything changed, each atomically; empties the journal. */
  async save(): Promise<void> {
    if (this.#dirty.size === 0) return;
    const keys = Map.groupBy(this.sources.keys(), dealerOf);
    for (const dealer of this.#dirty) {
      // One at a time: the rows of all dealers are as large as all that is known.
      const file = this.#fileOf(keys.get(dealer) ?? []);
      const target = path.join(this.#folder, manifestName(dealer));
      if (file.sources.length > 0) await writeFileAtomic(target, writeDealer(file));
      else rmSync(target, { force: true });
    }
    rmSync(this.#journal, { force: true });
    this.#dirty.clear();
  }

  #counts(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const key of this.sources.keys()) {
      const dealer = dealerOf(key);
      counts.set(dealer, (counts.get(dealer) ?? 0) + 1);
    }
    return counts;
  }

  /** Sources as they stand in a dealer's file, with the contents that they have. */
  #fileOf(keys: readonly string[]): Omit<DealerFile, 'version'> {
    const sources: SourceRow[] = [];
    const contents = new Map<string, ContentRow>();
    for (const key of keys) {
      const entry = this.sources.get(key);
      const content = entry && this.contents.get(entry.hash);
      if (entry) sources.push(toSourceRow(key, entry));
      if (entry && content) contents.set(entry.hash, toContentRow(entry.hash, content));
    }
    return { sources, contents: [...contents.values()] };
  }

  #readAgain(dealer: string): Manifest {
    if (this.#again?.dealer === dealer) return this.#again.file;
    const file = new Manifest(this.#folder);
    if (this.#released?.has(dealer)) file.#readFile(dealer);
    if (file.sources.size !== (this.#released?.get(dealer) ?? 0)) {
      throw new GateError({
        code: 'cache-changed',
        what: `What is known of the pictures of dealer ${dealer} is no longer as this build wrote it.`,
        why: 'Something else wrote to the cache folder, or the disk fails.',
        fix: 'Run the build again, and let nothing else write there.',
      });
    }
    this.#again = { dealer, file };
    return file;
  }

  #note(source: SourceRow, content: ContentRow): void {
    this.#set(source, content);
    this.#dirty.add(dealerOf(source[0]));
  }

  #set(source: SourceRow, content: ContentRow): void {
    this.sources.set(source[0], fromSourceRow(source));
    this.#setContent(content);
  }

  /** Dealers may know different outputs of the same bytes. */
  #setContent(row: ContentRow): void {
    this.contents.set(row[0], fromContentRow(row, this.contents.get(row[0])));
  }

  #readFile(dealer: string): void {
    const file = readDealer(
      readIfThere(path.join(this.#folder, manifestName(dealer)))?.toString('utf8') ?? '',
    );
    if (file === 'damaged') {
      this.problems.push(
        `The list of known pictures of dealer ${dealer} is damaged and is made anew.`,
      );
      return;
    }
    // Each row has texts of its own; where they are the same, one is enough for all that stay.
    const hashes = new Map<string, string>();
    for (const row of file?.contents ?? []) {
      this.#setContent(row);
      hashes.set(row[0], row[0]);
    }
    let date = '';
    for (const row of file?.sources ?? []) {
      const entry = fromSourceRow(row);
      if (entry.vehicleDate !== date) date = entry.vehicleDate;
      entry.vehicleDate = date;
      entry.hash = hashes.get(entry.hash) ?? entry.hash;
      this.sources.set(row[0], entry);
    }
  }

  #readJournal(): void {
    const raw = readIfThere(this.#journal)?.toString('utf8') ?? '';
    this.#journalTorn = raw !== '' && !raw.endsWith('\n');
    for (const line of raw.split('\n')) {
      const body = line === '' ? undefined : unsealed(line);
      if (body === undefined) continue;
      const [version, source, content]: JournalRow = JSON.parse(body);
      if (version === VERSION) this.#note(source, content);
    }
  }
}
