import { statSync } from 'node:fs';
import path from 'node:path';
import type { LoadedConfig } from '../../config/load.ts';
import { entriesOf } from '../../lib/files/entries-of.ts';
import { linkFiles } from '../../lib/files/hard-link.ts';
import { isSafeFile } from '../../lib/files/safe-file.ts';
import { writeFileAtomic } from '../../lib/files/write.ts';
import { PUBLISHED_TIMES, timesOf, type WrittenNext } from '../../record/published-records.ts';
import { writeTimes } from '../../record/times.ts';
import type { GeneratedFile } from '../../site/views/view.ts';
import type { SitePages } from '../build/site-pages.ts';
import { type MadePages, type Steps, timed } from '../chunk/built-chunk.ts';
import { publishStaged } from '../folder-checks/published-folder.ts';
import { MEDIA } from '../site-diff/listing.ts';
import { MediaFolder, type Thumbnails } from '../site-diff/media-folder.ts';
import type { SiteLists } from '../site-diff/published-files.ts';
import { refuseFindings } from '../verify/verify.ts';

export interface FinishOptions {
  config: Pick<LoadedConfig, 'dealers' | 'site'>;
  /** The published folder, and the one that takes its place. */
  output: string;
  staging: string;
  pages: Pick<SitePages, 'write'>;
  /** Which keys the site was searched for, see `timesOf`. */
  searched: string;
  /** All pages of the site. */
  made: readonly MadePages[];
  media: Thumbnails;
  /** What the lists in the published folder say. */
  lists: Pick<SiteLists, 'dealers' | 'since'>;
  steps: Steps;
  /**
   * Called when the next site has passed every check, just before it is published, or where it is what
   * is published already.
   *
   * @param site the folder that the site is in now.
   */
  beforePublish: (records: readonly WrittenNext[], site: string) => Promise<void>;
  /** Told as soon as the new site is in its place. */
  onPublished: () => void;
  /** Files that pages may link to although somebody else makes them. */
  externalFiles?: ReadonlySet<string>;
  /** A file to be put beside what was looked at. With it, something is always published. */
  beside?: GeneratedFile;
  signal?: AbortSignal | undefined;
}

/**
 * Puts the next site together, of what was made and what stays, and publishes it, unless the
 * published site is already what it would be.
 *
 * @returns whether anything was published.
 */
export async function finishSite(options: FinishOptions): Promise<boolean> {
  const { config, output, staging, pages, made, steps, signal } = options;
  const { externalFiles, beside, beforePublish } = options;
  const records = made.flatMap((one) => one.records);
  const times = writeTimes(timesOf(records, config, options.searched));
  if (!beside && isPublished(options)) {
    await beforePublish(records, output);
    // The one file that every night changes: nothing else of the site is touched.
    await writeFileAtomic(path.join(output, PUBLISHED_TIMES), times);
    return false;
  }
  const media = await timed(steps, 'place', () => {
    for (const { kept } of made) linkFiles(kept, output, staging);
    return new MediaFolder(options.media, output);
  });
  const exists = (file: string) => externalFiles?.has(file) === true || isSiteFile(staging, file);
  await timed(steps, 'verify', () => refuseFindings(made, exists));
  pages.write(PUBLISHED_TIMES, times);
  if (beside) pages.write(beside.file, beside.content);
  signal?.throwIfAborted();
  await beforePublish(records, staging);
  await timed(steps, 'publish', () => publishStaged(output, media));
  options.onPublished();
  return true;
}

/** Whether a folder has a file of a site. */
export const isSiteFile = (folder: string, file: string): boolean =>
  // Another name could lead out of the folder.
  isSafeFile(file) &&
  statSync(path.join(folder, file), { throwIfNoEntry: false })?.isFile() === true;

/**
 * Whether the published folder holds exactly what is planned. What no build made is not in it: that
 * was looked at when the folder was claimed.
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
    // Nothing was added since it was as it should be, and all that is planned is there.
    if (statSync(folder).mtimeMs < lists.since) return true;
    return entriesOf(folder).every(({ name }) => outputs.has(`${shard}/${name}`));
  });
}
