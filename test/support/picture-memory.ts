/** Records without vehicles in a cache, for tests of pictures only. They replace the records of a build. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { folderReader, readRecord, writeRecord } from '../../src/record/file.ts';
import { KnownPictures, removeJournals } from '../../src/record/known-pictures.ts';
import type { PictureRows } from '../../src/record/pictures.ts';

/** The files of a record that only contains pictures. */
export const picturesRecord = (dealer: string, rows: PictureRows) =>
  writeRecord({ dealer: Number(dealer), withdrawn: [], vehicles: [], ...rows });

/** The records of some dealers' pictures in a cache. */
export async function openPictureMemory(cacheDir: string, dealers: ReadonlySet<string>) {
  const folder = path.join(cacheDir, 'records', 'site');
  const known = new KnownPictures(folder);
  for (const dealer of dealers) {
    const read = await readRecord(folderReader(folder), Number(dealer));
    known.adopt(dealer, 'record' in read ? read.record : undefined);
  }
  return {
    known,
    save() {
      mkdirSync(folder, { recursive: true });
      for (const dealer of dealers) {
        for (const { name, text } of picturesRecord(dealer, known.rows(dealer)).pieces) {
          writeFileSync(path.join(folder, name), text);
        }
      }
      removeJournals(folder, dealers);
    },
  };
}
