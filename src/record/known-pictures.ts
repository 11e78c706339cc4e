import { appendFileSync, existsSync, mkdirSync, unlinkSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
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

/** What pages show of a picture: its entry without outputs. */
export type PictureContent = Omit<ContentEntry, 'outputs'>;

const NO_PICTURES: PictureRows = { sources: [], contents: [] };

/** The dealer that a source key belongs to. */
export const dealerOf = (key: string): string => key.slice(0, key.indexOf('/'));

/** Version of the journal's format, raised with any change of its rows. */
const VERSION = 1;

/** A finished picture. */
const journalRowSchema = z.tuple([
  z.literal(VERSION),
  /** Its key. */
  z.string(),
  /** Its former entry. */
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

/** The planned ones of a picture's outputs, sorted. Other dealers may use others of the same bytes. */
function outputsOf({ outputs }: ContentEntry, planned: readonly string[]): Fingerprints {
  const suffixes = Object.keys(outputs);
  const isInOrder = (suffix: string, index: number) =>
    index === 0 || (suffixes[index - 1] as string) < suffix;
  if (suffixes.every((suffix, index) => planned.includes(suffix) && isInOrder(suffix, index)))
    return outputs;
  const inOrder = suffixes.filter((suffix) => planned.includes(suffix)).sort();
  return Object.fromEntries(inOrder.map((suffix) => [suffix, outputs[suffix] as string]));
}

/** Whether any output has different fingerprints in the two. */
const differ = (one: Fingerprints, other: Fingerprints): boolean =>
  Object.entries(one).some(([suffix, print]) => suffix in other && other[suffix] !== print);

/**
 * The known pictures during a build: source → hash of its bytes → size, colour and fingerprints of its
 * outputs. It starts with the records. Each finished picture is appended to its dealer's journal at
 * once, so a killed run loses only the pictures in flight. A torn line of a journal is ignored.
 */
export class KnownPictures {
  readonly sources = new Map<string, SourceEntry>();
  readonly contents = new Map<string, ContentEntry>();
  readonly #folder: string | undefined;
  /** Contents of the records, by dealer. */
  readonly #adopted = new Map<string, PictureRows>();
  /** Whether anything differs from the records. */
  #isNew = false;
  /** When sources were requested since the last record, by key, in milliseconds since 1970. */
  readonly #asked = new Map<string, number>();
  /** Dealers whose journal ends with an incomplete line. */
  readonly #torn = new Set<string>();
  /** Sources in use, by dealer, with the suffixes of their planned outputs. */
  #shown = new Map<string, (readonly [key: string, suffixes: readonly string[]])[]>();

  /** @param folder of the journals. Without one, a killed run loses all its pictures. */
  constructor(folder?: string) {
    this.#folder = folder;
  }

  /** Dealers whose records were loaded. */
  get dealers(): ReadonlySet<string> {
    return new Set(this.#adopted.keys());
  }

  /**
   * Loads a dealer's record, and the journal of runs that ended before they wrote a record. A row of the
   * journal is used only if its former entry equals that of the record, which may have come from
   * another machine since.
   */
  adopt(dealer: string, { sources, contents }: PictureRows = NO_PICTURES): void {
    this.#adopted.set(dealer, { sources, contents });
    for (const row of contents) this.#setContent(row);
    for (const row of sources) this.sources.set(`${dealer}/${row[0]}`, fromSource(row));
    for (const [, key, before, now, content, at] of this.#readJournal(dealer)) {
      this.#setContent(content);
      const known = this.sources.get(key);
      const same = JSON.stringify(known ? toSource(key, known) : null) === JSON.stringify(before);
      if (same) this.#setSource(key, fromSource(now), at);
    }
  }

  /**
   * Records a finished source, in memory and in the journal.
   *
   * @param at when it was requested, milliseconds since 1970.
   */
  record(key: string, source: SourceEntry, content: ContentEntry, at = 0): void {
    const before = this.sources.get(key);
    const now = toSource(key, source);
    const bytes = toContent(source.hash, content);
    const row: JournalRow = [VERSION, key, before ? toSource(key, before) : null, now, bytes, at];
    this.#setSource(key, fromSource(now), at);
    this.#setContent(bytes);
    this.#append(dealerOf(key), JSON.stringify(row));
  }

  /** Records that a source was due to be checked and could not be requested. */
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

  /** When a source was requested since its dealer was last confirmed, such as by a killed run. */
  askedAt(key: string): number | undefined {
    return this.#asked.get(key);
  }

  /** The entries of a source and of its bytes. Undefined where they are not known. */
  known(key: string): { entry: SourceEntry; content: ContentEntry } | undefined {
    const entry = this.sources.get(key);
    const content = entry && this.contents.get(entry.hash);
    return content && { entry, content };
  }

  /**
   * Sets the sources in use and their planned outputs. Only these go into the next records.
   *
   * @param shown keys, with the suffixes of the names of their outputs.
   * @param asRecorded whether all of them, and all planned outputs of their bytes, are as in the records.
   */
  show(
    shown: Iterable<readonly [key: string, suffixes: readonly string[]]>,
    { asRecorded = false } = {},
  ): void {
    this.#shown = Map.groupBy(shown, ([key]) => dealerOf(key));
    this.#isNew ||= !asRecorded;
  }

  /** The rows for a dealer's record. They do not depend on the order in which pictures were finished. */
  rows(dealer: string): PictureRows {
    const shown = this.#shown.get(dealer) ?? [];
    const recorded = this.#adopted.get(dealer);
    // As many sources are in use as the record has, and nothing is new: the record's rows are right.
    if (recorded && !this.#isNew && shown.length === recorded.sources.length) return recorded;
    const sources = new Map<string, SourceRow>();
    const planned = new Map<string, readonly string[]>();
    for (const [key, suffixes] of shown) {
      const known = this.known(key);
      if (!known) continue;
      const { entry } = known;
      sources.set(key, toSource(key, entry));
      const others = planned.get(entry.hash);
      // Usually both are the same array.
      if (others !== suffixes)
        planned.set(entry.hash, others ? [...others, ...suffixes] : suffixes);
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
    this.#asked.set(key, at);
  }

  /** Dealers may know different outputs of the same bytes. */
  #setContent([hash, width, height, colour, outputs]: ContentRow): void {
    const known = this.contents.get(hash);
    const all = known ? { ...known.outputs, ...outputs } : outputs;
    if (known && differ(known.outputs, outputs)) this.#isNew = true;
    this.contents.set(hash, { width, height, colour, outputs: all });
  }

  #journal(dealer: string): string | undefined {
    return this.#folder && path.join(this.#folder, `${dealer}.journal`);
  }

  #append(dealer: string, body: string): void {
    const file = this.#journal(dealer);
    if (file === undefined) return;
    // After an incomplete line of a killed run, this one begins on a new line.
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

/** Removes the journals of dealers, once their records contain everything. */
export function removeJournals(folder: string, dealers: Iterable<string | number>): void {
  for (const dealer of dealers) {
    const file = path.join(folder, journalName(dealer));
    if (existsSync(file)) unlinkSync(file);
  }
}

const journalName = (dealer: string | number): string => `${dealer}.journal`;
