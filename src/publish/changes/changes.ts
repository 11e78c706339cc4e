import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  CHANGED_FILES,
  CHANGES,
  type ChangesHead,
  changesLines,
  fileLine,
  type SiteFile,
} from '../../change-set/change-set.ts';
import { hashOf, sizeIn } from '../../images/fingerprint.ts';
import type { MediaResult } from '../../images/pipeline/types.ts';
import { MEDIA } from '../../images/stores/folder.ts';
import { entriesOf } from '../../lib/files/entries-of.ts';
import { collectGarbage } from '../../lib/garbage-collection.ts';
import { type FileRows, fileHash } from '../../record/files.ts';
import { TIMES } from '../../record/times.ts';
import type { FilesOnline } from '../site-diff/published-files.ts';
import type { SiteDiff } from '../site-diff/site-diff.ts';

/** The folder of the bytes in a change set's folder. */
export const changedFiles = (folder: string): string => path.join(folder, CHANGED_FILES);

/** Folder of records from the published site, for the cache. */
export const readRecordsFolder = (staging: string): string => path.join(staging, 'read');

const rowsFolder = (staging: string): string => path.join(staging, 'rows');

/** Returns a function that stores downloaded records, so that unchanged ones can be cached. */
export function recordsReader(staging: string, beforeWrite: () => void) {
  const folder = readRecordsFolder(staging);
  return (name: string, bytes: Uint8Array): void => {
    if (name === TIMES) return;
    beforeWrite();
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, name), bytes);
  };
}

/** Maximum rows in one file. Each file is read in one piece. */
const ROWS_PER_FILE = 20_000;

let fileNumber = 0;

/**
 * Writes rows of files of the next site. Each process writes the rows of its chunks, so that none needs all names.
 *
 * @param isHere whether the bytes are on this disk. Such a row replaces other rows of the same file.
 */
function writeRows(staging: string, rows: readonly SiteFile[], isHere: boolean): void {
  const folder = rowsFolder(staging);
  mkdirSync(folder, { recursive: true });
  for (let from = 0; from < rows.length; from += ROWS_PER_FILE) {
    const lines = rows.slice(from, from + ROWS_PER_FILE).map(fileLine);
    const name = `${isHere ? 'here' : 'all'}-${process.pid}-${fileNumber++}`;
    writeFileSync(path.join(folder, name), lines.join(''), { flag: 'wx' });
  }
}

/** The written lines, in the pieces in which they were written. */
function* linesIn(staging: string): Iterable<string> {
  const folder = rowsFolder(staging);
  // Rows of local files come last, so they take precedence.
  for (const { name } of entriesOf(folder).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    yield readFileSync(path.join(folder, name), 'utf8');
    // V8 does not count the text, which is outside of its heap.
    collectGarbage();
  }
}

const THUMBNAIL_LINE = `["${MEDIA}`;

/** Paths in written lines, without thumbnails, which are most lines. */
const pathsIn = (lines: string): string[] =>
  lines
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith(THUMBNAIL_LINE))
    .map((line) => JSON.parse(line)[0]);

/** The page for unknown URLs. It is never submitted to search engines. */
const NOT_FOUND = '404.html';
const isPage = (file: string): boolean => file.endsWith('.html') && file !== NOT_FOUND;

/**
 * Returns a function that lists the files of a chunk, both on this disk and online. It receives the pages and files,
 * unchanged ones included, and returns the pages that are new, changed or removed.
 */
export const changeRows =
  (staging: string, online: FilesOnline) =>
  (
    diff: SiteDiff,
    rows: FileRows,
    thumbnails?: Pick<MediaResult, 'fingerprints' | 'unpublished'>,
  ): string[] => {
    const all = Array.from(rows, ([file, { size, hash }]) => ({ path: file, size, hash }));
    for (const file of diff.unchangedRecords) {
      const record = online.recordAt(file);
      if (record) all.push({ path: file, size: record.size, hash: record.hash });
    }
    for (const file of diff.recordsToWrite) {
      const bytes = readFileSync(path.join(changedFiles(staging), file));
      all.push({ path: file, size: bytes.length, hash: fileHash(bytes) });
    }
    const localRows: SiteFile[] = [];
    for (const [name, fingerprint] of thumbnails?.fingerprints() ?? []) {
      const row = { path: MEDIA + name, size: sizeIn(fingerprint), hash: hashOf(fingerprint) };
      (thumbnails?.unpublished.has(name) ? localRows : all).push(row);
    }
    writeRows(staging, all, false);
    writeRows(staging, localRows, true);
    const changed = [...diff.keysToMake.keys()].filter((file) => {
      return diff.rows.get(file)?.hash !== rows.get(file)?.hash;
    });
    return [...changed, ...diff.removed].filter(isPage);
  };

/**
 * Writes the list of a change set.
 *
 * @param more files that do not belong to a chunk.
 * @param onFile receives the path of each file, except thumbnails.
 */
export async function writeChanges(
  staging: string,
  head: ChangesHead,
  more: readonly SiteFile[],
  onFile: (file: string) => void,
): Promise<void> {
  function* files(): Iterable<SiteFile | string> {
    for (const lines of linesIn(staging)) {
      for (const file of pathsIn(lines)) onFile(file);
      yield lines;
    }
    yield* more;
  }
  await writeFile(path.join(staging, CHANGES), changesLines(head, files()), { flag: 'wx' });
  rmSync(rowsFolder(staging), { recursive: true, force: true });
}
