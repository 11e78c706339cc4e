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
import { isFuture } from '../../lib/clock-skew.ts';
import { entriesOf } from '../../lib/files/entries-of.ts';
import type { KnownPictures } from '../../record/known-pictures.ts';
import type { Fingerprints } from '../../record/pictures.ts';
import { fingerprintOf, hashIn, outputName, sizeIn, suffixIn, timeOf } from '../fingerprint.ts';
import { OutputNames } from '../output-names.ts';
import { isOutputName } from '../recipes.ts';
import { isCardName } from './cards.ts';
import { isTemporaryName } from './folder.ts';

/** Milliseconds after which the loop yields to other tasks. */
const TURN = 50;

interface IntactOptions {
  folder: string;
  /** The thumbnails of the published site: their folder on this disk, or their names according to its lists. */
  published?: string | OutputNames;
  known: KnownPictures;
  signal?: AbortSignal;
}

export interface Intact {
  /** Intact outputs, in the published site or in the folder. */
  outputs: OutputNames;
  /** Intact outputs of the published site. They were not searched for in the folder. */
  published: OutputNames;
  /** Whether some known outputs are missing. */
  isIncomplete: boolean;
}

/**
 * Finds intact outputs: files with the size and the time that are derived from their fingerprint. If a file in
 * the folder has another time, it is read. If its bytes have the fingerprint, its time is corrected. If its
 * time matches its bytes, another configuration made it, see {@link outputsIn}. Otherwise it is removed.
 * Unknown files are ignored.
 */
export async function intactOutputs(options: IntactOptions): Promise<Intact> {
  const { folder, published, known, signal } = options;
  const intact = { outputs: new OutputNames(), published: new OutputNames(), isIncomplete: false };
  const isPublished = publishedIn(published);
  removeLinks(folder);
  let turn = performance.now();
  for (const [hash, { outputs }] of known.contents) {
    const existing: string[] = [];
    const onSite: string[] = [];
    const name = outputName(hash, '');
    for (const suffix in outputs) {
      const fingerprint = outputs[suffix] as string;
      const isOnSite = () => isPublished(hash, name, suffix, fingerprint);
      if (isOnSite()) onSite.push(suffix);
      else {
        const current = repair(`${folder}/${name}${suffix}`, fingerprint);
        if (current === undefined) {
          intact.isIncomplete = true;
          continue;
        }
        if (current !== fingerprint) known.setFingerprint(hash, suffix, current);
        // It may be a hard link to the file whose time was just corrected.
        else if (isOnSite()) onSite.push(suffix);
      }
      existing.push(suffix);
    }
    if (existing.length > 0) intact.outputs.addPictures(existing, [hash]);
    if (onSite.length > 0) intact.published.addPictures(onSite, [hash]);
    if (performance.now() - turn < TURN) continue;
    await setImmediate();
    signal?.throwIfAborted();
    turn = performance.now();
  }
  return intact;
}

/** Returns a function that checks whether the published site has an output with a fingerprint. */
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
 * Intact outputs of bytes in a folder from any build, recognised by their times. Dealers and
 * configurations that share a cache can have the same pictures. If their recipes differ, outputs of
 * the same name have different bytes, and both are valid.
 */
export function outputsIn(folder: string, hash: string): Fingerprints {
  const shard = outputName(hash, '').slice(0, 2);
  const fingerprints = entriesOf(path.join(folder, shard)).flatMap(({ name: file }) => {
    const name = `${shard}/${file}`;
    if (hashIn(name) !== hash || !isOutputName(name)) return [];
    const stats = lstatSync(path.join(folder, name));
    const fingerprint = stats.isFile() ? readFingerprint(path.join(folder, name)) : '';
    return matches(stats, fingerprint) ? [[suffixIn(name), fingerprint] as const] : [];
  });
  return Object.fromEntries(fingerprints);
}

