import path from 'node:path';
import type { MediaResult } from '../../images/line/types.ts';
import { openFolder } from '../../lib/files/hard-link.ts';
import { writeFileAtomic } from '../../lib/files/write.ts';
import { PUBLISHED_TIMES, RECORDS } from '../../record/published-records.ts';
import type { MadePages } from '../chunk/built-chunk.ts';
import { refuseFindings } from '../verify/verify.ts';

/** The results of all steps before the last: what the next site consists of. */
export interface NextSite {
  /** The published folder, or that of the change set. */
  output: string;
  /** All pages of the site. */
  made: readonly MadePages[];
  /** Thumbnails of the site, and the folder of those that are not published. */
  media: Pick<MediaResult, 'outputs' | 'unpublished' | 'folder'>;
  /** Text of the one file that changes with every build, see `writeTimes`. */
  times: string;
}

/** The form in which a build leaves the next site: a folder, or a change set. */
export interface Form {
  /** Whether the published site equals the next one already. */
  isPublished: () => boolean;
  /** Completes the staged site, but for its times. */
  place: () => void;
  /** Folder of the staged files. */
  staged: string;
  /** Whether the next site has a file that a page links to. */
  has: (file: string) => boolean;
  /** Folders of further new records. */
  records: readonly string[];
  publish: () => Promise<void>;
}

/**
 * Completes the next site, verifies its links, and publishes it, unless it is published already.
 *
 * @param beforePublish called when the next site has passed every check: just before it is published, or if it
 *   equals the published one. It receives the folders that hold the record files at that moment, apart from
 *   those the cache has.
 * @returns what became of it.
 */
export async function finish(
  { output, made, times }: NextSite,
  form: Form,
  beforePublish: (from: readonly string[]) => Promise<void>,
): Promise<'published' | 'unchanged'> {
  if (form.isPublished()) {
    await beforePublish([path.join(output, RECORDS)]);
    // The one file that changes every night. The other files of the site are left untouched.
    await writeFileAtomic(path.join(output, PUBLISHED_TIMES), times);
    return 'unchanged';
  }
  form.place();
  // Last: a file that is older than the times counts as unchanged.
  openFolder(form.staged)(PUBLISHED_TIMES, times);
  refuseFindings(made, form.has);
  await beforePublish([path.join(form.staged, RECORDS), ...form.records]);
  await form.publish();
  return 'published';
}
