import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { configurationId } from '../config/identity.ts';
import type { LoadedConfig } from '../config/load.ts';
import { type VehicleMediaRecord, vehicleMediaRecordSchema } from '../contract/media.ts';
import { writeFileAtomic } from '../files.ts';
import type { AnswerCounts } from './accept.ts';

/** A vehicle that an accepted answer no longer listed. */
const withdrawnSchema = z.strictObject({
  vrm: z.string(),
  /** When the first answer without it was accepted, UTC. */
  since: z.iso.datetime(),
});

/** What every version of a snapshot says. */
const snapshotSchema = z.object({
  dealerId: z.int(),
  /** When the answer was received, UTC. */
  takenAt: z.iso.datetime(),
  /** Accepted records in the contract's own neutral form, so that newer code can read them again. */
  records: z.array(vehicleMediaRecordSchema),
  withdrawn: z.array(withdrawnSchema),
});

export type Withdrawn = z.infer<typeof withdrawnSchema>;

/** The answer that a snapshot is of. */
export interface TakenAnswer {
  /** Of its bytes. */
  digest: string;
  /** How it was accepted, see `acceptance`. */
  accepted: string;
  counts: AnswerCounts;
}

export type NewSnapshot = z.infer<typeof snapshotSchema> & { answer: TakenAnswer };

export type Snapshot = Omit<NewSnapshot, 'answer'> & {
  /** Names exactly these vehicles, see {@link vehiclesId}. */
  id: string;
  /** Undefined where the records were accepted in another way than today's. */
  answer?: TakenAnswer | undefined;
  /** Checksum of the file of records; undefined where they are in the snapshot itself (version 1). */
  stored?: string | undefined;
};

export type SnapshotRead =
  | { found: 'good'; snapshot: Snapshot }
  | { found: 'none' }
  | { found: 'corrupt'; reason: string };

/** The first line of a snapshot is the checksum of the second, which is this. */
interface Head extends Omit<NewSnapshot, 'records'> {
  version: 2;
  /** Checksum of the records, which lie in a file of their own: most nights they stay as they are. */
  stored: string;
}

/**
 * Where the last good answers of a configuration lie in the cache. Two that share one may have dealers
 * of the same id at different services, and what one published says nothing of the other's site.
 */
export const snapshotFolder = (
  cacheDir: string,
  config: Pick<LoadedConfig, 'file' | 'site'>,
): string => path.join(cacheDir, 'snapshots', configurationId(config));

const checksum = (text: string | Buffer): string => hash('sha256', text, 'hex');

const fileOf = (folder: string, dealerId: number): string =>
  path.join(folder, `dealer-${dealerId}.snapshot`);

/** Named by what is in it: so it is there before the snapshot that speaks of it. */
const recordsName = (dealerId: number, stored: string): string =>
  `dealer-${dealerId}.${stored.slice(0, 20)}.records`;

/**
 * Names a set of vehicles, for `--accept-loss`: the same wherever they are remembered, so that a
 * person may accept on another machine what was held on this one.
 */
export function vehiclesId(vrms: Iterable<string>): string {
  return checksum(JSON.stringify([...new Set(vrms)].sort())).slice(0, 12);
}

const idOf = (records: readonly { vrm: string }[]): string =>
  vehiclesId(records.map(({ vrm }) => vrm));

const corrupt = (reason: string): SnapshotRead => ({ found: 'corrupt', reason });

/**
 * The last accepted answer of a dealer. A file that is torn, altered or of another version is
 * `corrupt`, with the reason; it is never partly trusted.
 *
 * @param accepted how answers are accepted now. Records that were accepted in the same way are not
 *   looked at again: the checksum says that they are as we wrote them.
 */
export async function readSnapshot(
  folder: string,
  dealerId: number,
  accepted?: string,
): Promise<SnapshotRead> {
  let text: string;
  try {
    text = await readFile(fileOf(folder, dealerId), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { found: 'none' };
    return corrupt(`it cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
  const cut = text.indexOf('\n');
  const body = text.slice(cut + 1);
  const sum = checksum(body);
  if (cut !== 64 || text.slice(0, cut) !== sum) return corrupt('its checksum does not fit');
  const head: Head | { version: unknown } | null = JSON.parse(body);
  // Version 1 has its records in itself.
  if (head?.version === 1) return parsed(head, dealerId);
  if (head?.version !== 2) return corrupt('it is of another form or dealer');
  const { version: _, stored, answer, ...rest } = head as Head;
  const records = readRecords(folder, dealerId, stored);
  if (!records) return corrupt('the checksum of its records does not fit');
  const snapshot = { ...rest, records };
  if (answer.accepted !== accepted) return parsed(snapshot, dealerId, stored);
  if (rest.dealerId !== dealerId) return corrupt('it is of another form or dealer');
  return { found: 'good', snapshot: { ...snapshot, id: idOf(records), stored, answer } };
}

/** The records of a snapshot; undefined where they are not those that were stored. */
export function readRecords(
  folder: string,
  dealerId: number,
  stored: string,
): VehicleMediaRecord[] | undefined {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path.join(folder, recordsName(dealerId, stored)));
  } catch {
    return undefined;
  }
  return checksum(bytes) === stored ? JSON.parse(bytes.toString('utf8')) : undefined;
}

/** A snapshot of other code than ours, as far as it is in the form of ours. */
function parsed(content: unknown, dealerId: number, stored?: string): SnapshotRead {
  const { success, data } = snapshotSchema.safeParse(content);
  if (!success || data.dealerId !== dealerId) return corrupt('it is of another form or dealer');
  return { found: 'good', snapshot: { ...data, id: idOf(data.records), stored } };
}

/** A snapshot that is the dealer's last good answer once it is accepted. */
export interface PreparedSnapshot {
  snapshot: Snapshot;
  /** To be called when what was made of the answer is published. */
  accept: () => Promise<void>;
}

/**
 * Stores the records of an answer, so that they can be read again, beside those of the last good
 * answer. Which of both is the last good one is said by one small file, and changes with `accept`:
 * at any moment the old one or the new one is there.
 *
 * @param former the snapshot that it replaces; records that are the very same are not written again.
 */
export async function prepareSnapshot(
  folder: string,
  { dealerId, takenAt, records, withdrawn, answer }: NewSnapshot,
  former?: Snapshot,
): Promise<PreparedSnapshot> {
  await mkdir(folder, { recursive: true });
  let stored = records === former?.records ? former.stored : undefined;
  if (stored === undefined) {
    const text = JSON.stringify(records);
    stored = checksum(text);
    await writeFileAtomic(path.join(folder, recordsName(dealerId, stored)), text);
  }
  const head: Head = { version: 2, dealerId, takenAt, stored, withdrawn, answer };
  const body = JSON.stringify(head);
  const sum = checksum(body);
  return {
    snapshot: { id: idOf(records), dealerId, takenAt, records, withdrawn, answer, stored },
    accept: () => writeFileAtomic(fileOf(folder, dealerId), `${sum}\n${body}`),
  };
}

/**
 * Removes records that no snapshot speaks of any more: those of earlier answers, and of answers that
 * were never published.
 *
 * @param used checksum of the stored records by dealer; files of other dealers stay.
 */
export async function removeUnusedRecords(
  folder: string,
  used: ReadonlyMap<number, string>,
): Promise<void> {
  for (const name of await readdir(folder)) {
    const id = Number(/^dealer-(\d+)\.[0-9a-f]{20}\.records$/.exec(name)?.[1]);
    const stored = used.get(id);
    if (stored === undefined || name === recordsName(id, stored)) continue;
    await rm(path.join(folder, name), { force: true });
  }
}
