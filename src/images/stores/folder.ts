import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdir, open, rename, utimes } from 'node:fs/promises';
import path from 'node:path';
import { timeOf } from '../fingerprint.ts';

/** Machines that share a folder may have processes of the same number. */
const run = randomBytes(4).toString('hex');
let counter = 0;

/** A name beside a file that no other process takes, and that is no output's. */
export const temporaryName = (target: string): string => `${target}.${run}-${counter++}.tmp`;

/** Whether a name is one that {@link temporaryName} gives to outputs, and to bytes of a source. */
export const isTemporaryName = (name: string): boolean => /^[0-9a-f]{18}.*\.tmp$/.test(name);

/**
 * Writes a file so that it is there whole or not at all, also when the process is killed or the power
 * fails: its bytes are on the disk before it has its name.
 *
 * @param time of last modification, in seconds since 1970.
 */
export async function putAtomic(target: string, data: Uint8Array, time?: number): Promise<void> {
  // The temporary name is no output name, so a torn one is never taken for an output.
  const temporary = temporaryName(target);
  await mkdir(path.dirname(target), { recursive: true });
  const file = await open(temporary, 'w');
  try {
    await file.writeFile(data);
    await file.datasync();
  } finally {
    await file.close();
  }
  // By its name: the encoder process is not allowed the other way.
  if (time !== undefined) await utimes(temporary, time, time);
  await rename(temporary, target);
}

/** Writes one output with the time that its bytes ask for, see {@link putAtomic} and {@link timeOf}. */
export const putOutput = (
  folder: string,
  name: string,
  data: Uint8Array,
  fingerprint: string,
): Promise<void> => putAtomic(path.join(folder, name), data, timeOf(fingerprint));

/** Puts the bytes of a source where the encoder can read them; returns the file. */
export function putIncoming(folder: string, hash: string, data: Uint8Array): string {
  // A leftover of a killed run has the form of a torn output, and goes with those.
  const file = temporaryName(path.join(folder, hash.slice(0, 2), hash));
  // Synchronous: half a millisecond into the page cache, where four trips to a thread take longer.
  try {
    writeFileSync(file, data);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, data);
  }
  return file;
}
