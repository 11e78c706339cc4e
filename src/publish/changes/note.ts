import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { SiteFile } from '../../change-set/change-set.ts';
import { MEDIA } from '../../change-set/listing.ts';
import { hashOf, sizeIn } from '../../images/fingerprint.ts';
import { type FileRows, fileHash } from '../../record/files.ts';
import type { MadeChanges } from '../chunk/built-chunk.ts';
import type { SiteDiff } from '../site-diff/site-diff.ts';
import { writeRows } from './rows.ts';

/** The page for missing addresses; search engines are never sent to it. */
const NOT_FOUND = '404.html';

export interface WriteChangesOptions {
  /** Receives the rows of files, see `writeRows`. */
  folder: string;
  /** The folder of the files that were made. */
  staging: string;
  /** Names of thumbnails, and fingerprints. */
  thumbnails: Iterable<readonly [name: string, fingerprint: string]>;
}

/**
 * Writes the rows of a part's files, whether their bytes are on this disk or only online.
 *
 * @param files pages and files, unchanged ones included.
 * @returns what differs from the published site.
 */
export function noteChanges(
  diff: SiteDiff,
  files: FileRows,
  { folder, staging, thumbnails }: WriteChangesOptions,
): MadeChanges {
  const rows = Array.from(
    files,
    ([file, { size, hash }]): SiteFile => ({ path: file, size, hash }),
  );
  for (const [file, its] of diff.remoteRecords()) rows.push({ path: file, ...its });
  for (const file of diff.madeRecords) {
    const bytes = readFileSync(path.join(staging, file));
    rows.push({ path: file, size: bytes.length, hash: fileHash(bytes) });
  }
  for (const [name, fingerprint] of thumbnails) {
    rows.push({ path: MEDIA + name, size: sizeIn(fingerprint), hash: hashOf(fingerprint) });
  }
  writeRows(folder, rows);
  const { gone } = diff;
  const made = [...diff.made.keys()].filter((file) => {
    return diff.formerHash(file) !== files.get(file)?.hash;
  });
  const isPage = (file: string) => file.endsWith('.html') && file !== NOT_FOUND;
  return { changed: [...made, ...gone].filter(isPage), gone };
}
