import { statSync } from 'node:fs';
import path from 'node:path';
import type { LoadedConfig } from '../../config/load.ts';
import { entriesOf } from '../../lib/files/entries-of.ts';
import { linkFiles } from '../../lib/files/hard-link.ts';
import { isSafeFile } from '../../lib/files/safe-file.ts';
import { writeFileAtomic } from '../../lib/files/write.ts';
import { PUBLISHED_TIMES, timesOf, type WrittenNext } from '../../record/published-records.ts';
import { writeTimes } from '../../record/times.ts';
import type { SitePages } from '../build/site-pages.ts';
import { type MadePages, type Steps, timed } from '../chunk/built-chunk.ts';
import { MEDIA } from '../site-diff/listing.ts';
import { MediaFolder, type Thumbnails } from '../site-diff/media-folder.ts';
import type { SiteLists } from '../site-diff/published-files.ts';
import { refuseFindings } from '../verify/verify.ts';
import { publishStaged } from './publish-staged.ts';

export interface FinishOptions {
  config: Pick<LoadedConfig, 'dealers' | 'site' | 'siteSecret'>;
  /** The published folder, and the staging folder that replaces it. */
  output: string;
  staging: string;
  pages: Pick<SitePages, 'write'>;
  /** Mark of the keys that the site was searched for, see `timesOf`. */
  searched: string;
  /** When the first build ran, if none has read a published site, see `firstIn`. */
  first?: string | undefined;
  /** All pages of the site. */
  made: readonly MadePages[];
  media: Thumbnails;
  /** Lists of files in the published folder. */
  lists: Pick<SiteLists, 'dealers' | 'since'>;
  steps: Steps;
  /**
   * Called when the next site has passed every check: just before it is published, or when it equals what
   * is published already.
   *
   * @param site the folder that holds the site at that moment.
   */
  beforePublish: (records: readonly WrittenNext[], site: string) => Promise<void>;
  /** Called as soon as the new site is in place. */
  onPublished: () => void;
  signal?: AbortSignal | undefined;
}

/**
 * Assembles the next site from new and unchanged files and publishes it, unless the
 * published site equals it already.
 *
 * @returns whether anything was published.
 */
export async function finishSite(options: FinishOptions): Promise<boolean> {
  const { config, output, staging, pages, made, first, steps, signal } = options;
  const { beforePublish } = options;
  const records = made.flatMap((one) => one.records);
  const times = writeTimes(timesOf(records, config, options.searched), { first });
  if (isPublished(options)) {
    await beforePublish(records, output);
    // The one file that changes every night; the other files of the site are left untouched.
    await writeFileAtomic(path.join(output, PUBLISHED_TIMES), times);
    return false;
  }
  const media = await timed(steps, 'place', () => {
    for (const { kept } of made) linkFiles(kept, output, staging);
    return new MediaFolder(options.media, output);
  });
  await timed(steps, 'verify', () => refuseFindings(made, (file) => isSiteFile(staging, file)));
  pages.write(PUBLISHED_TIMES, times);
  signal?.throwIfAborted();
  await beforePublish(records, staging);
  await timed(steps, 'publish', () => publishStaged(output, media));
  options.onPublished();
  return true;
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
}: Pick<FinishOptions, 'media' | 'lists' | 'output'> & {
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
