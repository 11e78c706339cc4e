/** A worker that makes no pictures: it reports at once that each of a vehicle's has other bytes now. */
import { Worker } from 'bullmq';
import { enginesOf } from '../../src/config/engines.ts';
import { withOutputs } from '../../src/images/fingerprint.ts';
import { queueAddress } from '../../src/images/queue/connection.ts';
import { type JobResult, jobSchema, toResult, toTasks } from '../../src/images/queue/jobs.ts';
import { contentHash, outputNames } from '../../src/images/recipes.ts';

/** Names the queue of coordinator and worker. */
export const FLEET_QUEUE = 'fleet';

const size = { width: 1600, height: 1200 };

async function start(queueUrl: string): Promise<void> {
  const address = enginesOf({ QUEUE_URL: queueUrl }).queueUrl;
  if (!address) throw new Error('no queue');
  const queue = queueAddress(address, FLEET_QUEUE);
  const worker = new Worker(
    queue.name,
    async (job): Promise<JobResult> => {
      const outcomes = toTasks(jobSchema.parse(job.data)).map((task) => {
        const { key, vehicleDate, recipes } = task.source;
        const hash = contentHash(Buffer.from(`${key} again`));
        const names = outputNames({ hash, ...size }, recipes);
        // No such file is ever read here.
        const outputs = withOutputs(
          undefined,
          names.map((name) => ({ name, fingerprint: `1-${'A'.repeat(27)}` })),
        );
        return toResult(task, {
          ...{ ok: true, revalidated: false, downloadedBytes: 500_000 },
          entry: { validator: `"${hash}"`, vehicleDate, hash },
          content: { ...size, colour: '707070', outputs },
          made: names.map((name) => ({ name, bytes: 40_000 })),
        });
      });
      return { version: 1, outcomes };
    },
    { connection: queue.connection, prefix: queue.prefix, concurrency: 8 },
  );
  process.on('SIGTERM', () => void worker.close());
  await worker.waitUntilReady();
  console.log('ready');
}

const { queueUrl }: { queueUrl?: string } = JSON.parse(process.argv[2] ?? '{}');
if (import.meta.main && queueUrl) await start(queueUrl);
