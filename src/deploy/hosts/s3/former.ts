import pMap from 'p-map';
import { z } from 'zod';
import { outputName } from '../../../images/fingerprint.ts';
import { fileHashSchema } from '../../../publish/change-set/change-set.ts';
import { isThumbnail, MEDIA } from '../../../publish/site-diff/listing.ts';
import { type FoundFile, type RecordFiles, readRecord } from '../../../record/file.ts';
import { bytesHash, fileHash, filesName, readFiles } from '../../../record/files.ts';
import { isRecordFile, PUBLISHED_TIMES, RECORDS } from '../../../record/published-records.ts';
import { type ConfirmedRecord, readTimes } from '../../../record/times.ts';
import type { DeploySource } from '../../host-api/types.ts';
import { type Bucket, isKey } from './bucket.ts';

/** Says in the bucket what the last deploy put there that ended. */
const LIST = '.deployed.json';

/** Dealers that are read at the same time. */
const AT_ONCE = 8;

const listSchema = z.strictObject({
  version: z.literal(2),
  /** Names its `times.json`, which names what records and lists there are, and they name all files of dealers. */
  times: z.string().nullable(),
  /** When that site was built, UTC. */
  built: z.iso.datetime(),
  /** Files that no dealer's record or list names, with their hashes. */
  extra: z.record(z.string(), fileHashSchema),
});

/** As it was until 2026: the MD5 of each file, empty where nobody knew. */
const formerSchema = z.strictObject({
  version: z.literal(1),
  files: z.record(z.string(), z.string()),
});

/** What the last deploy says that ended. */
export interface Deployed {
  text: string;
  /** Undefined where it does not say so: an earlier version put it there. */
  times?: string | null;
  built?: string;
  extra: ReadonlyMap<string, string>;
  /** Files that are ours, in whatever state. */
  keys: readonly string[];
}

/** @returns undefined before the first deploy; so also where what is there is damaged. */
export async function readDeployed(bucket: Bucket): Promise<Deployed | undefined> {
  const bytes = await bucket.getFile(LIST);
  if (!bytes) return undefined;
  const text = bytes.toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const list = listSchema.safeParse(value).data;
  if (list) {
    const { times, built } = list;
    const extra = new Map(Object.entries(list.extra).filter(([key]) => isKey(key)));
    return { text, times, built, extra, keys: [] };
  }
  const keys = Object.keys(formerSchema.safeParse(value).data?.files ?? {});
  return { text, extra: new Map(), keys: keys.filter(isKey) };
}

