import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PUBLIC_FILE } from '../../lib/files/public-rights.ts';
import { temporaryName, writeFileAtomic } from '../../lib/files/write.ts';
import { timeOf } from '../fingerprint.ts';

/** Whether a name is the temporary one of an incomplete output or source file. */
export const isTemporaryName = (name: string): boolean => /^[0-9a-f]{18}.*\.tmp$/.test(name);

/** Writes one output and sets the time that follows from its fingerprint, see {@link timeOf}. */
export const putOutput = (
  folder: string,
  name: string,
  data: Uint8Array,
  fingerprint: string,
): Promise<void> =>
  writeFileAtomic(path.join(folder, name), data, {
    ...{ own: true, time: timeOf(fingerprint) },
    // It will be published by a second name, which has the same rights.
    mode: PUBLIC_FILE,
  });

/** Writes the bytes of a source for the encoder; returns the file. */
export function putIncoming(folder: string, hash: string, data: Uint8Array): string {
  // Its name has the form of an incomplete output, so a leftover of a killed run is removed with those.
  const file = temporaryName(path.join(folder, hash.slice(0, 2), hash));
  // Synchronous: half a millisecond into the page cache; asynchronous calls take longer.
  try {
    writeFileSync(file, data);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, data);
  }
  return file;
}
