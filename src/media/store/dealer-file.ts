import { crc32 } from 'node:zlib';

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

/** What is known of bytes, whoever's they are. */
export interface ContentEntry {
  width: number;
  height: number;
  colour: string;
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
export type ContentRow = [hash: string, width: number, height: number, colour: string];
/** Outputs of some bytes: what follows the hash in their names, as places in `ends`. */
export type OutputRow = [hash: string, ...ends: number[]];

/** The manifest of one dealer. */
export interface DealerFile {
  version: number;
  sources: SourceRow[];
  contents: ContentRow[];
  /** Only where the store is not a folder, which would be listed. */
  outputs?: { ends: string[]; rows: OutputRow[] };
}

/** The form of a manifest. Raised together with any change of the rows. */
export const VERSION = 2;

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
];

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
  const { sources, contents, outputs } = file;
  return sealed(
    JSON.stringify({
      version: VERSION,
      sources: sources.toSorted(byFirst),
      contents: contents.toSorted(byFirst),
      ...(outputs && { outputs }),
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

/** Outputs by their names, as they stand in a manifest: sorted, each end written once. */
export function toOutputRows(names: Iterable<string>): NonNullable<DealerFile['outputs']> {
  const places = new Map<string, number>();
  const byHash = new Map<string, number[]>();
  for (const name of [...names].sort()) {
    // `aa/` and the other 18 digits of the hash.
    const end = name.slice(21);
    let place = places.get(end);
    if (place === undefined) {
      place = places.size;
      places.set(end, place);
    }
    const hash = name.slice(0, 2) + name.slice(3, 21);
    const known = byHash.get(hash);
    if (known) known.push(place);
    else byHash.set(hash, [place]);
  }
  return { ends: [...places.keys()], rows: [...byHash].map(([hash, ends]) => [hash, ...ends]) };
}

/** The names that {@link toOutputRows} was given. */
export function* outputNamesOf({ outputs }: DealerFile): Iterable<string> {
  for (const [hash, ...ends] of outputs?.rows ?? []) {
    for (const end of ends) yield `${hash.slice(0, 2)}/${hash.slice(2)}${outputs?.ends[end]}`;
  }
}
