import { lstatSync, rmSync } from 'node:fs';
import path from 'node:path';
import { isFuture } from '../../lib/clock-skew.ts';
import { entriesOf } from '../../lib/files/entries-of.ts';
import type { OutputNames } from '../output-names.ts';
import { isOutputName } from '../recipes.ts';
import { isTemporaryName } from './folder.ts';

export interface GarbageOptions {
  /** Outputs that stay. */
  planned: OutputNames;
  /**
   * Outputs that other users of the folder need; undefined where they are not known: then none is
   * removed. Called only if there are outputs to remove.
   */
  usedByOthers: () => Promise<OutputNames | undefined>;
  /** Leftovers of killed runs are removed if they are older, or in the future: milliseconds since 1970. */
  before: number;
}

/**
 * Removes unused outputs, and incomplete files of killed runs.
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
      if (isOutputName(name)) {
        if (entry.isSymbolicLink()) rmSync(file, { force: true });
        else if (entry.isFile() && !planned.has(name)) unplanned.push(name);
      } else if (entry.isFile() && isTemporaryName(entry.name)) {
        const stats = lstatSync(file, { throwIfNoEntry: false });
        const isOld = stats && (stats.mtimeMs < before || isFuture(stats.mtimeMs, before));
        if (isOld) rmSync(file, { force: true });
      }
    }
  }
  const used = unplanned.length > 0 ? await usedByOthers() : undefined;
  if (!used) return 0;
  const garbage = unplanned.filter((name) => !used.has(name));
  for (const name of garbage) rmSync(path.join(folder, name), { force: true });
  return garbage.length;
}