/** Removes entries that replace folders of outputs: through a symbolic link, other files would be written or published. */
function removeLinks(folder: string): void {
  for (const entry of entriesOf(folder)) {
    if (/^[0-9a-f]{2}$/.test(entry.name) && !entry.isDirectory()) {
      rmSync(path.join(folder, entry.name), { force: true });
    }
  }
}

const matches = ({ size, mtimeMs }: Stats, fingerprint: string): boolean =>
  size === sizeIn(fingerprint) && mtimeMs === timeOf(fingerprint) * 1000;

/** Whether a file has the size and the time that are derived from a fingerprint. */
export function isIntact(file: string, fingerprint: string): boolean {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  return stats?.isFile() === true && matches(stats, fingerprint);
}

/** The fingerprint of an intact file, whose time is corrected if needed. Undefined if it is missing or was removed. */
function repair(file: string, fingerprint: string): string | undefined {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (!stats) return undefined;
  if (stats.isFile()) {
    if (matches(stats, fingerprint)) return fingerprint;
    const current = readFingerprint(file);
    if (current === fingerprint) {
      const time = timeOf(current);
      utimesSync(file, time, time);
    }
    if (current === fingerprint || matches(stats, current)) return current;
  }
  rmSync(file, { force: true, recursive: true });
  return undefined;
}

/** Read buffer, larger than nearly all thumbnails. It grows for a larger thumbnail. */
let buffer = Buffer.alloc(2 ** 18);

/**
 * Reads the files one after another into the same buffer. Separate buffers would accumulate outside of the heap,
 * invisible to the collector: 100 MB for 20,000 files (measured).
 */
function readFingerprint(file: string): string {
  const handle = openSync(file, 'r');
  try {
    for (let length = 0; ; ) {
      if (length === buffer.length) buffer = Buffer.concat([buffer], length * 2);
      const count = readSync(handle, buffer, length, buffer.length - length, null);
      if (count === 0) return fingerprintOf(buffer.subarray(0, length));
      length += count;
    }
  } finally {
    closeSync(handle);
  }
}

interface GarbageOptions {
  /** Outputs to keep. */
  planned: OutputNames;
  /**
   * Outputs that other users of the folder need. If they are unknown, it returns undefined and no output is
   * removed. Called only if there are outputs to remove.
   */
  usedByOthers: () => Promise<OutputNames | undefined>;
  /** Milliseconds since 1970. Older leftovers of killed runs are removed, and leftovers from the future. */
  before: number;
}

/** Whether a set has an output. A social card needs any output of its picture. */
const needs = (outputs: OutputNames, name: string): boolean =>
  isCardName(name) ? outputs.suffixesOf(hashIn(name)).length > 0 : outputs.has(name);

/**
 * Removes unused outputs, social cards of pictures without outputs, and incomplete files of killed runs.
 *
 * @returns how many outputs were removed.
 */
export async function removeGarbage(folder: string, options: GarbageOptions): Promise<number> {
  const { planned, usedByOthers, before } = options;
  const unplanned: string[] = [];
  for (const shard of entriesOf(folder)) {
    if (!shard.isDirectory() || !/^[0-9a-f]{2}$/.test(shard.name)) continue;
    for (const entry of entriesOf(path.join(folder, shard.name))) {
      const name = `${shard.name}/${entry.name}`;
      const file = path.join(folder, name);
      if (isOutputName(name) || isCardName(name)) {
        if (entry.isSymbolicLink()) rmSync(file, { force: true });
        else if (entry.isFile() && !needs(planned, name)) unplanned.push(name);
      } else if (entry.isFile() && isTemporaryName(entry.name)) {
        const stats = lstatSync(file, { throwIfNoEntry: false });
        const isOld = stats && (stats.mtimeMs < before || isFuture(stats.mtimeMs, before));
        if (isOld) rmSync(file, { force: true });
      }
    }
  }
  const used = unplanned.length > 0 ? await usedByOthers() : undefined;
  if (!used) return 0;
  const garbage = unplanned.filter((name) => !needs(used, name));
  for (const name of garbage) rmSync(path.join(folder, name), { force: true });
  return garbage.filter(isOutputName).length;
}
