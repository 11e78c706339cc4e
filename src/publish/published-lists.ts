import type { RestoreProgress } from '../media/published/restore.ts';
import { bytesText, type Console } from '../terminal/progress.ts';

/** Shows how far taking thumbnails from the published site is. */
export function tellRestore(console: Console, { total, done, bytes }: RestoreProgress): void {
  console.progress(
    `From the published site: ${done} of ${total} thumbnails, ${bytesText(bytes)}`,
    done / total,
  );
}
