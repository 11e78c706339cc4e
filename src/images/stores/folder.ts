import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PUBLIC_FILE } from '../../lib/files/public-rights.ts';
import { temporaryName, writeFileAtomic } from '../../lib/files/write.ts';
import type { FoundFile, RecordFiles } from '../../record/file.ts';
import { fingerprintOf, timeOf } from '../fingerprint.ts';

/** Folder of the thumbnails below a site: in its URLs, and in lists of its files. */
export const MEDIA = 'media/';
/** The folder of thumbnails in a site on a disk. */
export const mediaFolder = (site: string): string => path.join(site, MEDIA.slice(0, -1));
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

/** A store, a folder or a site that has outputs, by name. */
export interface OutputFiles extends RecordFiles {
  /** For a damaged output that no later put replaces. */
  remove?(names: Iterable<string>): Promise<void>;
}

/** Reads an output if it has the fingerprint. Removes a damaged output from its store. */
export async function readOutput(
  from: OutputFiles,
  name: string,
  fingerprint: string,
): Promise<FoundFile> {
  const output = await from.read(name);
  if ('why' in output || fingerprintOf(output.bytes) === fingerprint) return output;
  await from.remove?.([name]);
  return { why: 'their bytes have changed' };
}

/** Copies an output into a folder, see {@link readOutput}. */
export async function copyOutput(
  from: OutputFiles,
  folder: string,
  name: string,
  fingerprint: string,
): Promise<FoundFile> {
  const output = await readOutput(from, name, fingerprint);
  if ('bytes' in output) await putOutput(folder, name, output.bytes, fingerprint);
  return output;
}

/** Writes the bytes of a source for the encoder. Returns the file. */
export function putIncoming(folder: string, hash: string, data: Uint8Array): string {
  // It is named like an incomplete output, so that leftovers of killed runs are removed.
  const file = temporaryName(path.join(folder, hash.slice(0, 2), hash));
  // Synchronous: half a millisecond into the page cache. Asynchronous calls take longer.
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, data);
  return file;
}
