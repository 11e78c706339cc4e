import { appendFileSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import type { SecretSearch } from '../config/secret-search.ts';
import { withChecksum, withoutChecksum } from '../lib/files/checksum.ts';
import { readIfThere } from '../lib/files/read.ts';
import {
  byFirst,
  type ContentEntry,
  type ContentRow,
  contentRowSchema,
  type Fingerprints,
  type PictureRows,
  type SourceEntry,
  type SourceRow,
  sourceRowSchema,
} from './pictures.ts';

/** Data of a picture for pages: its entry without outputs. */
export type PictureContent = Omit<ContentEntry, 'outputs'>;

/** The dealer that a source key belongs to. */
export const dealerOf = (key: string): string => key.slice(0, key.indexOf('/'));

/** Version of the journal's format. Raise it with every change of its rows. */
const VERSION = 1;

/** A finished picture. */
const journalRowSchema = z.tuple([
  z.literal(VERSION),
  /** Its key. */
  z.string(),
  /** Its previous entry. */
  sourceRowSchema.nullable(),
  /** Its new entry. */
  sourceRowSchema,
  /** The entry of its bytes. */
  contentRowSchema,
  /** When it was requested, milliseconds since 1970. A journal stays on one machine. */
  z.number(),
]);

type JournalRow = z.infer<typeof journalRowSchema>;

const toSource = (key: string, { validator, vehicleDate, hash, stale }: SourceEntry): SourceRow => {
  const name = key.slice(key.indexOf('/') + 1);
  return stale ? [name, validator, vehicleDate, hash, 1] : [name, validator, vehicleDate, hash];
};

const fromSource = ([, validator, vehicleDate, hash, stale]: SourceRow): SourceEntry => ({
  validator,
  vehicleDate,
  hash,
  ...(stale && { stale: true }),
});

const toContent = (hash: string, { width, height, colour, outputs }: ContentEntry): ContentRow => [
  hash,
  width,
  height,
  colour,
  outputs,
];

/** A picture's planned outputs, sorted. Other dealers may use other outputs of the same bytes. */
function outputsOf({ outputs }: ContentEntry, planned: readonly string[]): Fingerprints {
  const suffixes = Object.keys(outputs);
  const isInOrder = (suffix: string, index: number) =>
    index === 0 || (suffixes[index - 1] as string) < suffix;
  if (suffixes.every((suffix, index) => planned.includes(suffix) && isInOrder(suffix, index)))
    return outputs;
  const inOrder = suffixes.filter((suffix) => planned.includes(suffix)).sort();
  return Object.fromEntries(inOrder.map((suffix) => [suffix, outputs[suffix] as string]));
}

const differ = (one: Fingerprints, other: Fingerprints): boolean =>
  Object.entries(one).some(([suffix, print]) => suffix in other && other[suffix] !== print);

/**
 * The known pictures during a build: source → hash of its bytes → size, colour and fingerprints of its outputs.
 * It starts with the records. Each finished picture is immediately appended to its dealer's journal, so a killed
 * run loses only unfinished pictures. Incomplete lines of a journal are ignored.
 */
export class KnownPictures {
  readonly sources = new Map<string, SourceEntry>();
  readonly contents = new Map<string, ContentEntry>();
  readonly #folder: string | undefined;
  readonly #search: SecretSearch | undefined;
  /** Contents of the records, by dealer. */
  readonly #adopted = new Map<string, PictureRows>();
  /** Whether anything differs from the records. */
  #isNew = false;
  /** Times of requests for sources since the last record, by key, in milliseconds since 1970. */
  readonly #requestTimes = new Map<string, number>();
  /** Dealers whose journal ends with an incomplete line. */
  readonly #torn = new Set<string>();
  /** Sources in use, by dealer, with the suffixes of their planned outputs. */
  #sourcesInUse = new Map<string, (readonly [key: string, suffixes: readonly string[]])[]>();

  /**
   * @param folder folder of the journals. Without it, a killed run loses all its pictures.
   * @param search rows with a key are not written to journals. Tags of pictures could contain one.
   */
  constructor(folder?: string, search?: SecretSearch) {
    this.#folder = folder;
    this.#search = search;
  }

  /**
   * Loads a dealer's record, and the journal of runs that ended before writing a record. A row of the journal is
   * used only if its previous entry equals the entry in the record, which may be from another machine.
   */
  adopt(dealer: string, { sources, contents }: PictureRows = { sources: [], contents: [] }): void {
    this.#adopted.set(dealer, { sources, contents });
    for (const row of contents) this.#setContent(row);
    for (const row of sources) this.sources.set(`${dealer}/${row[0]}`, fromSource(row));
    for (const [, key, before, source, content, at] of this.#readJournal(dealer)) {
      this.#setContent(content);
      const previousEntry = this.sources.get(key);
      const isUnchanged =
        JSON.stringify(previousEntry ? toSource(key, previousEntry) : null) ===
        JSON.stringify(before);
      if (isUnchanged) this.#setSource(key, fromSource(source), at);
    }
  }

  /**
   * Records a finished source, in memory and in the journal.
   *
   * @param at when it was requested, milliseconds since 1970.
   */
  record(key: string, source: SourceEntry, content: ContentEntry, at = 0): void {
    const before = this.sources.get(key);
    const newSource = toSource(key, source);
    const bytes = toContent(source.hash, content);
    const row: JournalRow = [
      VERSION,
      key,
      before ? toSource(key, before) : null,
      newSource,
      bytes,
      at,
    ];
    this.#setSource(key, fromSource(newSource), at);
    this.#setContent(bytes);
    this.#append(dealerOf(key), JSON.stringify(row));
  }

  /** Records that a due check of a source failed. */
  missed(key: string): void {
    const known = this.known(key);
    if (!known || known.entry.stale) return;
    this.record(key, { ...known.entry, stale: true }, known.content);
  }

  /** Corrects the fingerprint of an output, by the hash and the suffix of its name. */
  setFingerprint(hash: string, suffix: string, fingerprint: string): void {
    const content = this.contents.get(hash);
    if (!content) return;
    this.#isNew = true;
    this.contents.set(hash, { ...content, outputs: { ...content.outputs, [suffix]: fingerprint } });
  }

  /** When a source was requested after its dealer was last confirmed, for example by a killed run. */
  askedAt(key: string): number | undefined {
    return this.#requestTimes.get(key);
  }

  /** The entries of a source and of its bytes, if known. */
  known(key: string): { entry: SourceEntry; content: ContentEntry } | undefined {
    const entry = this.sources.get(key);
    const content = entry && this.contents.get(entry.hash);
    return content && { entry, content };
  }

  /**
   * Sets the sources in use and their planned outputs. The next records contain only these.
   *
   * @param shown keys, with the suffixes of the names of their outputs.
   * @param asRecorded whether all of them and their planned outputs are unchanged from the records.
   */
  show(
    shown: Iterable<readonly [key: string, suffixes: readonly string[]]>,
    { asRecorded = false } = {},
  ): void {
    this.#sourcesInUse = Map.groupBy(shown, ([key]) => dealerOf(key));
    this.#isNew ||= !asRecorded;
  }

  /** The rows for a dealer's record, in an order that does not depend on the run. */
  rows(dealer: string): PictureRows {
    const sourcesInUse = this.#sourcesInUse.get(dealer) ?? [];
    const recorded = this.#adopted.get(dealer);
    // If nothing is new and no source was removed, the rows have not changed.
    if (recorded && !this.#isNew && sourcesInUse.length === recorded.sources.length)
      return recorded;
    const sources = new Map<string, SourceRow>();
    const planned = new Map<string, readonly string[]>();
    for (const [key, suffixes] of sourcesInUse) {
      const known = this.known(key);
      if (!known) continue;
      const { entry } = known;
      sources.set(key, toSource(key, entry));
      const otherSuffixes = planned.get(entry.hash);
      // Usually both are the same array.
      if (otherSuffixes !== suffixes)
        planned.set(entry.hash, otherSuffixes ? [...otherSuffixes, ...suffixes] : suffixes);
    }
    const contents = Array.from(planned, ([hash, suffixes]): ContentRow => {
      const content = this.contents.get(hash) as ContentEntry;
      return toContent(hash, { ...content, outputs: outputsOf(content, suffixes) });
    });
    return { sources: [...sources.values()].sort(byFirst), contents: contents.sort(byFirst) };
  }

  #setSource(key: string, source: SourceEntry, at: number): void {
    this.#isNew = true;
    this.sources.set(key, source);
    this.#requestTimes.set(key, at);
  }

  /** Dealers may know different outputs of the same bytes. */
  #setContent([hash, width, height, colour, outputs]: ContentRow): void {
    const knownContent = this.contents.get(hash);
    const allOutputs = knownContent ? { ...knownContent.outputs, ...outputs } : outputs;
    if (knownContent && differ(knownContent.outputs, outputs)) this.#isNew = true;
    this.contents.set(hash, { width, height, colour, outputs: allOutputs });
  }

  #journal(dealer: string): string | undefined {
    return this.#folder && journalIn(this.#folder, dealer);
  }

  #append(dealer: string, body: string): void {
    const file = this.#journal(dealer);
    if (file === undefined || this.#search?.isIn(Buffer.from(body))) return;
    // Starts a new line after an incomplete line of a killed run.
    const line = `${this.#torn.delete(dealer) ? '\n' : ''}${withChecksum(body)}\n`;
    try {
      appendFileSync(file, line);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      mkdirSync(path.dirname(file), { recursive: true });
      appendFileSync(file, line);
    }
  }

  *#readJournal(dealer: string): Iterable<JournalRow> {
    const file = this.#journal(dealer);
    const text = (file && readIfThere(file)?.toString('utf8')) ?? '';
    if (text !== '' && !text.endsWith('\n')) this.#torn.add(dealer);
    for (const line of text.split('\n')) {
      const body = line === '' ? undefined : withoutChecksum(line);
      if (body === undefined) continue;
      const row = journalRowSchema.safeParse(JSON.parse(body)).data;
      if (row) yield row;
    }
  }
}

/** Removes the journals of dealers, after their records were written. */
export function removeJournals(folder: string, dealers: Iterable<string | number>): void {
  for (const dealer of dealers) rmSync(journalIn(folder, dealer), { force: true });
}

const journalIn = (folder: string, dealer: string | number): string =>
  path.join(folder, `${dealer}.journal`);
