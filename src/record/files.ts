import { hash } from 'node:crypto';

/**
 * The list of the published files of a dealer, or of the site-wide files, with their keys and hashes. It is a
 * separate file next to the dealer's record, because it is needed without the record.
 */

interface ListFile {
  version: 2;
  /** For the next build: the input of the pages and files about all vehicles. */
  plan?: unknown;
  /** Sets of linked files of the site, abbreviated. Each set is stored once. */
  links: (readonly string[])[];
  /** Path below the site, key, hash, size in bytes, and the index in `links`. */
  files: (readonly [file: string, key: string, hash: string, size: number, links: number])[];
}

export interface PublishedFile {
  /** Hash of its input, see `keyOf`. */
  key: string;
  /** Hash of its bytes, see {@link fileHash}. */
  hash: string;
  /** Size in bytes. */
  size: number;
  /** Linked files of the site without thumbnails, abbreviated, see `usesText`. */
  uses: readonly string[];
}

/** Files by path below the site, without a slash at the start. */
export type FileRows = ReadonlyMap<string, PublishedFile>;

export interface PublishedFiles {
  rows: FileRows;
  plan?: unknown;
}

/** Name of the list of a dealer's files, or of the site-wide files. */
export const filesName = (dealer: number | 'site'): string => `${dealer}.files.json`;

/** Hash of a record or a list for signing: 132 bits of SHA-256. */
export const bytesHash = (bytes: Uint8Array | string): string =>
  hash('sha256', bytes, 'base64url').slice(0, 22);

/** A record or a list with its checksum at the end. @param body without the closing brace. */
export const withSum = (body: string): string => `${body},"sum":"${bytesHash(body)}"}\n`;

/** Bytes of `withSum` after the body. */
const SUM_SIZE = 33;

/** Whether a file is a record or a list with this checksum. */
export const hasSum = (bytes: Buffer, sum: string): boolean =>
  bytes.toString('latin1', bytes.length - SUM_SIZE) === `,"sum":"${sum}"}\n` &&
  bytesHash(bytes.subarray(0, -SUM_SIZE)) === sum;

/** The checksum in a record file, as a copy: V8 keeps a whole text in memory for each part of it that is in use. */
export const sumIn = (file: string | Uint8Array): string =>
  Buffer.from(file.slice(-25, -3) as string, 'latin1').toString('latin1');

/** SHA-1 of a published file as 27 characters. Hosts identify missing files by it. */
export const fileHash = (bytes: Uint8Array | string): string => hash('sha1', bytes, 'base64url');

/** The list as text. It does not depend on the order of the files. */
export function filesText({ rows, plan }: PublishedFiles): string {
  const indexes = new Map<string, number>();
  const links: (readonly string[])[] = [];
  const sorted = [...rows].sort(([a], [b]) => (a < b ? -1 : 1));
  const lines = sorted.map(([file, { key, hash: sum, size, uses }]) => {
    const text = uses.join('\n');
    let linksIndex = indexes.get(text);
    if (linksIndex === undefined) {
      linksIndex = links.push(uses) - 1;
      indexes.set(text, linksIndex);
    }
    return JSON.stringify([file, key, sum, size, linksIndex]);
  });
  const head = JSON.stringify({ version: 2, plan, links }).slice(0, -1);
  return withSum(`${head},"files":[\n${lines.join(',\n')}\n]`);
}

/** Reads the output of {@link filesText}. Undefined if it is damaged or has another version. */
export function readFiles(bytes: Uint8Array): PublishedFiles | undefined {
  const list = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (!hasSum(list, sumIn(list))) return undefined;
  try {
    // The checksum shows that a build wrote it. Validating each row takes five times as long as reading.
    const { version, files, links, plan }: ListFile = JSON.parse(list.toString());
    if (version !== 2) return undefined;
    const rows = files.map(([file, key, sum, size, linksIndex]): [string, PublishedFile] => {
      return [file, { key, hash: sum, size, uses: links[linksIndex] ?? [] }];
    });
    return { rows: new Map(rows), plan };
  } catch {
    return undefined;
  }
}
