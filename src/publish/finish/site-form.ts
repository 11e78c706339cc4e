import { statSync } from 'node:fs';
import path from 'node:path';
import { MEDIA } from '../../change-set/listing.ts';
import { entriesOf } from '../../lib/files/entries-of.ts';
import { linkFiles } from '../../lib/files/hard-link.ts';
import { makePublic } from '../../lib/files/public-rights.ts';
import { isSafeFile } from '../../lib/files/safe-file.ts';
import { RECORDS } from '../../record/published-records.ts';
import type { MadePages } from '../chunk/built-chunk.ts';
import { checkSiteFolder } from '../folder-checks/site-folder.ts';
import { swap } from '../output/swap.ts';
import { MediaFolder } from '../site-diff/media-folder.ts';
import type { SiteLists } from '../site-diff/site-lists.ts';
import type { FinishOptions, Form } from './finish.ts';

/** The lists of files in the published folder. */
type Lists = Pick<SiteLists, 'dealers' | 'since'>;

/** The next site as a folder, which takes the place of the published one. */
export function siteForm(options: FinishOptions & { lists: Lists }): Form {
  const { output, staging, made } = options;
  let media: MediaFolder | undefined;
  return {
    isPublished: () => isPublished(options),
    place: () => {
      for (const { kept } of made) linkFiles(kept, output, staging);
      media = new MediaFolder(options.media, output);
    },
    has: (file) => isSiteFile(staging, file),
    records: [path.join(staging, RECORDS)],
    publish: () => publish(staging, output, media),
  };
}

/** @throws {GateError} the new site could not be published. */
async function publish(staging: string, output: string, media?: MediaFolder): Promise<void> {
  // The folder may have changed since the check at the start of the build.
  const listing = checkSiteFolder(output);
  const mediaStays = media?.complete(listing) === true;
  makePublic(staging);
  await swap(output, { mediaStays });
  if (!mediaStays) return;
  try {
    media.removeSurplus(listing);
  } catch {
    // The site is published; the next build removes the leftovers.
  }
}

/** Whether a folder holds a regular file at a path of a site. */
export const isSiteFile = (folder: string, file: string): boolean =>
  // An unsafe path could lead out of the folder.
  isSafeFile(file) &&
  statSync(path.join(folder, file), { throwIfNoEntry: false })?.isFile() === true;

/**
 * Whether the published folder holds exactly the planned files. Files that no build made are not in it: that
 * was checked when the folder was claimed.
 */
export function isPublished({
  made,
  media: { outputs, unpublished },
  lists,
  output,
}: Pick<FinishOptions, 'media' | 'output'> & {
  lists: Lists;
  made: readonly Pick<MadePages, 'isChanged' | 'records'>[];
}): boolean {
  if (unpublished.size > 0 || made.some(({ isChanged }) => isChanged)) return false;
  const dealers = new Set(made.flatMap(({ records }) => records.map(({ id }) => id)));
  if (lists.dealers?.length !== dealers.size) return false;
  return entriesOf(path.join(output, MEDIA)).every(({ name: shard }) => {
    const folder = path.join(output, MEDIA, shard);
    // The folder has not changed since the last check, and all planned thumbnails are in it.
    if (statSync(folder).mtimeMs < lists.since) return true;
    return entriesOf(folder).every(({ name }) => outputs.has(`${shard}/${name}`));
  });
}
