import { rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { writeFileAtomic } from '../../files.ts';
import { readEach } from '../published/read-each.ts';
import { outputEnds, type Recipe } from '../recipes.ts';
import { dealerOf, sealed, unsealed } from './dealer-file.ts';
import { fingerprintOf, outputName, sizeIn, withOutputs } from './fingerprint.ts';
import { temporaryName } from './folder.ts';
import type { Manifest } from './manifest.ts';
import type { OutputNames } from './output-names.ts';
import { readIfThere } from './read-if-there.ts';

/** Milliseconds after which whatever else waits gets its turn. */
const TURN = 50;

/**
 * Up to when the outputs of each dealer were known to be as they were made: milliseconds since 1970,
 * by the clock of the disk. What has not changed since need not be read again; the time of a file's
 * last change is the system's alone, and on a restored cache or another disk it is a later one.
 */
export type CheckedTimes = ReadonlyMap<string, number>;

/** Reads what {@link writeCheckedTimes} wrote; a damaged file is as if there were none. */
export function readCheckedTimes(file: string): CheckedTimes {
  const body = unsealed(readIfThere(file)?.toString('latin1') ?? '');
  const rows: [string, number][] = body === undefined ? [] : JSON.parse(body);
  // A clock that was set back since says nothing about what changed when.
  return new Map(rows.filter(([, time]) => time <= Date.now()));
}

/**
 * The time by the clock of the disk that a folder is on, which need not be this machine's; less what
 * the next change cannot be told from: file systems count in ticks of up to 10 ms, some in seconds
 * or two (FAT, ext3, older shares). Milliseconds since 1970.
 */
function diskTime(folder: string): number {
  const file = temporaryName(path.join(folder, 'clock'));
  writeFileSync(file, '');
  const { ctimeMs } = statSync(file);
  rmSync(file);
  return ctimeMs - (ctimeMs % 1000 === 0 ? 2500 : 60);
}

/** Notes that the outputs of some dealers are as they were made now; of others, what was known. */
export async function writeCheckedTimes(
  file: string,
  before: CheckedTimes,
  dealers: Iterable<string>,
): Promise<void> {
  const now = diskTime(path.dirname(file));
  const times = new Map([...before, ...Array.from(dealers, (dealer) => [dealer, now] as const)]);
  // Losing it costs time alone, so nobody waits for the disk.
  await writeFileAtomic(file, sealed(JSON.stringify([...times])), { fsync: false });
}

export interface IntactOptions {
  sources: Iterable<{ key: string; recipes: readonly Recipe[] }>;
  manifest: Manifest;
  /** What others know of what is in the folder: where their recipes differ, so do their bytes. */
  others: () => readonly Pick<Manifest, 'contents'>[];
  folder: string;
  /** Names of the outputs in the folder; those that are not as they were made are taken out. */
  local: OutputNames;
  checked: CheckedTimes;
  signal?: AbortSignal | undefined;
}

/**
 * Takes out of a listing what is not as it was made, so that it is made again: outputs of another
 * size, with other bytes, or of which nothing is known. Only files that changed since they were
 * known to be as they were made are read. One that another configuration made since is good, too.
 */
export async function dropAltered(options: IntactOptions): Promise<void> {
  const { sources, manifest, others, folder, local, checked, signal } = options;
  let turn = performance.now();
  for (const { key, recipes } of sources) {
    const its = manifest.known(key);
    if (!its) continue;
    const { hash } = its.entry;
    const since = checked.get(dealerOf(key)) ?? Number.NEGATIVE_INFINITY;
    const there = local.endsOf(hash);
    const adopted: { name: string; fingerprint: string }[] = [];
    for (const end of outputEnds(its.content, recipes)) {
      if (!there.includes(end)) continue;
      const fingerprint = its.content.outputs[end];
      const name = outputName(hash, end);
      if (fingerprint && isIntact(folder, name, fingerprint, since)) continue;
      const theirs = others().flatMap(({ contents }) => contents.get(hash)?.outputs[end] ?? []);
      const now = theirs.length > 0 ? readFingerprint(folder, name) : '';
      if (theirs.includes(now)) {
        adopted.push({ name, fingerprint: now });
        continue;
      }
      local.deleteEnd(hash, end);
      if (fingerprint) rmSync(path.join(folder, name), { force: true });
    }
    if (adopted.length > 0) {
      const outputs = withOutputs(its.content.outputs, adopted);
      manifest.record(key, its.entry, { ...its.content, outputs });
    }
    if (performance.now() - turn < TURN) continue;
    await setImmediate();
    signal?.throwIfAborted();
    turn = performance.now();
  }
}

function isIntact(folder: string, name: string, fingerprint: string, since: number): boolean {
  const stats = statSync(`${folder}/${name}`, { throwIfNoEntry: false });
  if (stats?.size !== sizeIn(fingerprint)) return false;
  if (stats.ctimeMs <= since) return true;
  return readFingerprint(folder, name) === fingerprint;
}

function readFingerprint(folder: string, name: string): string {
  for (const { bytes } of readEach(folder, [name])) return fingerprintOf(bytes);
  return '';
}
