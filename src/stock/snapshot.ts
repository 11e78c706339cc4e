import { createHash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import { z } from 'zod';
import { vehicleMediaRecordSchema } from '../contract/media.ts';

/** A vehicle that an accepted answer no longer listed. */
const withdrawnSchema = z.strictObject({
  vrm: z.string(),
  /** When the first answer without it was accepted, UTC. */
  since: z.iso.datetime(),
});

const snapshotSchema = z.strictObject({
  version: z.literal(1),
  dealerId: z.int(),
  /** When the answer was received, UTC. */
  takenAt: z.iso.datetime(),
  /** Accepted records in the contract's own neutral form, so that newer code can read them again. */
  records: z.array(vehicleMediaRecordSchema),
  withdrawn: z.array(withdrawnSchema),
});

export type Withdrawn = z.infer<typeof withdrawnSchema>;
export type Snapshot = z.infer<typeof snapshotSchema> & {
  /** First characters of the checksum: names exactly this snapshot, for `--accept-loss`. */
  id: string;
};

export type SnapshotRead =
  | { found: 'good'; snapshot: Snapshot }
  | { found: 'none' }
  | { found: 'corrupt'; reason: string };

/** Where what is remembered of dealers lies in the cache. */
export const snapshotFolder = (cacheDir: string): string => path.join(cacheDir, 'snapshots');

const checksum = (text: string): string => createHash('sha256').update(text).digest('hex');

const fileOf = (folder: string, dealerId: number): string =>
  path.join(folder, `dealer-${dealerId}.snapshot`);

/**
 * The last accepted answer of a dealer. A file that is torn, altered or of another version is
 * `corrupt`, with the reason; it is never partly trusted.
 */
export async function readSnapshot(folder: string, dealerId: number): Promise<SnapshotRead> {
  let text: string;
  try {
    text = await readFile(fileOf(folder, dealerId), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { found: 'none' };
    return {
      found: 'corrupt',
      reason: `it cannot be read (${(error as NodeJS.ErrnoException).code})`,
    };
  }
  const cut = text.indexOf('\n');
  const body = text.slice(cut + 1);
  const sum = checksum(body);
  if (cut !== 64 || text.slice(0, cut) !== sum) {
    return { found: 'corrupt', reason: 'its checksum does not fit' };
  }
  const parsed = snapshotSchema.safeParse(JSON.parse(body));
  if (!parsed.success || parsed.data.dealerId !== dealerId) {
    return { found: 'corrupt', reason: 'it is of another form or dealer' };
  }
  return { found: 'good', snapshot: { ...parsed.data, id: sum.slice(0, 12) } };
}

/** Writes a snapshot atomically: checksum on the first line, then JSON. Returns it with its id. */
export async function writeSnapshot(
  folder: string,
  snapshot: Omit<Snapshot, 'id' | 'version'>,
): Promise<Snapshot> {
  const body = JSON.stringify({ version: 1, ...snapshot });
  const sum = checksum(body);
  await mkdir(folder, { recursive: true });
  await writeFileAtomic(fileOf(folder, snapshot.dealerId), `${sum}\n${body}`);
  return { version: 1, ...snapshot, id: sum.slice(0, 12) };
}
