import { closeSync, existsSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';
import type { LoadedConfig } from '../../config/load.ts';
import type { OutputNames } from '../../images/output-names.ts';
import { linkFile } from '../../lib/files/hard-link.ts';
import { isSafeFile } from '../../lib/files/safe-file.ts';
import { fileHash } from '../../record/files.ts';
import { PUBLISHED_TIMES, timesOf, type WrittenNext } from '../../record/published-records.ts';
import { newestOf, writeTimes } from '../../record/times.ts';
import { indexNowKey } from '../../site/documents/index-now.ts';
import type { SitePages } from '../build/site-pages.ts';
import {
  CHANGES,
  type ChangesHead,
  type ChangesTail,
  changesLines,
  type SiteFile,
} from '../change-set/change-set.ts';
import { changedFiles, checkChangesFolder, readFolder, rowsFolder } from '../changes/folder.ts';
import { allRows, writeRows } from '../changes/rows.ts';
import { type ChunkBase, type MadePages, type Steps, timed } from '../chunk/built-chunk.ts';
import { swap } from '../output/swap.ts';
import { MEDIA } from '../site-diff/listing.ts';
import type { Thumbnails } from '../site-diff/media-folder.ts';
import { refuseFindings } from '../verify/verify.ts';

export interface FinishChangesOptions {
  config: Pick<LoadedConfig, 'dealers' | 'site' | 'siteSecret'>;
  /** The folder of the change set, and the staging folder that replaces it. */
  output: string;
  staging: string;
  pages: Pick<SitePages, 'write'>;
  /** Mark of the keys that the site was searched for, see `timesOf`. */
  searched: string;
  /** When the first build ran, if none has read a published site, see `firstIn`. */
  first?: string | undefined;
  /** All pages of the site; `bases` are what chunks relied on of the published one. */
  made: readonly MadePages[];
  bases: readonly ChunkBase[];
  media: Thumbnails;
  steps: Steps;
  /** Called when the change set has passed every check, just before it is moved into place. */
  beforePublish: (records: readonly WrittenNext[]) => Promise<void>;
  /** Called as soon as it is in place. */
  onPublished: () => void;
  signal?: AbortSignal | undefined;
}

/** Assembles a change set from the results of the chunks, and replaces the former one with it. */
export async function finishChanges(options: FinishChangesOptions): Promise<void> {
  const { config, output, staging, pages, made, media, steps, signal } = options;
  const { searched, first, bases, beforePublish } = options;
  const [files, rows] = [changedFiles(staging), rowsFolder(staging)];
  const records = made.flatMap((one) => one.records);
  await timed(steps, 'place', () => {
    for (const name of media.unpublished) {
      linkFile(`${media.folder}/${name}`, path.join(files, MEDIA, name));
    }
    const times = writeTimes(timesOf(records, config, searched), { first });
    pages.write(PUBLISHED_TIMES, times);
    writeRows(rows, [
      { path: PUBLISHED_TIMES, size: Buffer.byteLength(times), hash: fileHash(times) },
    ]);
  });
  const wanted = new Set(made.flatMap(({ links }) => links.map(([target]) => target)));
  await timed(steps, 'verify', () => {
    const found = new Set<string>();
    for (const { path: file } of allRows(rows, (one) => one)) {
      if (wanted.has(file)) found.add(file);
    }
    refuseFindings(made, (file) => found.has(file));
  });
  signal?.throwIfAborted();
  await timed(steps, 'place', () => {
    const base = baseOf(bases);
    const { url: site, indexNow: tells } = config.site;
    const head = {
      ...{ site, built: newestOf(records), base },
      ...(tells && { indexNow: indexNowKey(site) }),
    };
    const gone = base === null ? new Set<string>() : goneOf(made, bases, media.outputs);
    writeChangeSetList(path.join(staging, CHANGES), head, {
      all: () => allRows(rows, oneOnDisk(files)),
      gone,
      changed: new Set(changedOf(made)),
    });
    rmSync(rows, { recursive: true });
  });
  await beforePublish(records);
  rmSync(readFolder(staging), { recursive: true, force: true });
  await timed(steps, 'publish', () => {
    // The folder may have changed since the check at the start of the build.
    checkChangesFolder(output);
    return swap(output);
  });
  options.onPublished();
}

/** Hash of the `times.json` that the build began with, if the files of all published dealers are known. */
function baseOf(bases: readonly ChunkBase[]): string | null {
  const [times, ...others] = bases.map((base) => base.times);
  const listed = new Set(bases.flatMap((base) => base.listed));
  if (!times || others.some((other) => other?.hash !== times.hash)) return null;
  return times.dealers.every((id) => listed.has(id)) ? times.hash : null;
}

/** Removed files of the site: a file that one dealer no longer has may belong to another (a thumbnail, or an address). */
function goneOf(
  made: readonly MadePages[],
  bases: readonly ChunkBase[],
  outputs: OutputNames,
): Set<string> {
  const gone = new Set(made.flatMap(({ changes }) => changes?.gone ?? []));
  for (const { unused } of bases) {
    for (const [hash, suffixes] of unused) {
      const there = outputs.suffixesOf(hash);
      for (const suffix of suffixes) {
        if (!there.includes(suffix))
          gone.add(`${MEDIA}${hash.slice(0, 2)}/${hash.slice(2)}${suffix}`);
      }
    }
  }
  return gone;
}

/** Changed pages of the site. Site-wide pages are always rendered; they count as changed if a dealer's page has. */
function changedOf(made: readonly MadePages[]): string[] {
  const dealers = made.filter(({ records }) => records.length > 0);
  const isChanged = dealers.some(({ changes }) => (changes?.changed.length ?? 0) > 0);
  return (isChanged ? made : dealers).flatMap(({ changes }) => changes?.changed ?? []);
}

/** Of two rows of one name, the one whose bytes are on this disk; otherwise either, since hosts compare hashes. */
const oneOnDisk =
  (folder: string) =>
  (one: SiteFile, other: SiteFile): SiteFile => {
    const file = path.join(folder, one.path);
    const hash = existsSync(file) ? fileHash(readFileSync(file)) : undefined;
    if (one.hash === hash || other.hash === hash) return one.hash === hash ? one : other;
    return one.hash < other.hash ? one : other;
  };

/** Characters written at once. */
const CHUNK = 2 ** 16;

function writeChangeSetList(
  file: string,
  head: Omit<ChangesHead, 'version'>,
  {
    all,
    gone,
    changed,
  }: { all: () => Iterable<SiteFile>; gone: Set<string>; changed: Set<string> },
): void {
  const tail: ChangesTail = { gone: [], changed: [...changed].filter(isSafeFile) };
  function* files(): Iterable<SiteFile> {
    for (const row of all()) {
      gone.delete(row.path);
      yield row;
    }
    tail.gone.push(...[...gone].filter(isSafeFile));
  }
  const handle = openSync(file, 'wx');
  try {
    let text = '';
    for (const line of changesLines(head, files(), tail)) {
      text += line;
      if (text.length < CHUNK) continue;
      writeSync(handle, text);
      text = '';
    }
    writeSync(handle, text);
  } finally {
    closeSync(handle);
  }
}
