import path from 'node:path';
import type { LoadedConfig } from '../../config/load.ts';
import type { MediaResult } from '../../images/line/types.ts';
import { writeFileAtomic } from '../../lib/files/write.ts';
import {
  PUBLISHED_TIMES,
  RECORDS,
  timesOf,
  type WrittenNext,
} from '../../record/published-records.ts';
import { writeTimes } from '../../record/times.ts';
import type { SitePages } from '../build/site-pages.ts';
import { type MadePages, type Steps, timed } from '../chunk/built-chunk.ts';
import { refuseFindings } from '../verify/verify.ts';

export interface FinishOptions {
  config: Pick<LoadedConfig, 'dealers' | 'site' | 'siteSecret'>;
  /** The published folder, or that of the change set, and the staging folder that replaces it. */
  output: string;
  staging: string;
  pages: Pick<SitePages, 'write'>;
  /** Mark of the keys that the site was searched for, see `timesOf`. */
  searched: string;
  /** When the first build ran, if none has read a published site, see `firstIn`. */
  first?: string | undefined;
  /** All pages of the site. */
  made: readonly MadePages[];
  /** Thumbnails of the site, and the folder of those that are not published. */
  media: Pick<MediaResult, 'outputs' | 'unpublished' | 'folder'>;
  steps: Steps;
  /**
   * Called when the next site has passed every check: just before it is published, or when it equals what
   * is published already.
   *
   * @param from folders that hold the record files at that moment, apart from those the cache has.
   */
  beforePublish: (records: readonly WrittenNext[], from: readonly string[]) => Promise<void>;
  /** Called as soon as the next site is in place. */
  onPublished: () => void;
  signal?: AbortSignal | undefined;
}

/** The form in which a build leaves the next site: a folder, or a change set. */
export interface Form {
  /** Whether the published site equals the next one already. */
  isPublished: () => boolean;
  /** Completes the staged site, but for its times. */
  place: (times: string) => void;
  /** Whether the next site has a file that a page links to. */
  has: (file: string) => boolean;
  /** Folders of the new records. */
  records: readonly string[];
  publish: () => Promise<void>;
}

/**
 * Assembles the next site from the results of the chunks, verifies its links, and publishes it, unless it is
 * published already.
 *
 * @returns whether anything was published.
 */
export async function finish(options: FinishOptions, form: Form): Promise<boolean> {
  const { config, output, pages, made, first, steps, signal, beforePublish } = options;
  const records = made.flatMap((one) => one.records);
  const times = writeTimes(timesOf(records, config, options.searched), { first });
  if (form.isPublished()) {
    await beforePublish(records, [path.join(output, RECORDS)]);
    // The one file that changes every night; the other files of the site are left untouched.
    await writeFileAtomic(path.join(output, PUBLISHED_TIMES), times);
    return false;
  }
  await timed(steps, 'place', () => {
    form.place(times);
    // Last: a file that is older than the times counts as unchanged.
    pages.write(PUBLISHED_TIMES, times);
  });
  await timed(steps, 'verify', () => refuseFindings(made, form.has));
  signal?.throwIfAborted();
  await beforePublish(records, form.records);
  await timed(steps, 'publish', form.publish);
  options.onPublished();
  return true;
}
