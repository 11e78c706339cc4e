import path from 'node:path';
import type { MediaResult } from '../../images/pipeline/types.ts';
import { openFolder } from '../../lib/files/hard-link.ts';
import { writeFileAtomic } from '../../lib/files/write.ts';
import { PUBLISHED_TIMES, RECORDS } from '../../record/published-records.ts';
import type { MadePages } from '../chunk/built-chunk.ts';
import { refuseFindings } from '../verify/verify.ts';

/** The parts of the next site: the results of all earlier steps. */
export interface NextSite {
  /** The published folder, or the folder of the change set. */
  output: string;
  pages: readonly MadePages[];
  /** Thumbnails of the site, and the folder of the unpublished ones. */
  media: Pick<MediaResult, 'outputs' | 'unpublished' | 'folder'>;
  /** Text of the only file that changes with every build, see `writeTimes`. */
  times: string;
}

/** The output form of a build: a folder or a change set. */
export interface Form {
  /** Whether the published site already equals the next one. */
  isPublished: () => boolean;
  /** Completes the staged site, except for its times. */
  place: () => void | Promise<void>;
  /** Folder of the staged files. */
  staged: string;
  /** Whether the next site has a file that a page links to. */
  has: (file: string) => boolean;
  /** Folders of further new records. */
  records: readonly string[];
  publish: () => Promise<void>;
}

/**
 * Completes the next site, verifies its links, and publishes it if it differs from the published one.
 *
 * @param beforePublish called after all checks: just before publishing, or if the next site equals the
 *   published one. It receives the folders with the record files that the cache does not have.
 */
export async function finish(
  { output, pages, times }: NextSite,
  form: Form,
  beforePublish: (from: readonly string[]) => Promise<void>,
): Promise<'published' | 'unchanged'> {
  if (form.isPublished()) {
    await beforePublish([path.join(output, RECORDS)]);
    // The only file that changes with every build. All other files stay untouched.
    await writeFileAtomic(path.join(output, PUBLISHED_TIMES), times);
    return 'unchanged';
  }
  await form.place();
  // Written last, because a file older than the times counts as unchanged.
  openFolder(form.staged)(PUBLISHED_TIMES, times);
  refuseFindings(pages, form.has);
  await beforePublish([path.join(form.staged, RECORDS), ...form.records]);
  await form.publish();
  return 'published';
}
