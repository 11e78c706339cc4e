import path from 'node:path';
import type { z } from 'zod';
import { readIfThere } from '../lib/files/read.ts';
import { refuseOpenFiles } from '../lib/files/system-errors.ts';
import { matchingJson } from '../lib/json.ts';
import { fileHash, hasSum, sumIn, withSum } from './files.ts';
import { byFirst } from './pictures.ts';
import { type DealerRecord, LINES, pieceSchema, signedPieceSchema, VERSION } from './schema.ts';

/**
 * Maximum bytes of a piece of a record. Some hosts limit files to little more (src/config/hosts.ts). One piece
 * can contain 1,500 vehicles with 20 pictures each.
 */
const LARGEST_PIECE = 16 * 2 ** 20;
/** Maximum bytes of a piece without its lines. */
const AROUND = 1000;

/** File name of a record's piece, wherever it is stored. */
export const pieceName = (dealer: number, piece = 1): string =>
  piece === 1 ? `${dealer}.json` : `${dealer}-${piece}.json`;

/** A dealer's record as files. */
export interface WrittenRecord {
  /** Hash of the whole record: 132 bits of SHA-256. */
  hash: string;
  pieces: WrittenPiece[];
}

interface WrittenPiece {
  name: string;
  /** Checksum of the piece, for comparing its bytes. */
  sum: string;
  /** Created on first use if the record equals the earlier one. */
  readonly text: string;
}

const byVrm = (a: { vrm: string }, b: { vrm: string }): number => (a.vrm < b.vrm ? -1 : 1);

const inOrder = ({ dealer, list, ...record }: DealerRecord): DealerRecord => ({
  dealer,
  withdrawn: [...record.withdrawn].sort(byVrm),
  vehicles: [...record.vehicles].sort(byVrm),
  contents: [...record.contents].sort(byFirst),
  sources: [...record.sources].sort(byFirst),
  ...(list && { list }),
});

/** @param earlier a valid record. Entries that equal its entries are not checked again. */
function* linesOf(record: DealerRecord, earlier?: DealerRecord): Iterable<string> {
  const { dealer, withdrawn, vehicles, contents, sources, list } = inOrder(record);
  const earlierVehicles = new Map(earlier?.vehicles.map((one) => [one.vrm, one]));
  const earlierRows = new Map(
    [...(earlier?.contents ?? []), ...(earlier?.sources ?? [])].map((row) => [row[0], row]),
  );
  const line = (kind: keyof typeof LINES, data: unknown, before?: unknown): string => {
    if (before && isSame(data, before)) return JSON.stringify([kind, data]);
    const issue = LINES[kind].safeParse(data).error?.issues[0];
    if (!issue) return JSON.stringify([kind, data]);
    const place = [kind, ...issue.path].map(String).join('.');
    throw new Error(
      `No build could read the record of dealer ${dealer}: ${place}: ${issue.message}.`,
    );
  };
  yield line('head', { withdrawn, ...(list && { list }) });
  for (const one of vehicles) yield line('vehicle', one, earlierVehicles.get(one.vrm));
  for (const one of contents) yield line('content', one, earlierRows.get(one[0]));
  for (const one of sources) yield line('source', one, earlierRows.get(one[0]));
}

/**
 * A record as text, in pieces. The text does not depend on the order of the record's entries.
 *
 * @param options.largest maximum bytes of a piece.
 * @param options.read the record that was read. Its entries are not checked again.
 * @throws {Error} the record does not match the schema.
 */
export function writeRecord(
  record: DealerRecord,
  { largest = LARGEST_PIECE, read }: { largest?: number; read?: DealerRecord } = {},
): WrittenRecord {
  const pieces: string[][] = [];
  let space = 0;
  for (const line of linesOf(record, read)) {
    const bytes = Buffer.byteLength(line) + 2;
    if (space < bytes) {
      pieces.push([]);
      space = largest - AROUND;
    }
    pieces.at(-1)?.push(line);
    space -= bytes;
  }
  const { dealer } = record;
  const laterPieces = pieces
    .slice(1)
    .map((lines, index) => pieceText({ dealer, piece: index + 2 }, lines));
  // The first piece names the others, so pieces of different builds never make a record.
  const head = {
    dealer,
    piece: 1,
    ...(laterPieces.length > 0 && { rest: laterPieces.map(sumIn) }),
  };
  const texts = [pieceText(head, pieces[0] ?? []), ...laterPieces];
  return {
    hash: sumIn(texts[0] ?? ''),
    pieces: texts.map((text, index) => {
      return { name: pieceName(dealer, index + 1), sum: sumIn(text), text };
    }),
  };
}

/** Like {@link writeRecord}, but does not serialise an unchanged record again. */
export function writeUnlessRead(record: DealerRecord, read: GoodRecord | undefined): WrittenRecord {
  // The earlier record is already sorted.
  if (!read || !isSame(inOrder(record), read.record)) {
    return writeRecord(record, { read: read?.record });
  }
  let pieces: readonly WrittenPiece[] | undefined;
  return {
    hash: read.hash,
    pieces: read.pieces.map(({ name, sum }, index) => ({
      name,
      sum,
      get text() {
        pieces ??= writeRecord(record, { read: read.record }).pieces;
        return pieces[index]?.text ?? '';
      },
    })),
  };
}

