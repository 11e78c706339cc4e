import path from 'node:path';
import type { QueueAndStoreConfig } from '../../config/engines.ts';
import { withPackages } from '../../lib/optional-package.ts';
import type { Store } from '../ports.ts';
import type { WorkerOptions } from '../queue/worker.ts';
import { FolderStore } from '../stores/folder-store.ts';
import type { MediaEngines } from './types.ts';

/** Packages that the queue needs. */
const QUEUE = ['bullmq', 'ioredis'];

/** Opens the store of a configuration; returns it with a function that closes its connections. */
async function openStore({ store }: QueueAndStoreConfig, cacheDir: string) {
  if (!store) {
    const folder: Store = new FolderStore(path.join(cacheDir, 'media'));
    return { store: folder, close: async () => {} };
  }
  const { S3Store } = await import('../stores/s3-store.ts');
  const s3 = new S3Store(store);
  return { store: s3, close: () => s3.close() };
}

export interface OpenEngines extends AsyncDisposable {
  /** Undefined for builds with this process and its cache folder alone. */
  engines: MediaEngines | undefined;
}

/**
 * Opens the queue and the store of a configuration for a run. Code for what is not configured is not
 * loaded.
 *
 * @param patience milliseconds, see the queue runner.
 * @param say called with a line when a run waits for workers.
 */
export async function openEngines(
  config: QueueAndStoreConfig,
  cacheDir: string,
  { patience, say }: { patience?: number; say?: (line: string) => void } = {},
): Promise<OpenEngines> {
  if (!config.queueUrl && !config.store) {
    return { engines: undefined, [Symbol.asyncDispose]: async () => {} };
  }
  const { store, close } = await openStore(config, cacheDir);
  const engines: MediaEngines = { store };
  if (config.queueUrl) {
    const { queueRunner } = await withPackages(
      QUEUE,
      'A queue (QUEUE_URL)',
      () => import('../queue/queue-runner.ts'),
    );
    const { queueAddress } = await import('../queue/connection.ts');
    const queue = queueAddress(config.queueUrl, config.store?.url);
    engines.runner = queueRunner({ queue, store, say, patience });
  }
  return { engines, [Symbol.asyncDispose]: close };
}

export interface WorkerConfig extends Omit<WorkerOptions, 'queue' | 'store'> {
  engines: QueueAndStoreConfig;
  cacheDir: string;
}

/** A worker of this machine: the other end of {@link openEngines}. */
export async function openWorker({ engines, cacheDir, ...rest }: WorkerConfig) {
  if (!engines.queueUrl) return undefined;
  const { store, close } = await openStore(engines, cacheDir);
  const { startWorker } = await withPackages(QUEUE, 'A worker', () => import('../queue/worker.ts'));
  const { queueAddress } = await import('../queue/connection.ts');
  const queue = queueAddress(engines.queueUrl, engines.store?.url);
  const worker = await startWorker({ ...rest, queue, store });
  return {
    /** Figures of the queue, as Prometheus reads them. */
    metrics: worker.metrics,
    /** Finishes the vehicles under way, then ends. */
    close: async () => {
      await worker.close();
      await close();
    },
  };
}
