import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { QueueAndStoreConfig } from '../../config/engines.ts';
import { withPackages } from '../../lib/optional-package.ts';
import type { MediaEngines } from '../process/tasks.ts';
import type { WorkerOptions } from '../queue/worker.ts';
import type { ThumbnailStore } from '../stores/thumbnail-store.ts';

/** Packages that the queue needs. */
const QUEUE = ['bullmq', 'ioredis'];

/** Id of a cache folder that builds and workers share. Its path may differ between machines. */
function folderId(cacheDir: string): string {
  const file = path.join(cacheDir, 'queue-id');
  mkdirSync(cacheDir, { recursive: true });
  try {
    writeFileSync(file, randomBytes(4).toString('hex'), { flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return readFileSync(file, 'utf8');
}

async function openStore({ store }: QueueAndStoreConfig): Promise<ThumbnailStore | undefined> {
  if (!store) return undefined;
  const { ThumbnailStore } = await import('../stores/thumbnail-store.ts');
  return new ThumbnailStore(store);
}

/** The queue of a store, or of a cache folder. Undefined without `QUEUE_URL`. */
async function queueOf({ queueUrl, store }: QueueAndStoreConfig, cacheDir: string) {
  if (!queueUrl) return undefined;
  const { queueAddress } = await import('../queue/connection.ts');
  return queueAddress(queueUrl, store?.url ?? folderId(cacheDir));
}

/**
 * Opens the queue and the store of a configuration for a run. The code of an engine is loaded
 * only if it is configured. `engines` is undefined for builds that use only this process and its cache folder.
 *
 * @param timeout milliseconds, see `submitPictures`.
 * @param notify called with a line when a run waits for workers.
 */
export async function openEngines(
  config: QueueAndStoreConfig,
  cacheDir: string,
  { timeout, notify }: { timeout?: number; notify?: (line: string) => void },
) {
  const store = await openStore(config);
  const queue = await queueOf(config, cacheDir);
  const engines: MediaEngines = { store };
  if (queue) {
    const load = () => import('../queue/submit-pictures.ts');
    const { submitPictures } = await withPackages(QUEUE, 'A queue (QUEUE_URL)', load);
    engines.submit = submitPictures({ queue, notify, timeout });
  }
  return {
    engines: store || queue ? engines : undefined,
    [Symbol.asyncDispose]: async () => store?.[Symbol.asyncDispose](),
  };
}

/** A worker on this machine, for the queue of {@link openEngines}. Undefined without `QUEUE_URL`. */
export async function openWorker(
  engines: QueueAndStoreConfig,
  options: Omit<WorkerOptions, 'queue' | 'store'>,
) {
  const queue = await queueOf(engines, options.cacheDir);
  if (!queue) return undefined;
  const store = await openStore(engines);
  const { startWorker } = await withPackages(QUEUE, 'A worker', () => import('../queue/worker.ts'));
  return startWorker({ ...options, queue, store });
}
