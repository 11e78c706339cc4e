import { rmSync } from 'node:fs';
import path from 'node:path';
import pMap from 'p-map';
import { configurationId } from '../config/identity.ts';
import type { LoadedConfig } from '../config/load.ts';
import { makeFolder, writeFileAtomic } from '../files.ts';
import { entriesOf } from '../media/store/entries-of.ts';
import { pieceName, type WrittenRecord, writeRecord } from '../record/file.ts';
import { markOf } from '../record/mark.ts';
import type { DealerRecord } from '../record/schema.ts';
import { type ConfirmedRecord, readTimes, TIMES, type Times, writeTimes } from '../record/times.ts';
import type { PlannedFile } from '../site/plan/planned.ts';

/** Where records lie below a site. */
export const RECORDS = 'api/records/';

/** The file of a site that changes although nothing else does. */
export const PUBLISHED_TIMES = RECORDS + TIMES;

/** Where the records of a configuration lie in the cache: others may share it. */
export const recordsFolder = (cacheDir: string, config: Pick<LoadedConfig, 'file' | 'site'>) =>
  path.join(cacheDir, 'records', configurationId(config));

/** Records that are written at the same time. */
const AT_ONCE = 8;

/** What is going to be remembered of a dealer. */
export interface NextRecord {
  id: number;
  written: WrittenRecord;
  confirmed: string;
}

/** A record as it is going to be written. @param confirmed when its answer was accepted last, UTC. */
export const nextRecord = (record: DealerRecord, confirmed: string): NextRecord => ({
  id: record.dealer,
  written: writeRecord(record),
  confirmed,
});

/** When each of them was confirmed, with the marks that the next build believes them by. */
export function timesOf(
  records: readonly NextRecord[],
  { dealers, site }: Pick<LoadedConfig, 'dealers' | 'site'>,
): Map<number, ConfirmedRecord> {
  const keys = new Map(dealers.map(({ id, apiKey }) => [id, apiKey]));
  return new Map(
    records.map(({ id, written, confirmed }) => {
      const entry = { confirmed, record: written.hash };
      const key = keys.get(id);
      const mark = key && markOf(key, { site: site.url, dealer: id, ...entry });
      return [id, mark === undefined ? entry : { ...entry, mark }];
    }),
  );
}

/** Files of the site that the next build remembers by, on whatever machine it runs. */
export const recordFiles = (records: readonly NextRecord[]): PlannedFile[] =>
  records.flatMap(({ written: { hash, pieces } }) =>
    pieces.map(({ name, text }) => ({ file: `/${RECORDS}${name}`, key: hash, content: () => text })),
  );

/**
 * Writes records into a folder of the cache: first each record, then when they were confirmed. What is
 * known of other dealers stays.
 *
 * @param configured ids of all dealers; what is remembered of others goes.
 */
export async function keepRecords(
  folder: string,
  records: readonly NextRecord[],
  { times, configured }: { times: Times; configured: ReadonlySet<number> },
): Promise<void> {
  makeFolder(folder);
  const kept = await readKept(folder);
  await pMap(
    records,
    async ({ id, written: { hash, pieces } }) => {
      if (kept.get(id)?.record === hash) return;
      for (const { name, text } of pieces) await writeFileAtomic(path.join(folder, name), text);
      for (let piece = pieces.length + 1; ; piece++) {
        try {
          rmSync(path.join(folder, pieceName(id, piece)));
        } catch {
          break;
        }
      }
    },
    { concurrency: AT_ONCE },
  );
  const known = [...kept].filter(([id]) => configured.has(id));
  await writeFileAtomic(path.join(folder, TIMES), writeTimes(new Map([...known, ...times])));
  for (const { name } of entriesOf(folder)) {
    const id = /^(\d+)(?:-\d+)?\.json$/.exec(name)?.[1];
    if (id !== undefined && !configured.has(Number(id))) rmSync(path.join(folder, name));
  }
}

async function readKept(folder: string): Promise<Times> {
  const { FolderRecords } = await import('../record/folder.ts');
  const found = await new FolderRecords(folder).read(TIMES);
  return ('bytes' in found && readTimes(found.bytes)) || new Map();
}
