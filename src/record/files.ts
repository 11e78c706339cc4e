import { hash } from 'node:crypto';

/**
 * The list of the published files of a dealer, or of the site as a whole, with the key and the hash of
 * each. It is a file of its own beside the dealer's record, because it is needed without the record.
 */

interface Written {
  version: 2;
  /** For the next build: what the pages and files about all vehicles were made from. */
  plan?: unknown;
  /** Sets of files of the site that files link to, abbreviated. Each set is stored once. */
  links: (readonly string[])[];
  /** Path below the site, key, hash, size in bytes, and the index in `links`. */
  files: (readonly [file: string, key: string, hash: string, size: number, links: number])[];
}

/** One published file. */
export interface PublishedFile {
  /** Hash of what it was made from, see `keyOf`. */
  key: string;
  /** Hash of its bytes, see {@link fileHash}. */
  hash: string;
  /** Bytes. */
  size: number;
  /** Files of the site that it links to, abbreviated, see `uses.ts`. Without thumbnails. */
  uses: readonly string[];
}

/** By path below the site, without a slash at the start. */
export type FileRows = ReadonlyMap<string, PublishedFile>;

export interface PublishedFiles {
  rows: FileRows;
  plan?: unknown;
}

/** Name of the file that lists a dealer's files, or those of the site as a whole. */
export const filesName = (dealer: number | 'site'): string => `${dealer}.files.json`;

/** Hash of a record or a list, which marks sign: 132 bits of SHA-256. */
export const bytesHash = (bytes: Uint8Array | string): string =>
  hash('sha256', bytes, 'base64url').slice(0, 22);

/**
 * SHA-1 of a published file as 27 characters: hosts identify the files that they still need by it.
 */
export const fileHash = (bytes: Uint8Array | string): string => hash('sha1', bytes, 'base64url');

/** The list as text. It does not depend on the order of the files. */
export function filesText({ rows, plan }: PublishedFiles): string {
  const places = new Map<string, number>();
  const links: (readonly string[])[] = [];
  const sorted = [...rows].sort(([a], [b]) => (a < b ? -1 : 1));
  const lines = sorted.map(([file, { key, hash: sum, size, uses }]) => {
    const text = uses.join('\n');
    let place = places.get(text);
    if (place === undefined) {
      place = links.push(uses) - 1;
      places.set(text, place);
    }
    return JSON.stringify([file, key, sum, size, place]);
  });
  const head = JSON.stringify({ version: 2, plan, links }).slice(0, -1);
  const body = `${head},"files":[\n${lines.join(',\n')}\n]`;
  return `${body},"sum":"${bytesHash(body)}"}\n`;
}

/** Reads what {@link filesText} wrote. Undefined where it is damaged or of another version. */
export function readFiles(bytes: Uint8Array): PublishedFiles | undefined {
  const text = Buffer.from(bytes).toString('utf8');
  const body = text.slice(0, -33);
  if (text.slice(-33) !== `,"sum":"${bytesHash(body)}"}\n`) return undefined;
  try {
    // The checksum shows that a build wrote it; validating each row takes five times as long as reading.
    const { version, files, links, plan }: Written = JSON.parse(`${body}}`);
    if (version !== 2) return undefined;
    const rows = files.map(([file, key, sum, size, place]): [string, PublishedFile] => {
      return [file, { key, hash: sum, size, uses: links[place] ?? [] }];
    });
    return { rows: new Map(rows), plan };
  } catch {
    return undefined;
  }
}
