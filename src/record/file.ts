import { hash } from 'node:crypto';
import type { z } from 'zod';
import type { Withdrawn } from '../stock/withdrawn.ts';
import { type DealerRecord, LINES, pieceSchema, VERSION } from './schema.ts';

/**
 * Largest piece of a record, in bytes: hosts refuse files that are not much larger
 * (src/setup/hosts.ts). One is enough for 1,500 vehicles with 20 pictures each.
 */
const LARGEST_PIECE = 16 * 2 ** 20;
/** What is around the lines of a piece is shorter. */
const AROUND = 1000;

/** Names of a record's pieces, wherever it lies. */
export const pieceName = (dealer: number, piece = 1): string =>
  piece === 1 ? `${dealer}.json` : `${dealer}-${piece}.json`;

/** A dealer's record as files. */
export interface WrittenRecord {
  /** Names exactly this record: 132 bits of SHA-256. */
  hash: string;
  pieces: { name: string; text: string }[];
}

const sumOf = (text: string): string => hash('sha256', text, 'base64url').slice(0, 22);

const byFirst = (a: readonly [string, ...unknown[]], b: readonly [string, ...unknown[]]): number =>
  a[0] < b[0] ? -1 : 1;

function* linesOf(record: DealerRecord): Iterable<string> {
  const { counts, withdrawn, vehicles, contents, sources } = record;
  const byVrm = (a: { vrm: string }, b: { vrm: string }) => (a.vrm < b.vrm ? -1 : 1);
  const gone: Withdrawn[] = [...withdrawn].sort(byVrm);
  yield JSON.stringify(['head', { counts, withdrawn: gone }]);
  for (const one of [...vehicles].sort(byVrm)) yield JSON.stringify(['vehicle', one]);
  for (const one of [...contents].sort(byFirst)) yield JSON.stringify(['content', one]);
  for (const one of [...sources].sort(byFirst)) yield JSON.stringify(['source', one]);
}

/**
 * A record as text, in pieces: the same for the same knowledge, in whatever order it came.
 *
 * @param largest bytes of a piece.
 */
export function writeRecord(record: DealerRecord, largest = LARGEST_PIECE): WrittenRecord {
  const pieces: string[][] = [];
  let room = 0;
  for (const line of linesOf(record)) {
    const bytes = Buffer.byteLength(line) + 2;
    if (room < bytes) {
      pieces.push([]);
      room = largest - AROUND;
    }
    pieces.at(-1)?.push(line);
    room -= bytes;
  }
  const { dealer } = record;
  const written = pieces.map((lines, index) => {
    const head = { version: VERSION, dealer, piece: index + 1, of: pieces.length };
    const body = `${JSON.stringify(head).slice(0, -1)},"lines":[\n${lines.join(',\n')}\n]`;
    return {
      name: pieceName(dealer, index + 1),
      text: `${body},"sum":"${sumOf(body)}"}\n`,
    };
  });
  return { hash: hashOf(written.map(({ text }) => text)), pieces: written };
}

/** Names the record that these pieces are. */
const hashOf = (pieces: readonly string[]): string =>
  sumOf(pieces.map((text) => text.slice(-25, -3)).join());

/** Where the files of records are read from: a folder, a store, a site. */
export interface RecordFiles {
  /** @param name of a file, such as {@link pieceName}. */
  read(name: string): Promise<FoundFile>;
}

export type FoundFile =
  | { bytes: Uint8Array }
  /** `missing`: it does not exist; otherwise nobody knows. */
  | { why: string; missing?: boolean };

export type ReadRecord =
  | { record: DealerRecord; hash: string }
  /** `missing`: there is none; otherwise it cannot be used, or could not be asked for. */
  | { why: string; missing?: boolean };

const DAMAGED = 'it is damaged, or something else';

/**
 * Reads a dealer's record. One of another version, torn or altered is as if there were none, with
 * the reason; it is never partly used.
 *
 * @throws only what `files` throws.
 */
export async function readRecord(files: RecordFiles, dealer: number): Promise<ReadRecord> {
  const reader = new Reader(dealer);
  while (reader.next !== undefined) reader.take(await files.read(reader.next));
  return reader.result();
}

/** The same where files are read at once. */
export function readRecordAtOnce(read: (name: string) => FoundFile, dealer: number): ReadRecord {
  const reader = new Reader(dealer);
  while (reader.next !== undefined) reader.take(read(reader.next));
  return reader.result();
}

/** Puts a record together, piece by piece. */
class Reader {
  /** Name of the piece that is wanted next; undefined where no more is. */
  next: string | undefined;
  readonly #dealer: number;
  readonly #record: DealerRecord;
  readonly #texts: string[] = [];
  #fault: Extract<ReadRecord, { why: string }> | undefined;

  constructor(dealer: number) {
    this.#dealer = dealer;
    this.next = pieceName(dealer);
    const counts = { vehicles: NONE_RECEIVED, items: NO_ITEMS };
    this.#record = { dealer, counts, withdrawn: [], vehicles: [], contents: [], sources: [] };
  }

  take(found: FoundFile): void {
    const number = this.#texts.length + 1;
    this.next = undefined;
    if ('why' in found) {
      this.#fault = number === 1 ? found : { why: `its part ${number} is missing` };
      return;
    }
    const text = Buffer.from(found.bytes).toString('utf8');
    const piece = readPiece(text);
    if (typeof piece === 'string') {
      this.#fault = { why: piece };
      return;
    }
    const { dealer, piece: its, of, lines } = piece;
    if (dealer !== this.#dealer || its !== number || !takeLines(this.#record, lines)) {
      this.#fault = { why: DAMAGED };
      return;
    }
    this.#texts.push(text);
    if (number < of) this.next = pieceName(dealer, number + 1);
  }

  result(): ReadRecord {
    return this.#fault ?? { record: this.#record, hash: hashOf(this.#texts) };
  }
}

const NONE_RECEIVED = { received: 0, accepted: 0, quarantined: 0, duplicates: 0 };
const NO_ITEMS = { received: 0, accepted: 0, quarantined: 0, unknownType: 0 };

type Piece = z.infer<typeof pieceSchema>;

function readPiece(text: string): Piece | string {
  const body = text.slice(0, -33);
  if (text.slice(-33) !== `,"sum":"${sumOf(body)}"}\n`) return versionOf(text) ?? DAMAGED;
  try {
    const piece = pieceSchema.safeParse(JSON.parse(`${body}}`));
    return piece.data ?? versionOf(text) ?? DAMAGED;
  } catch {
    return DAMAGED;
  }
}

/** Said of what names another version, whatever else it holds. */
function versionOf(text: string): string | undefined {
  const version = /^\{"version":(\d+)[,}]/.exec(text)?.[1];
  if (version === undefined || version === String(VERSION)) return undefined;
  return 'another version of this program wrote it';
}

function takeLines(record: DealerRecord, lines: Piece['lines']): boolean {
  const rows = {
    vehicle: record.vehicles as unknown[],
    content: record.contents as unknown[],
    source: record.sources as unknown[],
  };
  for (const [of, line] of lines) {
    const { data } = LINES[of].safeParse(line);
    if (!data) return false;
    if (of === 'head') Object.assign(record, data);
    else rows[of].push(data);
  }
  return true;
}
