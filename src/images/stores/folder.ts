import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PUBLIC_FILE } from '../../lib/files/public-rights.ts';
import { temporaryName, writeFileAtomic } from '../../lib/files/write.ts';
import type { FoundFile } from '../../record/file.ts';
import { fingerprintOf, timeOf } from '../fingerprint.ts';

/** The folder of thumbnails in a cache. */
export const thumbnailsIn = (cacheDir: string): string => path.join(cacheDir, 'media', 'files');

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
    own: true,
    time: timeOf(fingerprint),
    // It will be published by a second name, which has the same rights.
    mode: PUBLIC_FILE,
  });

/** A store or a site that has outputs. */
export interface OutputFiles {
  /** @param name of an output. */
  read(name: string): Promise<FoundFile>;
  /** For a store in which a put leaves an existing object as it is. */
  remove?(names: Iterable<string>): Promise<void>;
}

/**
 * Copies an output into a folder if it has the fingerprint. A damaged one is removed from its store.
 *
 * @returns the reason if it could not be used.
 */
export async function copyOutput(
  from: OutputFiles,
  folder: string,
  name: string,
  fingerprint: string,
): Promise<{ bytes: Uint8Array } | { why: string }> {
  const found = await from.read(name);
  if ('why' in found) return found;
  if (fingerprintOf(found.bytes) !== fingerprint) {
    await from.remove?.([name]);
    return { why: 'their bytes have changed' };
  }
  await putOutput(folder, name, found.bytes, fingerprint);
  return found;
}

/** Writes the bytes of a source for the encoder. Returns the file. */
export function putIncoming(folder: string, hash: string, data: Uint8Array): string {
  // Its name has the form of an incomplete output, so a leftover of a killed run is removed with those.
  const file = temporaryName(path.join(folder, hash.slice(0, 2), hash));
  // Synchronous: half a millisecond into the page cache. Asynchronous calls take longer.
  try {
    writeFileSync(file, data);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, data);
  }
  return file;
}
