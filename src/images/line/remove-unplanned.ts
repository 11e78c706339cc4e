import type { KnownPictures } from '../../record/known-pictures.ts';
import { OutputNames } from '../output-names.ts';
import { type GarbageOptions, removeGarbage } from '../stores/intact-outputs.ts';
import type { ThumbnailStore } from '../stores/thumbnail-store.ts';

interface RemovalOptions extends Pick<GarbageOptions, 'usedByOthers' | 'before'> {
  folder: string;
  /** Whether to search the folder. */
  searches: boolean;
  store: ThumbnailStore | undefined;
  known: KnownPictures;
  outputsToKeep: OutputNames;
}

/** Removes outputs that are not planned from the folder and the shared store. @returns the number in the folder. */
export async function removeUnplanned({
  folder,
  searches,
  store,
  known,
  outputsToKeep,
  usedByOthers,
  before,
}: RemovalOptions): Promise<number> {
  const removed = searches
    ? await removeGarbage(folder, { planned: outputsToKeep, usedByOthers, before })
    : 0;
  if (store) await removeStored(store, { known, outputsToKeep, usedByOthers });
  return removed;
}

/**
 * Removes outputs that are in the previous records, but no longer in any record of this cache. An output that a
 * worker is putting for a later build is in no record, so it is not removed.
 */
async function removeStored(
  store: ThumbnailStore,
  {
    known,
    outputsToKeep,
    usedByOthers,
  }: Pick<RemovalOptions, 'known' | 'outputsToKeep' | 'usedByOthers'>,
): Promise<void> {
  const recorded = new OutputNames();
  for (const [hash, { outputs }] of known.contents) {
    recorded.addPictures(Object.keys(outputs), [hash]);
  }
  const unplanned = [...recorded.without(outputsToKeep)];
  const used = unplanned.length > 0 ? await usedByOthers() : undefined;
  if (used) await store.remove(unplanned.filter((name) => !used.has(name)));
}
