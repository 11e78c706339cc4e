import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { sealed, unsealed } from '../../media/store/dealer-file.ts';

/** What is known of one published file that is no thumbnail. */
export interface PageRow {
  /** Hash of what it was made from, see `keyOf`. */
  key: string;
  /** Hash of its bytes, see {@link bytesHash}. */
  hash: string;
  /** Files of the site that it links to, below the output folder; thumbnails are not among them. */
  uses: readonly string[];
}

/** By file, below the output folder, without a slash at the start. */
export type PageManifest = ReadonlyMap<string, PageRow>;

/** Raised together with any change of the form. */
const VERSION = 1;

interface Written {
  version: number;
  /** Most pages of a dealer link to the same files, so each set stands here once. */
  uses: string[][];
  rows: [file: string, key: string, hash: string, uses: number][];
}

/** 132 bits of SHA-256. */
export const bytesHash = (bytes: Uint8Array): string =>
  hash('sha256', bytes, 'base64url').slice(0, 22);

/** Links into the page's own folder are the same for all pages of a kind when they begin with a dot. */
const shorten = (file: string, used: string): string => {
  const own = `${path.posix.dirname(file)}/`;
  return used.startsWith(own) ? `./${used.slice(own.length)}` : used;
};

const lengthen = (file: string, used: string): string =>
  used.startsWith('./') ? `${path.posix.dirname(file)}/${used.slice(2)}` : used;

/** The manifest of a folder; empty where there is none or it is damaged: then all is made anew. */
export function readPageManifest(file: string): PageManifest {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Map();
    throw error;
  }
  const body = unsealed(text);
  const written: Written | undefined = body === undefined ? undefined : JSON.parse(body);
  if (written?.version !== VERSION) return new Map();
  return new Map(
    written.rows.map(([name, key, sum, at]): [string, PageRow] => {
      const set = written.uses[at] ?? [];
      // Only sets with links of the page's own are spelt out again.
      const own = set[0]?.startsWith('./') === true;
      return [name, { key, hash: sum, uses: own ? set.map((used) => lengthen(name, used)) : set }];
    }),
  );
}

/** The text that {@link readPageManifest} reads. */
export function pageManifestText(manifest: PageManifest): string {
  const places = new Map<string, number>();
  const uses: string[][] = [];
  const rows = [...manifest].map(([name, row]): Written['rows'][number] => {
    // "." sorts before letters and digits: own links come first.
    const set = row.uses.map((used) => shorten(name, used)).sort();
    const text = set.join('\n');
    let place = places.get(text);
    if (place === undefined) {
      place = uses.push(set) - 1;
      places.set(text, place);
    }
    return [name, row.key, row.hash, place];
  });
  return sealed(JSON.stringify({ version: VERSION, uses, rows } satisfies Written));
}

/** Writes a manifest atomically. */
export async function writePageManifest(file: string, manifest: PageManifest): Promise<void> {
  const { default: writeFileAtomic } = await import('write-file-atomic');
  await mkdir(path.dirname(file), { recursive: true });
  await writeFileAtomic(file, pageManifestText(manifest));
}
