import { hash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { writeFileAtomic } from '../../files.ts';
import { sealed, unsealed } from '../../media/store/dealer-file.ts';

/** What a file looks like from outside, as an index of git's has it. */
export interface FileIndex {
  /** In bytes. */
  size: number;
  /** When it was written, milliseconds since 1970 by the clock of the disk. */
  mtime: number;
}

/** What is known of one published file that is no thumbnail. */
export interface PageRow {
  /** Hash of what it was made from, see `keyOf`. */
  key: string;
  /** Hash of its bytes, see {@link bytesHash}. */
  hash: string;
  /** Files of the site that it links to, in short, see `uses.ts`; thumbnails are not among them. */
  uses: readonly string[];
  /** As it was when its bytes were read; without one they are read again. */
  index?: FileIndex | undefined;
}

/** By file, below the output folder, without a slash at the start. */
export type PageRows = ReadonlyMap<string, PageRow>;

/** What is known of a site's folder. */
export interface PageManifest {
  rows: PageRows;
  /** Files that the site before had; they lie in the folder still if a run was killed too soon. */
  former?: readonly string[] | undefined;
  /** Keys that no file holds: a salt, and their mark with it, see `SecretSearch.mark`. */
  searched?: { salt: string; mark: string } | undefined;
}

export interface ReadPageManifest extends PageManifest {
  /**
   * When it was written, by the clock of the disk. A file that is no older may have changed after it
   * was read within one tick of that clock, so its index says nothing (git calls it "racily clean").
   */
  writtenAt: number;
}

/** Raised together with any change of the form. */
const VERSION = 4;

interface Written {
  version: number;
  /** Each set once. */
  uses: string[][];
  rows: [file: string, key: string, hash: string, uses: number, size?: number, mtime?: number][];
  former?: PageManifest['former'];
  searched?: PageManifest['searched'];
}

/** 132 bits of SHA-256. */
export const bytesHash = (bytes: Uint8Array): string =>
  hash('sha256', bytes, 'base64url').slice(0, 22);

/** What a file looks like now; undefined where there is none. */
export function indexOf(file: string): FileIndex | undefined {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats && { size: stats.size, mtime: stats.mtimeMs };
}

/** The manifest of a folder; empty where there is none or it is damaged: then all is made anew. */
export function readPageManifest(file: string): ReadPageManifest {
  const none = { rows: new Map(), writtenAt: 0 };
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return none;
    throw error;
  }
  const body = unsealed(text);
  const written: Written | undefined = body === undefined ? undefined : JSON.parse(body);
  if (written?.version !== VERSION) return none;
  const rows = written.rows.map(([name, key, sum, at, size, mtime]): [string, PageRow] => {
    const index = size === undefined || mtime === undefined ? undefined : { size, mtime };
    return [name, { key, hash: sum, uses: written.uses[at] ?? [], index }];
  });
  const { former, searched } = written;
  return { rows: new Map(rows), former, searched, writtenAt: indexOf(file)?.mtime ?? 0 };
}

/** The text that {@link readPageManifest} reads. */
export function pageManifestText({ rows: pages, former, searched }: PageManifest): string {
  const places = new Map<string, number>();
  const uses: string[][] = [];
  const rows = Array.from(pages, ([name, row]): Written['rows'][number] => {
    const text = row.uses.join('\n');
    let place = places.get(text);
    if (place === undefined) {
      place = uses.push([...row.uses]) - 1;
      places.set(text, place);
    }
    const { key, hash: sum, index } = row;
    const known: Written['rows'][number] = [name, key, sum, place];
    if (index) known.push(index.size, index.mtime);
    return known;
  });
  const written: Written = { version: VERSION, uses, rows, former, searched };
  return sealed(JSON.stringify(written));
}

/** Rows for another place than this one: an index is of the disk, not of the files. */
export const withoutIndex = (rows: PageRows): PageRows =>
  new Map(Array.from(rows, ([file, { index: _, ...row }]) => [file, row]));

/** Writes a manifest atomically. */
export async function writePageManifest(file: string, manifest: PageManifest): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFileAtomic(file, pageManifestText(manifest));
}
