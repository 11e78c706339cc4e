/** What builds do with records, for tests of pictures alone: records without vehicles. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { OutputNames } from '../../src/images/output-names.ts';
import { FolderRecords, readRecord, writeRecord } from '../../src/record/file.ts';
import { KnownPictures, removeJournals } from '../../src/record/known-pictures.ts';
import type { PictureRows } from '../../src/record/pictures.ts';
import { readTimes, TIMES, writeTimes } from '../../src/record/times.ts';

export interface PictureMemory {
  known: KnownPictures;
  /** Problems with files, to be reported. */
  problems: readonly string[];
  /** When a dealer was last built with an answer of its service, milliseconds since 1970. */
  lastConfirmed: (dealer: string) => number | undefined;
  /**
   * Outputs that every other record of the cache names, and killed runs noted; undefined where one of
   * them is torn.
   */
  usedByOthers: () => Promise<OutputNames | undefined>;
  /**
   * Writes what is known then into the cache.
   *
   * @param confirmed dealers with an answer of this build. @param now milliseconds since 1970.
   * @returns whether a dealer was forgotten.
   */
  save: (confirmed: ReadonlySet<string>, now: number) => Promise<boolean>;
}

interface MemoryOptions {
  /** Dealers that the run is about. */
  dealers: ReadonlySet<string>;
  /** All of the configuration. */
  configured: ReadonlySet<string>;
}

const namesIn = (folder: string): string[] => {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(String((error as NodeJS.ErrnoException).code))) return [];
    throw error;
  }
};

/** A record of nothing but pictures, as its files. */
export const picturesRecord = (dealer: string, { sources, contents }: PictureRows) =>
  writeRecord({
    dealer: Number(dealer),
    counts: {
      vehicles: { received: 0, accepted: 0, quarantined: 0, duplicates: 0 },
      items: { received: 0, accepted: 0, quarantined: 0, unknownType: 0 },
    },
    withdrawn: [],
    vehicles: [],
    sources,
    contents,
  });

/** Records of some dealers' pictures in a cache. */
export async function openPictureMemory(
  cacheDir: string,
  configuration: string,
  { dealers, configured }: MemoryOptions,
): Promise<PictureMemory> {
  const all = path.join(cacheDir, 'records');
  const own = path.join(all, configuration);
  const known = new KnownPictures(own);
  const problems: string[] = [];
  const timesFile = path.join(own, TIMES);
  const timesHere = namesIn(own).includes(TIMES) ? readTimes(readFileSync(timesFile)) : undefined;
  const times = new Map(timesHere);
  for (const dealer of dealers) {
    const read = await readRecord(new FolderRecords(own), Number(dealer));
    if ('why' in read && !read.missing)
      problems.push(`The record of dealer ${dealer} is not used: ${read.why}.`);
    known.adopt(dealer, 'record' in read ? read.record : undefined);
  }
  return {
    known,
    problems,
    lastConfirmed: (dealer) => {
      const entry = times.get(Number(dealer));
      return entry && Date.parse(entry.confirmed);
    },
    usedByOthers: () =>
      othersOf(
        all,
        (name, dealer) =>
          name === configuration && (dealers.has(dealer) || !configured.has(dealer)),
      ),
    save: async (confirmed, now) => {
      mkdirSync(own, { recursive: true });
      for (const dealer of known.dealers) {
        const { hash, pieces } = picturesRecord(dealer, known.rows(dealer));
        const former = times.get(Number(dealer))?.confirmed;
        const time = confirmed.has(dealer) || !former ? new Date(now).toISOString() : former;
        // There is no site, so there is no list of its files.
        const entry = { confirmed: time, record: hash, files: hash };
        times.set(Number(dealer), entry);
        for (const piece of pieces) writeFileSync(path.join(own, piece.name), piece.text);
      }
      let forgot = false;
      for (const name of namesIn(own)) {
        const dealer = /^(\d+)\./.exec(name)?.[1];
        if (dealer !== undefined && !configured.has(dealer) && !known.dealers.has(dealer)) {
          rmSync(path.join(own, name), { force: true });
          times.delete(Number(dealer));
          forgot = true;
        }
      }
      writeFileSync(timesFile, writeTimes(times));
      removeJournals(own, known.dealers);
      return forgot;
    },
  };
}

async function othersOf(
  all: string,
  isOwn: (configuration: string, dealer: string) => boolean,
): Promise<OutputNames | undefined> {
  const names = new OutputNames();
  for (const name of namesIn(all)) {
    const folder = path.join(all, name);
    const files = new FolderRecords(folder);
    const its = new KnownPictures(folder);
    const ids = namesIn(folder).flatMap(
      (file) => /^(\d+)\.(?:json|journal)$/.exec(file)?.[1] ?? [],
    );
    for (const dealer of new Set(ids)) {
      if (isOwn(name, dealer)) continue;
      const read = await readRecord(files, Number(dealer));
      if ('why' in read && !read.missing) return undefined;
      its.adopt(dealer, 'record' in read ? read.record : { sources: [], contents: [] });
    }
    for (const [hash, { outputs }] of its.contents) {
      names.addPictures(Object.keys(outputs), [hash]);
    }
  }
  return names;
}
