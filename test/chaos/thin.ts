import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { fileHash } from '../../src/record/files.ts';
import { putTree, readTree } from '../support/build.ts';
import { changeSetOf } from '../support/change-set.ts';
import { changesOf, siteOf } from './disks.ts';
import type { Tree } from './live.ts';
import { type Ran, type RunInput, runBuildOn } from './night.ts';

/** Combines a change set with the public site: the next site, and the missing files. */
async function joined(
  disk: string,
  live: Tree,
): Promise<{ files: Map<string, string>; lost: string[] }> {
  const { list, files: changed } = await changeSetOf(await readTree(changesOf(disk)));
  const files = new Map<string, string>();
  const lost: string[] = [];
  for (const { path: file, size, hash } of list.files.values()) {
    const content = [changed.get(file), live.get(file)].find((text) => {
      return text?.length === size && fileHash(Buffer.from(text, 'latin1')) === hash;
    });
    if (content === undefined) lost.push(file);
    else files.set(file, content);
  }
  const unnamed = [...changed.keys()].filter((name) => !list.files.has(name));
  if (unnamed.length > 0) throw new Error(`The list does not name ${unnamed}.`);
  return { files, lost };
}

/** A thin build and the public site after its deploy. No files if the build wrote nothing. */
export interface ThinRan {
  ran: Ran;
  files: Tree | undefined;
}

/**
 * A thin build and its deploy. If a file is lost, such as when the records of the site are from another
 * night, a full build follows.
 *
 * @param live the public site. @param arm sets the faults of the night.
 */
export async function runThin(
  disk: string,
  live: Tree,
  input: RunInput,
  arm: () => void,
  killAfter?: number,
): Promise<ThinRan> {
  const folder = changesOf(disk);
  if (existsSync(path.join(folder, 'index.html'))) await rm(folder, { recursive: true });
  const ran = await runBuildOn(disk, { ...input, leaves: 'change set' }, { killAfter });
  if (!ran.report || ran.report.outcome === 'not-published') return { ran, files: undefined };
  const { files, lost } = await joined(disk, live);
  if (lost.length === 0) return { ran, files };
  arm();
  await rm(folder, { recursive: true });
  const again = await runBuildOn(disk, { ...input, leaves: 'whole site' });
  const isPublished = again.report?.outcome !== 'not-published';
  return { ran: again, files: isPublished ? await readTree(folder) : undefined };
}

/** Replaces the site on a disk by the next one. */
export async function putSite(disk: string, files: Tree): Promise<void> {
  const site = siteOf(disk);
  putTree(`${site}.next`, files);
  await rm(site, { recursive: true, force: true });
  await rename(`${site}.next`, site);
}
