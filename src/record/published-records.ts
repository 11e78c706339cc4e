import { closeSync, existsSync, openSync, readFileSync, readSync, rmSync } from 'node:fs';
import path from 'node:path';
import pMap from 'p-map';
import { configurationId, type LoadedConfig } from '../config/load.ts';
import { entriesOf } from '../lib/files/entries-of.ts';
import { makeFolder, writeFileAtomic } from '../lib/files/write.ts';
import { folderReader, type WrittenRecord } from './file.ts';
import { listMarkOf, markOf, signingKeys } from './mark.ts';
import {
  type ConfirmedRecord,
  readTimes,
  TIMES,
  type Times,
  type TimesNotes,
  writeTimes,
} from './times.ts';

/** Folder of the records below a site. */
export const RECORDS = 'api/records/';

const RECORD_FILE = /^api\/records\/(?:times|site\.files|\d+(?:-\d+|\.files)?)\.json$/;

/** Whether a file of a site belongs to its records. */
export const isRecordFile = (file: string): boolean => RECORD_FILE.test(file);

/** Ids of the dealers of a site, from the names of its records. */
export const dealersIn = (files: Iterable<string>): string[] =>
  Array.from(files).flatMap((file) => /^api\/records\/(\d+)\.json$/.exec(file)?.[1] ?? []);

/** The only file of a site that changes with every build. */
export const PUBLISHED_TIMES = RECORDS + TIMES;

type Config = Pick<LoadedConfig, 'file' | 'site'>;

/** Folder of a configuration's records in the cache. Several configurations may share a cache. */
export const recordsFolder = (cacheDir: string, config: Config): string =>
  path.join(cacheDir, 'records', configurationId(config));

/** Records that are written and synced to disk at the same time. */
const AT_ONCE = 8;

/** The times of the records in a folder of the cache. */
export async function cachedTimes(folder: string): Promise<ReturnType<typeof readTimes>> {
  const file = await folderReader(folder).read(TIMES);
  return 'bytes' in file ? readTimes(file.bytes) : undefined;
}

/** The record of a dealer that this build writes. */
export interface NextRecord extends WrittenRecord {
  id: number;
  /** When its response was last accepted, UTC. */
  confirmed: string;
}

/** A record that was written to disk, without its texts. */
export interface WrittenNext extends Omit<NextRecord, 'pieces'> {
  /** Hash of the list of its files, see `filesText`. */
  files: string;
  /** Names of its files, including the list. */
  names: readonly string[];
}

/**
 * The times at which dealers were confirmed, with the marks that verify their records and lists in the next build.
 *
 * @param searched mark of the keys that the site was searched for, see `SecretSearch.mark` with the site's URL.
 */
export function timesOf(
  records: readonly Pick<WrittenNext, 'id' | 'hash' | 'files' | 'confirmed'>[],
  { dealers, site, siteSecret }: Pick<LoadedConfig, 'dealers' | 'site' | 'siteSecret'>,
  searched: string,
): Times {
  const keys = new Map(dealers.map(({ id, apiKey }) => [id, signingKeys(apiKey, siteSecret)[0]]));
  return new Map(
    records.map(({ id, hash, files, confirmed }): [number, ConfirmedRecord] => {
      const entry = { confirmed, record: hash, files };
      const key = keys.get(id);
      const about = { site: site.url, dealer: id, ...entry };
      const mark = key && markOf(key, about);
      const listMark = key && listMarkOf(key, { ...about, searched });
      return [id, mark === undefined ? entry : { ...entry, mark, listMark }];
    }),
  );
}

const PIECE = 65_536;

/** Whether two files can be read and are equal. Reads pieces, because 20,000 vehicles have 160 MB of records. */
function haveSameBytes(one: string, other: string): boolean {
  const handles: number[] = [];
  const pieces = [Buffer.alloc(PIECE), Buffer.alloc(PIECE)] as const;
  try {
    for (const file of [one, other]) handles.push(openSync(file, 'r'));
    for (;;) {
      const [length = 0, otherLength] = handles.map((handle, index) =>
        readSync(handle, pieces[index] as Buffer),
      );
      if (length !== otherLength || !pieces[0].equals(pieces[1])) return false;
      if (length === 0) return true;
    }
  } catch {
    return false;
  } finally {
    for (const handle of handles) closeSync(handle);
  }
}

interface SaveOptions extends TimesNotes {
  /** Folders with the new record files. Files that are missing there are unchanged in the cache. */
  from: readonly string[];
  times: Times;
  /** Ids of all configured dealers. Records of other dealers are removed. */
  configured: ReadonlySet<number>;
}

/**
 * Copies the records of the next site to a folder of the cache: first the records, then the times. Records of
 * other configured dealers stay.
 *
 * @returns whether the record of a dealer was removed.
 */
export async function saveRecords(
  folder: string,
  records: readonly WrittenNext[],
  { from, times, configured, searched, first }: SaveOptions,
): Promise<boolean> {
  makeFolder(folder);
  const cached = await cachedTimes(folder);
  await pMap(
    records,
    async ({ names }) => {
      for (const name of names) {
        const file = from.map((one) => path.join(one, name)).find((one) => existsSync(one));
        if (file === undefined) continue;
        const target = path.join(folder, name);
        if (!haveSameBytes(file, target)) await writeFileAtomic(target, readFileSync(file));
      }
    },
    { concurrency: AT_ONCE },
  );
  const configuredTimes = [...(cached?.times ?? [])].filter(([id]) => configured.has(id));
  await writeFileAtomic(
    path.join(folder, TIMES),
    writeTimes(new Map([...configuredTimes, ...times]), { searched, first }),
  );
  return removeOthers(folder, records, configured);
}

/**
 * Removes files of dealers that are no longer configured, and old files of the written records.
 *
 * @returns whether the record of a dealer was removed.
 */
function removeOthers(
  folder: string,
  records: readonly WrittenNext[],
  configured: ReadonlySet<number>,
): boolean {
  const namesById = new Map(records.map(({ id, names }) => [id, names]));
  let hasRemovedRecord = false;
  for (const { name } of entriesOf(folder)) {
    const id = Number(/^(\d+)(?:-\d+|\.files)?\.(?:json|journal)$/.exec(name)?.[1]);
    if (Number.isNaN(id)) continue;
    const names = namesById.get(id);
    if (names ? !names.includes(name) && name.endsWith('.json') : !configured.has(id)) {
      rmSync(path.join(folder, name));
      hasRemovedRecord ||= !configured.has(id);
    }
  }
  return hasRemovedRecord;
}
