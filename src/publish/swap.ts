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

/** What is known of the files of the published folder, and of the staging folder. */
export const manifestFiles = (output: string): { published: string; staging: string } => ({
  published: path.join(workFolder(output), 'published.manifest'),
  staging: path.join(workFolder(output), 'next.manifest'),
});

/**
 * Puts right what a killed run may have left: a former site that was moved aside comes back if no
 * new one took its place. The staging folder stays: the next build compares each of its files.
 */
export async function recover(output: string): Promise<void> {
  const former = formerFolder(output);
  if (!existsSync(output) && existsSync(former)) await rename(former, output);
  await rm(former, { recursive: true, force: true });
}

/**
 * Replaces the published folder by the staged one: in one step where the system can, so that a kill
 * at any moment leaves the old site or the new one. Where it cannot, there is a moment between two
 * renames; {@link recover} undoes a kill in it. What was published becomes the staging folder of the
 * next build. Manifests follow; a kill before that costs the next build time, since it compares
 * files with them and makes those that differ.
 */
export async function swap(
  output: string,
  writeManifest: (file: string) => Promise<void>,
): Promise<void> {
  const staging = stagingFolder(output);
  const former = formerFolder(output);
  const manifests = manifestFiles(output);
  if (!(await exchange(staging, output))) {
    if (existsSync(output)) await rename(output, former);
    await rename(staging, output);
    if (existsSync(former)) await rename(former, staging);
  }
  if (existsSync(manifests.published)) await rename(manifests.published, manifests.staging);
  await writeManifest(manifests.published);
}
