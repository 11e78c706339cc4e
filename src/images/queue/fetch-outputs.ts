import path from 'node:path';
import pMap from 'p-map';
import { fingerprintOf, suffixIn } from '../fingerprint.ts';
import type { Outcome, PictureTask, PictureTaskPlan } from '../process/tasks.ts';
import { outputNames, type Recipe } from '../recipes.ts';
import { putOutput } from '../stores/folder.ts';
import { isIntact } from '../stores/intact-outputs.ts';
import type { JobResult } from './jobs.ts';

/** Pictures whose outputs are fetched at the same time. */
const AT_ONCE = 16;

type Destination = Pick<PictureTaskPlan, 'folder' | 'existing' | 'store'>;

/**
 * Fetches the outputs of a vehicle from the store, or looks for them in the shared folder.
 *
 * @returns whether all of them are as the worker reported.
 */
export async function fetchOutputs(
  destination: Destination,
  tasks: readonly PictureTask[],
  { outcomes }: JobResult,
): Promise<boolean> {
  const recipes = new Map(tasks.map(({ source }) => [source.key, source.recipes]));
  const fetched = await pMap(
    outcomes,
    (outcome) => fetchPicture(outcome, recipes.get(outcome.key) ?? [], destination),
    { concurrency: AT_ONCE },
  );
  return fetched.every(Boolean);
}

async function fetchPicture(
  outcome: Outcome,
  recipes: readonly Recipe[],
  { folder, existing, store }: Destination,
): Promise<boolean> {
  if (!outcome.ok) return true;
  const { entry, content } = outcome;
  for (const name of outputNames({ hash: entry.hash, ...content }, recipes)) {
    if (existing.has(name)) continue;
    const fingerprint = content.outputs[suffixIn(name)] ?? '';
    if (store) {
      const found = await store.picture(name);
      if ('why' in found) return false;
      if (fingerprintOf(found.bytes) !== fingerprint) {
        // A put leaves an existing object as it is, so a damaged one is removed.
        await store.remove([name]);
        return false;
      }
      await putOutput(folder, name, found.bytes, fingerprint);
    } else if (!isIntact(path.join(folder, name), fingerprint)) return false;
    existing.add(name);
  }
  return true;
}