/** Whether two values are serialised alike. A missing field differs from an undefined one. */
function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || !one || !other) return false;
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((each, index) => isSame(each, other[index]));
  }
  const keys = Object.keys(one);
  const others = Object.keys(other);
  return (
    keys.length === others.length &&
    Array.isArray(one) === Array.isArray(other) &&
    keys.every((key, index) => {
      return key === others[index] && isSame(one[key as never], other[key as never]);
    })
  );
}

function pieceText(
  head: Omit<z.infer<typeof pieceSchema>, 'version' | 'lines' | 'sum'>,
  lines: readonly string[],
): string {
  const opening = JSON.stringify({ version: VERSION, ...head }).slice(0, -1);
  return withSum(`${opening},"lines":[\n${lines.join(',\n')}\n]`);
}

/** A source of record files: a folder, a store, a site. */
export interface RecordFiles {
  /** @param name of a file, such as {@link pieceName}. */
  read(name: string): Promise<FoundFile>;
}

export type FoundFile =
  | { bytes: Uint8Array }
  /** `missing`: it does not exist. `unreachable`: the source cannot be read at all. */
  | { why: string; missing?: boolean; unreachable?: boolean };

const NONE: FoundFile = { why: 'there is none', missing: true };

/** Files in a folder of the cache, a shard or the published site on this disk. */
export const folderReader = (folder: string): RecordFiles => ({
  read: async (name) => {
    try {
      const bytes = readIfThere(path.join(folder, name));
      return bytes ? { bytes } : NONE;
    } catch (error) {
      refuseOpenFiles(error);
      return { why: `it cannot be read (${(error as NodeJS.ErrnoException).code})` };
    }
  },
});

export interface GoodRecord {
  record: DealerRecord;
  /** Hash of the whole record: the checksum of its first piece. */
  hash: string;
  pieces: readonly ReadPiece[];
}

/** A piece of a record as a file. With size and hash, lists contain files that are not on this disk. */
export interface ReadPiece extends Pick<WrittenPiece, 'name' | 'sum'> {
  size: number;
  /** See `fileHash`. */
  hash: string;
}

type ReadRecord =
  | GoodRecord
  /** `missing`: it does not exist. Otherwise it is unusable or could not be read. */
  | { why: string; missing?: boolean };

const DAMAGED = 'it is damaged or unrelated';

/** Reason for refusing a valid record that the times do not name. */
const OF_ANOTHER_NIGHT = 'it is from another build than times.json';

/**
 * Reads a dealer's record. If it has another version, or is incomplete or altered, the whole record is unusable,
 * and the result is the reason.
 *
 * @param options.signed hash of the record that a build has signed. Its lines are not checked again, because a build
 *   checks them before it writes and signs them.
 * @param options.isOnly whether only the signed record is read. Of another record, only the first piece is read.
 * @throws only errors of `files`.
 */
export async function readRecord(
  files: RecordFiles,
  dealer: number,
  { signed, isOnly = false }: { signed?: string | undefined; isOnly?: boolean } = {},
): Promise<ReadRecord> {
  const record = { dealer, withdrawn: [], vehicles: [], contents: [], sources: [] };
  const sums: string[] = [];
  const pieces: ReadPiece[] = [];
  for (let number = 1; number <= Math.max(1, sums.length); number++) {
    const name = pieceName(dealer, number);
    const file = await files.read(name);
    if ('why' in file) {
      return number === 1 ? file : { why: `its part ${number} cannot be read: ${file.why}` };
    }
    const { buffer, byteOffset, length } = file.bytes;
    const isSigned = signed !== undefined && signed === (sums[0] ?? sumIn(file.bytes));
    const bytes = Buffer.from(buffer, byteOffset, length);
    const schema = isSigned ? signedPieceSchema : pieceSchema;
    const piece = hasSum(bytes, sumIn(bytes)) ? matchingJson(bytes, schema) : undefined;
    if (piece?.dealer !== dealer || piece.piece !== number) return { why: DAMAGED };
    const { sum, rest = [] } = piece;
    if (number === 1) {
      if (isOnly && !isSigned) return { why: OF_ANOTHER_NIGHT };
      sums.push(sum, ...rest);
    } else if (sums[number - 1] !== sum) {
      return { why: `its part ${number} is from another build` };
    }
    if (!takeLines(record, piece.lines, isSigned)) return { why: DAMAGED };
    pieces.push({ name, sum, size: length, hash: fileHash(file.bytes) });
  }
  return { record, hash: sums[0] as string, pieces };
}

type Piece = z.infer<typeof pieceSchema>;

function takeLines(record: DealerRecord, lines: Piece['lines'], isSigned: boolean): boolean {
  const rows = {
    vehicle: record.vehicles as unknown[],
    content: record.contents as unknown[],
    source: record.sources as unknown[],
  };
  for (const [of, line] of lines) {
    const data = isSigned ? line : LINES[of].safeParse(line).data;
    if (!data) return false;
    if (of === 'head') Object.assign(record, data);
    else rows[of].push(data);
  }
  return true;
}
