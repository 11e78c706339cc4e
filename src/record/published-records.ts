import { closeSync, existsSync, fstatSync, openSync, readSync, rmSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import pMap from 'p-map';
import { configurationId } from '../config/identity.ts';
import type { LoadedConfig } from '../config/load.ts';
import { entriesOf } from '../lib/files/entries-of.ts';
import { makeFolder, writeFileAtomic } from '../lib/files/write.ts';
import { type GoodRecord, type RecordFiles, type WrittenRecord, writeUnlessRead } from './file.ts';
import { FolderRecords, type RecordStore, recordsInStore, storedName } from './folder.ts';
import { listMarkOf, markOf } from './mark.ts';
import type { DealerRecord } from './schema.ts';
import {
  type ConfirmedRecord,
  readTimes,
  searchedIn,
  TIMES,
  type Times,
  writeTimes,
} from './times.ts';

/** Where records lie below a site. */
export const RECORDS = 'api/records/';

const RECORD_FILE = /^api\/records\/(?:times|site\.files|\d+(?:-\d+|\.files)?)\.json$/;

/** Whether a file of a site is one that the next build remembers by. */
export const isRecordFile = (file: string): boolean => RECORD_FILE.test(file);

/** The file of a site that changes although nothing else does. */
export const PUBLISHED_TIMES = RECORDS + TIMES;

type Config = Pick<LoadedConfig, 'file' | 'site'>;

/** Where the records of a configuration lie in the cache: others may share it. */
export const recordsFolder = (cacheDir: string, config: Config): string =>
  path.join(cacheDir, 'records', configurationId(config));

/** Records that are written, and synced to disk, at the same time. */
const AT_ONCE = 8;

/**
 * The same in a store that machines share. There, each dealer has a file of times of its own: parts
 * of a site are built at the same time.
 */
export function storedRecords(store: Pick<RecordStore, 'get'>, config: LoadedConfig): RecordFiles {
  const files = recordsInStore(store, configurationId(config));
  const times = async (): Promise<Times> => {
    const found = await pMap(config.dealers, ({ id }) => timesIn(files, timesName(id)), {
      concurrency: AT_ONCE,
    });
    return new Map(found.flatMap((its) => [...its]));
  };
  return {
    isOwn: true,
    read: async (name) =>
      name === TIMES ? { bytes: Buffer.from(writeTimes(await times())) } : files.read(name),
  };
}

const timesName = (dealerId: number): string => `${dealerId}.${TIMES}`;

async function timesIn(files: RecordFiles, name: string): Promise<Times> {
  const found = await files.read(name);
  return ('bytes' in found && readTimes(found.bytes)) || new Map();
}

/** What is going to be remembered of a dealer. */
export interface NextRecord extends WrittenRecord {
  id: number;
  /** When its answer was accepted last, UTC. */
  confirmed: string;
}

/** The same without the texts, which are on the disk. */
export interface WrittenNext extends Omit<NextRecord, 'pieces'> {
  /** Names the list of its files, see `filesText`. */
  files: string;
  /** Names of its files, that list included. */
  names: readonly string[];
}

/**
 * A record as it is going to be written.
 *
 * @param confirmed when its answer was accepted last, UTC.
 * @param former what was remembered before.
 */
export const nextRecord = (
  record: DealerRecord,
  confirmed: string,
  former?: GoodRecord,
): NextRecord => ({
  id: record.dealer,
  confirmed,
  ...writeUnlessRead(record, former),
});

/**
 * When dealers were confirmed, with the marks that the next build believes their records and lists by.
 *
 * @param searched which keys the site was searched for, see `SecretSearch.mark` with the site's address.
 */
export function timesOf(
  records: readonly Pick<WrittenNext, 'id' | 'hash' | 'files' | 'confirmed'>[],
  { dealers, site }: Pick<LoadedConfig, 'dealers' | 'site'>,
  searched: string,
): Times {
  const keys = new Map(dealers.map(({ id, apiKey }) => [id, apiKey]));
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

/**
 * A file of a record as far as it need not be read: the checksum that it says of itself, its size, and
 * when it was written, in milliseconds since 1970. Undefined where it cannot be read.
 */
export function recordStat(file: string) {
  let handle: number | undefined;
  try {
    handle = openSync(file, 'r');
    const { size, mtimeMs } = fstatSync(handle);
    const end = Buffer.alloc(SUM_END);
    readSync(handle, end, 0, SUM_END, Math.max(0, size - SUM_END));
    return { sum: end.toString('latin1', 0, SUM_END - 3), size, mtimeMs };
  } catch {
    return undefined;
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

/** Bytes from where the checksum begins to the end of a file. */
const SUM_END = 25;

export interface SaveOptions {
  /** Folders of records where the files are; those that are in none are in the cache as they are. */
  from: readonly string[];
  times: Times;
  /** Ids of all dealers; what is remembered of others goes. */
  configured: ReadonlySet<number>;
  /** Which keys the site was searched for, see `SecretSearch.mark`. */
  searched: string;
}

/**
 * Takes the records of a site that is about to be published into a folder of the cache: first each
 * record, then when they were confirmed. What is known of other dealers stays.
 *
 * @returns whether a dealer was forgotten.
 */
export async function saveRecords(
  folder: string,
  records: readonly WrittenNext[],
  { from, times, configured, searched }: SaveOptions,
): Promise<boolean> {
  makeFolder(folder);
  const kept = await timesIn(new FolderRecords(folder), TIMES);
  const since = statSync(path.join(folder, TIMES), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const used = new Set<string>();
  await pMap(
    records,
    async ({ names }) => {
      for (const name of names) {
        used.add(name);
        const file = from.map((one) => path.join(one, name)).find((one) => existsSync(one));
        if (file === undefined) continue;
        const [next, there] = [recordStat(file), recordStat(path.join(folder, name))];
        // What is older than the times has not changed since it was kept (git's index goes by the same).
        const stays = there && there.mtimeMs < since && there.size === next?.size;
        if (stays && there.sum === next?.sum) continue;
        await writeFileAtomic(path.join(folder, name), await readFile(file));
      }
    },
    { concurrency: AT_ONCE },
  );
  const known = [...kept].filter(([id]) => configured.has(id));
  await writeFileAtomic(
    path.join(folder, TIMES),
    writeTimes(new Map([...known, ...times]), searched),
  );
  const written = new Set(records.map(({ id }) => id));
  let forgot = false;
  for (const { name } of entriesOf(folder)) {
    const id = Number(/^(\d+)(?:-\d+|\.files)?\.(?:json|journal)$/.exec(name)?.[1]);
    if (Number.isNaN(id)) continue;
    if (written.has(id) ? !used.has(name) && name.endsWith('.json') : !configured.has(id)) {
      rmSync(path.join(folder, name));
      forgot ||= !configured.has(id);
    }
  }
  return forgot;
}

/** Which keys the site was searched for that was published last. */
export async function readSearched(folder: string): Promise<string | undefined> {
  const found = await new FolderRecords(folder).read(TIMES);
  return 'bytes' in found ? searchedIn(found.bytes) : undefined;
}

/** Puts the records of a site that is about to be published into a store that machines share. */
export async function storeRecords(
  store: RecordStore,
  records: readonly WrittenNext[],
  { from, times, config }: Pick<SaveOptions, 'times'> & { from: string; config: Config },
): Promise<void> {
  const configuration = configurationId(config);
  const put = async (file: string, bytes: Buffer) => {
    const name = storedName(configuration, file);
    const there = await store.get(name);
    if (!there || !bytes.equals(there)) await store.put(name, bytes);
  };
  await pMap(
    records,
    async ({ id, names }) => {
      const entry = times.get(id);
      if (!entry) return;
      for (const name of names) await put(name, await readFile(path.join(from, name)));
      await put(timesName(id), Buffer.from(writeTimes(new Map([[id, entry]]))));
    },
    { concurrency: AT_ONCE },
  );
}