/** The same for a site that is going to be there. @param former what was there before. */
export async function deployedOf(
  source: DeploySource,
  former: Deployed | undefined,
): Promise<string> {
  const { files, built } = source;
  const file = files.get(PUBLISHED_TIMES);
  const times = file && (await source.bytes(file));
  const isRecorded = times !== undefined && readTimes(times) !== undefined;
  const listed = await listedIn(source);
  // What speaks of all dealers, or is somebody's own, is always on this disk; of the rest, a list of a
  // dealer names what is not.
  const isExtra = (path: string) =>
    (source.has(path) || former?.extra.has(path)) &&
    !listed.has(path) &&
    !isThumbnail(path) &&
    (!isRecordFile(path) || path === SITE_LIST);
  const extra = [...files.values()]
    .filter(({ path }) => !isRecorded || isExtra(path))
    .map(({ path, hash }) => [path, hash] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify({
    version: 2,
    times: times ? bytesHash(times) : null,
    built,
    extra: Object.fromEntries(extra),
  });
}

/** Files that lists of dealers name which are on this disk. */
async function listedIn(source: DeploySource): Promise<Set<string>> {
  const listed = new Set<string>();
  for (const [path, file] of source.files) {
    if (!LIST_OF_DEALER.test(path) || !source.has(path)) continue;
    for (const page of readFiles(await source.bytes(file))?.rows.keys() ?? []) listed.add(page);
  }
  return listed;
}

export const writeDeployed = (bucket: Bucket, text: string): Promise<void> =>
  bucket.putOwn(LIST, text);

const SITE_LIST = RECORDS + filesName('site');
const LIST_OF_DEALER = /^api\/records\/\d+\.files\.json$/;

/** What lies in the bucket of ours. */
export interface Former {
  /** Hash of what lies there under a name of ours; undefined where only the name is known. */
  files: Map<string, string | undefined>;
  /** Whether all names of ours are known. */
  isWhole: boolean;
}

/**
 * Reads from the bucket's own records what lies there. Where the last deploy did not end with these,
 * they say which files are ours, and not what is in them.
 */
export async function readFormer(
  bucket: Bucket,
  source: DeploySource,
  deployed: Deployed | undefined,
): Promise<Former> {
  const files: Former['files'] = new Map();
  for (const key of deployed?.keys ?? []) files.set(key, undefined);
  for (const [key, hash] of deployed?.extra ?? []) files.set(key, hash);
  const bytes = await bucket.getFile(PUBLISHED_TIMES);
  const times = bytes && readTimes(bytes);
  if (!bytes) return { files, isWhole: true };
  files.set(PUBLISHED_TIMES, fileHash(bytes));
  const isLast = deployed?.times === bytesHash(bytes);
  if (!times) return { files, isWhole: isLast };
  const add: Add = (key, hash) => {
    if (isKey(key)) files.set(key, isLast ? hash : undefined);
  };
  const ofDealers = await pMap(
    times,
    ([dealer, entry]) => addDealer({ bucket, source }, dealer, entry, add),
    { concurrency: AT_ONCE },
  );
  let isWhole = ofDealers.every(Boolean);
  if (deployed?.times === undefined) {
    const list = await bucket.getFile(SITE_LIST);
    const rows = list && readFiles(list)?.rows;
    isWhole &&= rows !== undefined;
    for (const key of [...(rows?.keys() ?? []), SITE_LIST]) if (!files.has(key)) add(key);
  }
  return { files, isWhole };
}

/** @param hash undefined where nobody knows what is in it. */
type Add = (key: string, hash?: string) => void;

/**
 * Adds what the list and the record of a dealer name. Those of another night than the times, as a deploy
 * leaves them that was cut off, say what is ours, and not what is in it.
 *
 * @returns whether both could be read.
 */
async function addDealer(
  { bucket, source }: { bucket: Bucket; source: DeploySource },
  dealer: number,
  entry: ConfirmedRecord,
  add: Add,
): Promise<boolean> {
  const [onDisk, inBucket] = [fromDisk(source), fromBucket(bucket)];
  const name = filesName(dealer);
  // Mostly the new site has the same ones, and on this disk.
  let list = await bytesIn(onDisk, name);
  if (!list || bytesHash(list) !== entry.files) list = await bytesIn(inBucket, name);
  const rows = list && readFiles(list)?.rows;
  const isListed = list !== undefined && bytesHash(list) === entry.files;
  if (list) add(RECORDS + name, isListed ? fileHash(list) : undefined);
  for (const [key, { hash }] of rows ?? []) add(key, isListed ? hash : undefined);

  let read = await readRecord(onDisk, dealer, entry.record);
  if ('why' in read) read = await readRecord(inBucket, dealer);
  if ('why' in read) return false;
  const isNamed = read.hash === entry.record;
  for (const piece of read.pieces) add(RECORDS + piece.name, isNamed ? piece.hash : undefined);
  for (const [hash, , , , outputs] of read.record.contents) {
    for (const [end, fingerprint] of Object.entries(outputs)) {
      const its = fingerprint.slice(fingerprint.indexOf('-') + 1);
      add(MEDIA + outputName(hash, end), isNamed ? its : undefined);
    }
  }
  return rows !== undefined;
}

async function bytesIn(files: RecordFiles, name: string): Promise<Uint8Array | undefined> {
  const found = await files.read(name);
  return 'bytes' in found ? found.bytes : undefined;
}

const NONE: FoundFile = { why: 'there is none', missing: true };

const fromDisk = (source: DeploySource): RecordFiles => ({
  read: async (name) => {
    const file = source.files.get(RECORDS + name);
    return file && source.has(file.path) ? { bytes: await source.bytes(file) } : NONE;
  },
});

const fromBucket = (bucket: Bucket): RecordFiles => ({
  read: async (name) => {
    const bytes = await bucket.getFile(RECORDS + name);
    return bytes ? { bytes } : NONE;
  },
});
