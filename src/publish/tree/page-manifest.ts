import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { writeFileAtomic } from '../../files.ts';
import { sealed, unsealed } from '../../media/store/dealer-file.ts';
import type { ThumbnailMemory } from './thumbnails.ts';

/** What is known of one published file that is no thumbnail. */
export interface PageRow {
  /** Hash of what it was made from, see `keyOf`. */
  key: string;
  /** Hash of its bytes, see {@link bytesHash}. */
  hash: string;
  /** Files of the site that it links to, in short, see `uses.ts`; thumbnails are not among them. */
  uses: readonly string[];
  /** What the file looked like just before its bytes were read, see `stampOf`. */
  stamp?: string | undefined;
}

/** By file, below the output folder, without a slash at the start. */
export type PageRows = ReadonlyMap<string, PageRow>;

/** What is known of a site's folder. */
export interface PageManifest {
  rows: PageRows;
  /** Keys that no file holds: a salt, and their mark with it, see `SecretSearch.mark`. */
  searched?: { salt: string; mark: string } | undefined;
  thumbnails?: ThumbnailMemory | undefined;
}

/** Raised together with any change of the form. */
const VERSION = 3;

interface Written {
  version: number;
  /** Each set once. */
  uses: string[][];
  rows: [file: string, key: string, hash: string, uses: number, stamp?: string][];
  searched?: PageManifest['searched'];
  thumbnails?: ThumbnailMemory | undefined;
}

/** 132 bits of SHA-256. */
export const bytesHash = (bytes: Uint8Array): string =>
  hash('sha256', bytes, 'base64url').slice(0, 22);

/** The manifest of a folder; empty where there is none or it is damaged: then all is made anew. */
export function readPageManifest(file: string): PageManifest {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { rows: new Map() };
    throw error;
  }
  const body = unsealed(text);
  const written: Written | undefined = body === undefined ? undefined : JSON.parse(body);
  if (written?.version !== VERSION) return { rows: new Map() };
  const rows = written.rows.map(([name, key, sum, at, stamp]): [string, PageRow] => {
    return [name, { key, hash: sum, uses: written.uses[at] ?? [], stamp }];
  });
  const { searched, thumbnails } = written;
  return { rows: new Map(rows), searched, thumbnails };
}

/** The text that {@link readPageManifest} reads. */
export function pageManifestText({ rows: pages, searched, thumbnails }: PageManifest): string {
  const places = new Map<string, number>();
  const uses: string[][] = [];
  const rows = Array.from(pages, ([name, row]): Written['rows'][number] => {
    const text = row.uses.join('\n');
    let place = places.get(text);
    if (place === undefined) {
      place = uses.push([...row.uses]) - 1;
      places.set(text, place);
    }
    const { key, hash: sum, stamp } = row;
    return stamp ? [name, key, sum, place, stamp] : [name, key, sum, place];
  });
  const written: Written = { version: VERSION, uses, rows, searched, thumbnails };
  return sealed(JSON.stringify(written));
}

/** Rows for another place than this one: stamps are of the disk, not of the files. */
export const withoutStamps = (rows: PageRows): PageRows =>
  new Map(Array.from(rows, ([file, { stamp: _, ...row }]) => [file, row]));

/** Writes a manifest atomically. */
export async function writePageManifest(file: string, manifest: PageManifest): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFileAtomic(file, pageManifestText(manifest));
}
