import {
  closeSync,
  existsSync,
  lstatSync,
  openSync,
  readSync,
  rmSync,
  type Stats,
  utimesSync,
} from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { entriesOf } from '../../lib/files/entries-of.ts';
import type { KnownPictures } from '../../record/known-pictures.ts';
import type { Fingerprints } from '../../record/pictures.ts';
import { fingerprintOf, hashIn, outputName, sizeIn, suffixIn, timeOf } from '../fingerprint.ts';
import { OutputNames } from '../output-names.ts';
import { isOutputName } from '../recipes.ts';

/** Milliseconds after which whatever else waits gets its turn. */
const TURN = 50;

export interface IntactOptions {
  folder: string;
  /** The thumbnails of the published site: where they are on this disk, or what they are known to be. */
  published?: string | OutputNames | undefined;
  /** What is known of bytes, and of the outputs that they have. */
  known: KnownPictures;
  signal?: AbortSignal | undefined;
}

export interface Intact {
  /** Outputs that are as they were made, in the published site or in the folder. */
  outputs: OutputNames;
  /** Those that the published site has. Nobody looked for them in the folder. */
  published: OutputNames;
  /** Whether some that are known are not among them. */
  lacks: boolean;
}

/**
 * Those outputs that are as they were made. A file has the size and the time that follow from its
 * fingerprint; in the folder, one that has not is read, and given that time again. What is not as it
 * was made is removed from there, and what nobody knows of does not count.
 */
export async function intactOutputs({
  folder,
  published,
  known,
  signal,
}: IntactOptions): Promise<Intact> {
  const intact = { outputs: new OutputNames(), published: new OutputNames(), lacks: false };
  const isPublished = publishedIn(published);
  removeLinks(folder);
  let turn = performance.now();
  for (const [hash, { outputs }] of known.contents) {
    const there: string[] = [];
    const shown: string[] = [];
    const name = outputName(hash, '');
    for (const suffix in outputs) {
      const fingerprint = outputs[suffix] as string;
      const isShown = () => isPublished(hash, name, suffix, fingerprint);
      if (isShown()) shown.push(suffix);
      else {
        const now = mended(`${folder}/${name}${suffix}`, fingerprint);
        if (now === undefined) {
          intact.lacks = true;
          continue;
        }
        if (now !== fingerprint) known.setFingerprint(hash, suffix, now);
        // It may be the same file, whose time is right now.
        else if (isShown()) shown.push(suffix);
      }
      there.push(suffix);
    }
    if (there.length > 0) intact.outputs.addPictures(there, [hash]);
    if (shown.length > 0) intact.published.addPictures(shown, [hash]);
    if (performance.now() - turn < TURN) continue;
    await setImmediate();
    signal?.throwIfAborted();
    turn = performance.now();
  }
  return intact;
}

/** Tells whether the published site has an output with this fingerprint. */
function publishedIn(published: IntactOptions['published']) {
  if (typeof published === 'string' && existsSync(published)) {
    return (_: string, name: string, suffix: string, fingerprint: string) =>
      isIntact(`${published}/${name}${suffix}`, fingerprint);
  }
  const names = typeof published === 'string' ? undefined : published;
  return (hash: string, _: string, suffix: string) =>
    names?.suffixesOf(hash).includes(suffix) === true;
}

/**
 * Outputs of bytes that lie in a folder as they were made, whoever made them: their times say so.
 * Configurations that share a cache, and dealers, have the same pictures; where their recipes differ, so
 * do the bytes of outputs of the same name, and what either made is good.
 */
export function outputsIn(folder: string, hash: string): Fingerprints {
  const shard = outputName(hash, '').slice(0, 2);
  const its = entriesOf(path.join(folder, shard)).flatMap(({ name: file }) => {
    const name = `${shard}/${file}`;
    if (hashIn(name) !== hash || !isOutputName(name)) return [];
    const stats = lstatSync(path.join(folder, name));
    const fingerprint = stats.isFile() ? readFingerprint(path.join(folder, name)) : '';
    return asMade(stats, fingerprint) ? [[suffixIn(name), fingerprint] as const] : [];
  });
  return Object.fromEntries(its);
}

/** Nothing here makes links; through one we would write, or publish, files from anywhere. */
function removeLinks(folder: string): void {
  for (const entry of entriesOf(folder)) {
    if (/^[0-9a-f]{2}$/.test(entry.name) && !entry.isDirectory()) {
      rmSync(path.join(folder, entry.name), { force: true });
    }
  }
}

const asMade = ({ size, mtimeMs }: Stats, fingerprint: string): boolean =>
  size === sizeIn(fingerprint) && mtimeMs === timeOf(fingerprint) * 1000;

function isIntact(file: string, fingerprint: string): boolean {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  return stats?.isFile() === true && asMade(stats, fingerprint);
}

/** The fingerprint of a file that is good; undefined where there is none, or no longer. */
function mended(file: string, fingerprint: string): string | undefined {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (!stats) return undefined;
  if (stats.isFile()) {
    if (asMade(stats, fingerprint)) return fingerprint;
    const now = readFingerprint(file);
    if (now === fingerprint) {
      const time = timeOf(now);
      utimesSync(file, time, time);
    }
    if (now === fingerprint || asMade(stats, now)) return now;
  }
  rmSync(file, { force: true, recursive: true });
  return undefined;
}

/** Larger than nearly all thumbnails; it grows where one is larger. */
let memory = Buffer.alloc(2 ** 18);

/**
 * One after another, each file is read into the same memory: bytes of their own would lie about
 * outside of the heap, where the collector does not see them, 100 MB for 20,000 files (measured).
 */
function readFingerprint(file: string): string {
  const handle = openSync(file, 'r');
  try {
    for (let length = 0; ; ) {
      if (length === memory.length) memory = Buffer.concat([memory], length * 2);
      const count = readSync(handle, memory, length, memory.length - length, null);
      if (count === 0) return fingerprintOf(memory.subarray(0, length));
      length += count;
    }
  } finally {
    closeSync(handle);
  }
}
