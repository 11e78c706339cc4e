import { rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ConfigError } from '../../errors.ts';
import { lockFolder, outputNamed } from '../../lib/files/folder-lock.ts';
import { reasonOf } from '../../lib/files/system-errors.ts';
import { makeFolder } from '../../lib/files/write.ts';
import { swap, workFolder } from '../output/swap.ts';
import type { MediaFolder } from '../site-diff/media-folder.ts';
import { checkSiteFolder } from './site-folder.ts';

const failure = (code: string): Error => Object.assign(new Error(code), { code });

/** Holds a published folder for one build, see {@link lockFolder}. */
export function lockOutput(output: string): Disposable {
  return lockFolder(workFolder(output), outputNamed(output));
}

/**
 * Whether a report can be written: tried, because rights do not say it of every file system.
 *
 * @param leaveFolder whether a folder that is missing is there afterwards.
 * @throws {ConfigError} it cannot.
 */
export function checkReportFile(file: string, { leaveFolder = true } = {}): void {
  const probe = `${file}.${process.pid}.tmp`;
  try {
    const made = makeFolder(path.dirname(path.resolve(file)));
    const found = statSync(file, { throwIfNoEntry: false });
    if (found?.isDirectory()) throw failure('EISDIR');
    if (found && !found.isFile()) throw failure('EEXIST');
    writeFileSync(probe, '', { flag: 'wx' });
    rmSync(probe);
    if (!leaveFolder) for (const folder of made.reverse()) rmdirSync(folder);
  } catch (cause) {
    throw new ConfigError({
      code: 'report-unusable',
      what: `The report ${file} cannot be written.`,
      why: reasonOf(cause),
      fix: 'Name another file with --report. The published site is as it was.',
      cause,
    });
  }
}

/**
 * Publishes the staged folder, see {@link swap}.
 *
 * @param media its thumbnails, where some of them may be those of the published folder.
 * @throws why the new site could not be published.
 */
export async function publishStaged(output: string, media?: MediaFolder): Promise<void> {
  // Minutes have gone by since it was looked at first.
  const listing = checkSiteFolder(output);
  const mediaStays = media?.complete(listing) === true;
  await swap(output, { mediaStays });
  if (!mediaStays) return;
  try {
    media.removeSurplus(listing);
  } catch {
    // Published; what is left there goes with the next build.
  }
}
