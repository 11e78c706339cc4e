/** Stored state of pictures in a cache, for runs of the image pipeline without a build. */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { writeFileAtomic } from '../../src/lib/files/write.ts';
import {
  folderReader,
  type GoodRecord,
  readRecord,
  writeUnlessRead,
} from '../../src/record/file.ts';
import { KnownPictures, removeJournals } from '../../src/record/known-pictures.ts';
import { readTimes, TIMES, writeTimes } from '../../src/record/times.ts';

export interface PictureRecords {
  known: KnownPictures;
  /** When the pictures of a dealer were saved last, milliseconds since 1970. */
  lastConfirmed: (dealer: string) => number | undefined;
  /** Writes the state after a run. @param now milliseconds since 1970. */
  save: (now: number) => Promise<void>;
}

/** Names a list of files that no caller reads. */
const NO_FILES = '-'.repeat(22);

/** @param folder of one configuration's records. */
export async function openPictureRecords(
  folder: string,
  dealers: readonly string[],
): Promise<PictureRecords> {
  const files = folderReader(folder);
  const known = new KnownPictures(folder);
  const times = await files.read(TIMES);
  const before = ('bytes' in times && readTimes(times.bytes)?.times) || new Map();
  const former = new Map<string, GoodRecord>();
  for (const dealer of dealers) {
    // A build does not check the lines of the record of the last build again.
    const signed = before.get(Number(dealer))?.record;
    const read = await readRecord(files, Number(dealer), { signed });
    if ('record' in read) former.set(dealer, read);
    known.adopt(dealer, 'record' in read ? read.record : { sources: [], contents: [] });
  }
  return {
    known,
    lastConfirmed: (dealer) => {
      const entry = before.get(Number(dealer));
      return entry && Date.parse(entry.confirmed);
    },
    save: async (now) => {
      mkdirSync(folder, { recursive: true });
      const next = new Map(before);
      for (const dealer of dealers) {
        const others = { dealer: Number(dealer), withdrawn: [], vehicles: [] };
        const read = former.get(dealer);
        const { hash, pieces } = writeUnlessRead({ ...others, ...known.rows(dealer) }, read);
        for (const piece of hash === read?.hash ? [] : pieces) {
          await writeFileAtomic(path.join(folder, piece.name), piece.text);
        }
        const confirmed = new Date(now).toISOString();
        next.set(Number(dealer), { confirmed, record: hash, files: NO_FILES });
      }
      await writeFileAtomic(path.join(folder, TIMES), writeTimes(next));
      removeJournals(folder, dealers);
    },
  };
}

/** Folder of records for runs without a configuration. */
export const pipelineRecords = (cacheDir: string): string => path.join(cacheDir, 'records', 'site');
