import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PUBLIC_FILE } from '../../lib/files/public-rights.ts';
import { temporaryName, writeFileAtomic } from '../../lib/files/write.ts';
import type { FoundFile } from '../../record/file.ts';
import { fingerprintOf, timeOf } from '../fingerprint.ts';

/** The folder of thumbnails in a cache. */
export const thumbnailsIn = (cacheDir: string): string => path.join(cacheDir, 'media', 'files');

/** Whether a name is temporary: of an incomplete output or source file. */
export const isTemporaryName = (name: string): boolean => /^[0-9a-f]{18}.*\.tmp$/.test(name);

/** Writes one output and sets the time that is derived from its fingerprint, see {@link timeOf}. */
export const putOutput = (
  folder: string,
  name: string,
  data: Uint8Array,
  fingerprint: string,
): Promise<void> =>
  writeFileAtomic(path.join(folder, name), data, {
    isProgramFile: true,
    time: timeOf(fingerprint),
    // It is published as a hard link, which has the same permissions.
    mode: PUBLIC_FILE,
  });

/** A store or a site that has outputs. */
export interface OutputFiles {
  /** @param name of an output. */
  read(name: string): Promise<FoundFile>;
  /** For a store whose put never replaces an object. */
  remove?(names: Iterable<string>): Promise<void>;
}

/**
 * Copies an output into a folder if it has the fingerprint. Removes a damaged output from its store.
 *
 * @returns the reason if it could not be used.
 */
export async function copyOutput(
  from: OutputFiles,
  folder: string,
  name: string,
  fingerprint: string,
): Promise<{ bytes: Uint8Array } | { why: string }> {
  const output = await from.read(name);
  if ('why' in output) return output;
  if (fingerprintOf(output.bytes) !== fingerprint) {
    await from.remove?.([name]);
    return { why: 'their bytes have changed' };
  }
  await putOutput(folder, name, output.bytes, fingerprint);
  return output;
}

/** Writes the bytes of a source for the encoder. Returns the file. */
export function putIncoming(folder: string, hash: string, data: Uint8Array): string {
  // It is named like an incomplete output, so that leftovers of killed runs are removed.
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
