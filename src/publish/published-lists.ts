import type { MediaResult } from '../media/line.ts';
import type { RestoreProgress } from '../media/published/restore.ts';
import type { PlannedFile } from '../site/plan/planned.ts';
import { bytesText, type Console } from '../terminal/progress.ts';

/**
 * Files of the site that let a later build on an empty disk take its thumbnails from there
 * (src/media/published).
 */
export async function publishedLists(media: Pick<MediaResult, 'lists'>): Promise<PlannedFile[]> {
  return (await media.lists()).map(({ name, digest, content }) => ({
    file: `/${name}`,
    key: digest,
    content,
  }));
}

/** Shows how far taking thumbnails from the published site is. */
export function tellRestore(console: Console, { total, done, bytes }: RestoreProgress): void {
  console.progress(
    `From the published site: ${done} of ${total} pictures, ${bytesText(bytes)}`,
    done / total,
  );
}
