import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A new folder for temporary files. Its disposal removes it with its content. */
export async function temporaryFolder(prefix: string): Promise<AsyncDisposable & { path: string }> {
  const folder = await mkdtemp(path.join(tmpdir(), prefix));
  return {
    path: folder,
    // A process that was just killed may still be writing.
    [Symbol.asyncDispose]: () =>
      rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }),
  };
}
