import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { exchange } from './exchange.ts';

/**
 * The working folder beside the output: on the same file system, so that renaming is enough, and
 * never inside what is published.
 */
export function workFolder(output: string): string {
  return path.join(path.dirname(output), `.${path.basename(output)}.work`);
}

/** Where the new site is built. */
export const stagingFolder = (output: string): string => path.join(workFolder(output), 'next');

const formerFolder = (output: string): string => path.join(workFolder(output), 'former');

/**
 * Puts right what a killed run may have left: a former site that was already moved aside comes
 * back if no new one took its place, and half-built ones go.
 */
export async function recover(output: string): Promise<void> {
  const former = formerFolder(output);
  if (!existsSync(output) && existsSync(former)) await rename(former, output);
  await rm(former, { recursive: true, force: true });
  await rm(stagingFolder(output), { recursive: true, force: true });
}

/**
 * Replaces the published folder by the staged one: in one step where the system can, so that a kill
 * at any moment leaves the old site or the new one. Where it cannot, there is a moment between two
 * renames; {@link recover} undoes a kill in it.
 */
export async function swap(output: string): Promise<void> {
  const staging = stagingFolder(output);
  const former = formerFolder(output);
  if (await exchange(staging, output)) {
    await rm(staging, { recursive: true, force: true });
    return;
  }
  if (existsSync(output)) await rename(output, former);
  await rename(staging, output);
  await rm(former, { recursive: true, force: true });
}
