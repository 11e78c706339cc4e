import { crc32 } from 'node:zlib';
import { type Fingerprints, outputName } from './fingerprint.ts';

/** What is known of one source: a picture of a vehicle at an address. */
export interface SourceEntry {
  etag: string | undefined;
  lastModified: string | undefined;
  /** `dateUpdated` of its vehicle when it was last asked for. */
  vehicleDate: string;
  /** When it was last asked for, milliseconds since 1970. */
  checkedAt: number;
  /** Hash of its bytes: a key of `contents`. */
  hash: string;
}

/** What pages must know of bytes. */
export interface Picture {
  width: number;
  height: number;
  colour: string;
}

/** What is known of bytes, whoever's they are. */
export interface ContentEntry extends Picture {
  /** Its outputs as they were made. */
  outputs: Fingerprints;
}

// Rows rather than objects: half the bytes, and half the time to read 20,000 of them.
export type SourceRow = [
  key: string,
  etag: string | null,
  lastModified: string | null,
  vehicleDate: string,
  checkedAt: number,
  hash: string,
];
export type ContentRow = [
  hash: string,
  width: number,
  height: number,
  colour: string,
  outputs: Fingerprints,
];

/** The manifest of one dealer. */
export interface DealerFile {
  version: number;
  sources: SourceRow[];
  contents: ContentRow[];
}

/** The form of a manifest. Raised together with any change of the rows. */
export const VERSION = 3;

export const toSourceRow = (key: string, s: SourceEntry): SourceRow => [
  key,
  s.etag ?? null,
  s.lastModified ?? null,
  s.vehicleDate,
  s.checkedAt,
  s.hash,
];

export const fromSourceRow = (row: SourceRow): SourceEntry => ({
  etag: row[1] ?? undefined,
  lastModified: row[2] ?? undefined,
  vehicleDate: row[3],
  checkedAt: row[4],
  hash: row[5],
});

export const toContentRow = (hash: string, c: ContentEntry): ContentRow => [
  hash,
  c.width,
  c.height,
  c.colour,
  c.outputs,
];

/** What a row says of bytes, with what is known of other outputs of them. */
export const fromContentRow = (
  [, width, height, colour, outputs]: ContentRow,
  known?: ContentEntry,
): ContentEntry => ({
  width,
  height,
  colour,
  outputs: known ? { ...known.outputs, ...outputs } : outputs,
});

/** The dealer that a source key belongs to. */
export const dealerOf = (key: string): string => key.slice(0, key.indexOf('/'));

/** Where the manifest of a dealer lies, in a folder or another store. */
export const manifestName = (dealer: string): string => `manifests/${dealer}.json`;

/** Against torn files, not against people: CRC-32 reads 5 MB in 2 ms where SHA-256 takes 10. */
const checksum = (body: string): string => crc32(body).toString(16).padStart(8, '0');

/** A line with its checksum before it. */
export const sealed = (body: string): string => `${checksum(body)} ${body}`;

/** What {@link sealed} was given; undefined where a byte is not as it was. */
export function unsealed(line: string): string | undefined {
  const body = line.slice(9);
  return line.slice(0, 9) === `${checksum(body)} ` ? body : undefined;
}

const byFirst = (a: readonly [string, ...unknown[]], b: readonly [string, ...unknown[]]): number =>
  a[0] < b[0] ? -1 : 1;

/** A dealer's manifest as text: the same for the same knowledge, in whatever order it came. */
export function writeDealer(file: Omit<DealerFile, 'version'>): string {
  const { sources, contents } = file;
  return sealed(
    JSON.stringify({
      version: VERSION,
      sources: sources.toSorted(byFirst),
      contents: contents.toSorted(byFirst),
    }),
  );
}

/**
 * Reads what {@link writeDealer} wrote. The checksum vouches for the form: this is our own writing,
 * and checking rows costs 0.1 s.
 *
 * @returns 'damaged' where the text is torn, undefined where it is of another version.
 */
export function readDealer(text: string): DealerFile | 'damaged' | undefined {
  const body = unsealed(text);
  if (body === undefined) return 'damaged';
  const file: DealerFile = JSON.parse(body);
  return file.version === VERSION ? file : undefined;
}

/** The names of all outputs that a manifest knows. */
export function* outputNamesOf({ contents }: Pick<DealerFile, 'contents'>): Iterable<string> {
  for (const [hash, , , , outputs] of contents) {
    for (const end of Object.keys(outputs)) yield outputName(hash, end);
  }
}
