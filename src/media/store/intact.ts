import { lstatSync, rmSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { ContentEntry, KnownPictures } from '../../record/known-pictures.ts';
import { entriesOf } from './entries-of.ts';
import { fingerprintOf, outputName, sizeIn, timeOf } from './fingerprint.ts';
import { OutputNames } from './output-names.ts';
import { readEach } from './read-each.ts';

/** Milliseconds after which whatever else waits gets its turn. */
const TURN = 50;

export interface IntactOptions {
  folder: string;
  /** What is known of bytes, and of the outputs that they have. */
  known: KnownPictures;
  /**
   * What other configurations know of bytes: where their recipes differ, so do the bytes of outputs
   * of the same name, and what either made is good.
   */
  elsewhere: (hash: string) => Iterable<Pick<ContentEntry, 'outputs'>>;
  signal?: AbortSignal | undefined;
}

/**
 * Those outputs in a folder that are as they were made. A file has the size and the time that follow
 * from its fingerprint; where it has another time its bytes are read, and it is given that time
 * again. What is not as it was made is removed, and what nobody knows of does not count.
 */
export async function intactOutputs(options: IntactOptions): Promise<OutputNames> {
  const { folder, known, elsewhere, signal } = options;
  const intact = new OutputNames();
  removeLinks(folder);
  let turn = performance.now();
  for (const [hash, { outputs }] of known.contents) {
    const there: string[] = [];
    const stem = `${folder}/${outputName(hash, '')}`;
    for (const end in outputs) {
      const fingerprint = outputs[end] as string;
      const file = stem + end;
      const state = look(file, fingerprint);
      if (state === 'missing') continue;
      if (state !== 'intact') {
        const now = state === 'unread' ? readFingerprint(file) : '';
        const isGood =
          now === fingerprint ||
          Array.from(elsewhere(hash)).some((one) => one.outputs[end] === now);
        if (!isGood) {
          rmSync(file, { force: true, recursive: true });
          continue;
        }
        if (now !== fingerprint) known.setFingerprint(hash, end, now);
        const time = timeOf(now);
        utimesSync(file, time, time);
      }
      there.push(end);
    }
    if (there.length > 0) intact.addPictures(there, [hash]);
    if (performance.now() - turn < TURN) continue;
    await setImmediate();
    signal?.throwIfAborted();
    turn = performance.now();
  }
  return intact;
}

/**
 * Whether outputs lie in a folder with the sizes and times that follow from their fingerprints. Files
 * of the store have them, and so have their second names and copies elsewhere.
 */
export function areIntact(
  folder: string,
  outputs: OutputNames,
  contents: KnownPictures['contents'],
): boolean {
  for (const [hash, ends] of outputs.pictures()) {
    const fingerprints = contents.get(hash)?.outputs;
    const stem = `${folder}/${outputName(hash, '')}`;
    for (const end of ends) {
      const fingerprint = fingerprints?.[end];
      if (fingerprint === undefined) return false;
      if (look(stem + end, fingerprint) !== 'intact') return false;
    }
  }
  return true;
}

/** Nothing here makes links; through one we would write, or publish, files from anywhere. */
function removeLinks(folder: string): void {
  for (const entry of entriesOf(folder)) {
    if (/^[0-9a-f]{2}$/.test(entry.name) && !entry.isDirectory()) {
      rmSync(path.join(folder, entry.name), { force: true });
    }
  }
}

function look(file: string, fingerprint: string): 'intact' | 'unread' | 'altered' | 'missing' {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (!stats) return 'missing';
  if (!stats.isFile()) return 'altered';
  const asMade = stats.size === sizeIn(fingerprint) && stats.mtimeMs === timeOf(fingerprint) * 1000;
  return asMade ? 'intact' : 'unread';
}

function readFingerprint(file: string): string {
  for (const { bytes } of readEach('', [file])) return fingerprintOf(bytes);
  return '';
}
