import { closeSync, existsSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';
import {
  CHANGES,
  type ChangesHead,
  type ChangesTail,
  changesLines,
  type SiteFile,
} from '../../change-set/change-set.ts';
import { MEDIA } from '../../change-set/listing.ts';
import type { OutputNames } from '../../images/output-names.ts';
import { linkFile } from '../../lib/files/hard-link.ts';
import { isSafeFile } from '../../lib/files/safe-file.ts';
import { fileHash } from '../../record/files.ts';
import { PUBLISHED_TIMES, RECORDS } from '../../record/published-records.ts';
import { newestOf } from '../../record/times.ts';
import { indexNowKey } from '../../site/documents/index-now.ts';
import { changedFiles, checkChangesFolder, readFolder, rowsFolder } from '../changes/folder.ts';
import { allRows, writeRows } from '../changes/rows.ts';
import type { ChunkBase, MadePages } from '../chunk/built-chunk.ts';
import { swap } from '../output/swap.ts';
import type { FinishOptions, Form } from './finish.ts';

/**
 * The next site as a change set, which replaces the former one.
 *
 * @param bases what the chunks relied on of the published site.
 */
export function changesForm(options: FinishOptions, bases: readonly ChunkBase[]): Form {
  const { config, output, staging, made, media } = options;
  const [files, rows] = [changedFiles(staging), rowsFolder(staging)];
  let linked: Set<string> | undefined;
  return {
    isPublished: () => false,
    place: () => {
      for (const name of media.unpublished) {
        linkFile(`${media.folder}/${name}`, path.join(files, MEDIA, name));
      }
    },
    has: (file) => {
      linked ??= linkedFiles(made, rows);
      return linked.has(file);
    },
    complete: (times) => {
      const size = Buffer.byteLength(times);
      writeRows(rows, [{ path: PUBLISHED_TIMES, size, hash: fileHash(times) }]);
      const base = baseOf(bases);
      const { url: site, indexNow: tells } = config.site;
      const head = {
        ...{ site, built: newestOf(made.flatMap(({ records }) => records)), base },
        ...(tells && { indexNow: indexNowKey(site) }),
      };
      const gone = base === null ? new Set<string>() : goneOf(made, bases, media.outputs);
      writeChangeSetList(path.join(staging, CHANGES), head, {
        all: () => allRows(rows, oneOnDisk(files)),
        gone,
        changed: new Set(changedOf(made)),
      });
      rmSync(rows, { recursive: true });
    },
    records: [path.join(files, RECORDS), readFolder(staging)],
    publish: async () => {
      rmSync(readFolder(staging), { recursive: true, force: true });
      // The folder may have changed since the check at the start of the build.
      checkChangesFolder(output);
      await swap(output);
    },
  };
}

/** Files of the site that its pages link to. */
function linkedFiles(made: readonly MadePages[], rows: string): Set<string> {
  const wanted = new Set(made.flatMap(({ links }) => links.map(([target]) => target)));
  const found = new Set<string>();
  for (const { path: file } of allRows(rows, (one) => one)) if (wanted.has(file)) found.add(file);
  return found;
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
