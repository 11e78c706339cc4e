import pMap from 'p-map';
import type { SiteFile } from '../../publish/change-set/change-set.ts';
import { LostContent } from './lost-content.ts';
import type { DeploySource, HostRun } from './types.ts';

/** How many of the files were sent, and which of them were not on this disk. */
export interface SentFiles {
  files: number;
  bytes: number;
  fetched: { files: number; bytes: number };
}

/**
 * Reads the bytes of files and passes each to `send`, several at once, and reports progress. A file
 * whose bytes are lost does not stop the others: the next deploy has less to do, and all that
 * is lost is known at once.
 *
 * @throws {LostContent} naming all files that are lost; everything else was sent.
 */
export async function sendFiles(
  files: readonly SiteFile[],
  source: DeploySource,
  { signal, notify }: HostRun,
  { atOnce, send }: { atOnce: number; send: (file: SiteFile, bytes: Buffer) => Promise<unknown> },
): Promise<SentFiles> {
  const sent: SentFiles = { files: 0, bytes: 0, fetched: { files: 0, bytes: 0 } };
  const lost: SiteFile[] = [];
  const step = () =>
    notify({
      kind: 'progress',
      text: `Files sent: ${sent.files} of ${files.length}`,
      done: sent.files,
      total: files.length,
    });
  await pMap(
    files,
    async (file) => {
      signal.throwIfAborted();
      const bytes = await source.bytes(file).catch((error: unknown) => {
        if (!(error instanceof LostContent)) throw error;
        lost.push(file);
        return undefined;
      });
      if (!bytes) return;
      await send(file, bytes);
      sent.files += 1;
      sent.bytes += file.size;
      if (!source.has(file.path)) {
        sent.fetched.files += 1;
        sent.fetched.bytes += file.size;
      }
      step();
    },
    { concurrency: atOnce },
  );
  if (lost.length > 0) throw new LostContent(lost.sort((a, b) => (a.path < b.path ? -1 : 1)));
  return sent;
}
