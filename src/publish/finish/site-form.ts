import { lstatSync, rmdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import path from 'node:path';
import type { SiteListing } from '../../change-set/listing.ts';
import { MEDIA, mediaFolder } from '../../images/stores/folder.ts';
import { entriesOf } from '../../lib/files/entries-of.ts';
import { linkFile, linkFiles } from '../../lib/files/hard-link.ts';
import { makePublic } from '../../lib/files/public-rights.ts';
import { isSafeFile } from '../../lib/files/safe-file.ts';
import type { MadePages } from '../chunk/built-chunk.ts';
import { checkSiteFolder } from '../folder-checks/site-folder.ts';
import { stagingFolder, swap, whyImmovable, workFolder } from '../output/swap.ts';
import type { FilesInFolder } from '../site-diff/published-files.ts';
import type { Form, NextSite } from './finish.ts';

type Thumbnails = NextSite['media'];

type Published = Pick<FilesInFolder, 'dealers' | 'since'>;

/**
 * The next site as a folder that replaces the published one. A site has about twenty times as many thumbnails as
 * pages, and most of them never change. So the published folder of thumbnails moves into the next site, and only
 * missing thumbnails are staged. All are staged if the folder has none of them or cannot be moved.
 */
export function siteForm(next: NextSite, published: Published): Form {
  const { output, pages, media } = next;
  const staging = stagingFolder(output);
  const { outputs, unpublished, folder } = media;
  let isReused = false;
  const stage = (name: string, from: string) =>
    linkFile(`${from}/${name}`, `${mediaFolder(staging)}/${name}`);
  return {
    isPublished: () => isPublished(next, published),
    staged: staging,
    place: () => {
      for (const { unchanged } of pages) linkFiles(unchanged, output, staging);
      isReused = unpublished.size < outputs.size && isMovable(output);
      for (const name of isReused ? unpublished : outputs) {
        stage(name, unpublished.has(name) ? folder : mediaFolder(output));
      }
    },
    has: (file) => isSiteFile(staging, file),
    records: [],
    publish: async () => {
      // The folder may have changed since the check at the start of the build.
      const listing = checkSiteFolder(output);
      const { thumbnails } = listing;
      for (const name of isReused ? outputs.without(thumbnails) : []) {
        if (!unpublished.has(name)) stage(name, folder);
      }
      touchSurplus(media, output, listing);
      makePublic(staging);
      const mediaStays = isReused && thumbnails.size > 0;
      swap(output, mediaStays);
      if (mediaStays) removeSurplus(media, output, listing);
    },
  };
}

/** Whether a folder holds a regular file at a path of a site. */
export const isSiteFile = (folder: string, file: string): boolean =>
  // An unsafe path could lead out of the folder.
  isSafeFile(file) &&
  statSync(path.join(folder, file), { throwIfNoEntry: false })?.isFile() === true;

/**
 * Whether the published folder contains exactly the planned files. Claiming the folder has already ruled out
 * unrelated files.
 */
function isPublished(
  {
    pages,
    media: { outputs, unpublished },
    output,
  }: Pick<NextSite, 'media' | 'output'> & {
    pages: readonly Pick<MadePages, 'isChanged' | 'records'>[];
  },
  { dealers, since }: Published,
): boolean {
  if (unpublished.size > 0 || pages.some(({ isChanged }) => isChanged)) return false;
  const ids = new Set(pages.flatMap(({ records }) => records.map(({ id }) => id)));
  if (dealers?.length !== ids.size) return false;
  return entriesOf(path.join(output, MEDIA)).every(({ name: shard }) => {
    const folder = path.join(output, MEDIA, shard);
    // The folder has not changed since the last check, and all planned thumbnails are in it.
    if (statSync(folder).mtimeMs < since) return true;
    return entriesOf(folder).every(({ name }) => outputs.has(`${shard}/${name}`));
  });
}

/** Whether the folder of published thumbnails can be moved. Links and mount points cannot. */
function isMovable(output: string): boolean {
  const media = mediaFolder(output);
  if (!lstatSync(media, { throwIfNoEntry: false })?.isDirectory()) return false;
  return whyImmovable(media, workFolder(output)) === undefined;
}

/** Makes the next build check folders with surplus thumbnails if this one is killed, see {@link isPublished}. */
function touchSurplus({ outputs }: Thumbnails, output: string, { thumbnails }: SiteListing): void {
  const touchedAt = new Date();
  const surplus = Array.from(thumbnails.without(outputs), (name) => path.dirname(name));
  for (const shard of new Set(surplus))
    utimesSync(path.join(mediaFolder(output), shard), touchedAt, touchedAt);
}

/** Removes thumbnails that only the previous site used, according to its listing. */
function removeSurplus(
  { outputs }: Thumbnails,
  output: string,
  { files, thumbnails }: SiteListing,
): void {
  const surplus = Array.from(thumbnails.without(outputs), (name) => MEDIA + name);
  // Files of the operating system, such as `.DS_Store`.
  surplus.push(...files.filter((file) => file.startsWith(MEDIA)));
  const folders = new Set<string>();
  try {
    for (const name of surplus) {
      const file = path.join(output, name);
      rmSync(file, { force: true, maxRetries: 10 });
      folders.add(path.dirname(file));
    }
    for (const folder of folders) if (entriesOf(folder).length === 0) rmdirSync(folder);
  } catch {
    // The site is published. The next build removes the leftovers.
  }
}
