/** A worker that makes no pictures: it says at once that each of a vehicle's has other bytes now. */
import { Worker } from 'bullmq';
import { enginesOf } from '../../src/config/engines.ts';
import { withOutputs } from '../../src/images/fingerprint.ts';
import { queueAddress } from '../../src/images/queue/connection.ts';
import { contentHash, outputNames } from '../../src/images/recipes.ts';
import { FolderStore } from '../../src/images/stores/folder-store.ts';
import {
  fromBytes,
  jobSchema,
  planFileSchema,
  planName,
  resultName,
  toBytes,
  toResult,
  toWork,
} from '../../src/images/stores/work-files.ts';

const { storeFolder, queueUrl }: { storeFolder: string; queueUrl: string } = JSON.parse(
  process.argv[2] ?? '{}',
);
const address = enginesOf({ QUEUE_URL: queueUrl }).queueUrl;
if (!address) throw new Error('no queue');
const queue = queueAddress(address, undefined);
const store = new FolderStore(storeFolder);
const worker = new Worker(
  queue.name,
  async (job) => {
    const data = jobSchema.parse(job.data);
    if (await store.has(resultName(data))) return;
    const bytes = await store.get(planName(data));
    const plan = bytes && fromBytes(planFileSchema, bytes);
    if (!plan) return;
    const outcomes = (plan.vehicles[data.vehicle] ?? []).map((item) => {
      const work = toWork(item, plan.recipes[item.recipes] ?? [], data.vehicle);
      const hash = contentHash(Buffer.from(`${item.key} again`));
      const size = { width: 1600, height: 1200 };
      const entry = { validator: `"${hash}"`, vehicleDate: item.vehicleDate, hash };
      const names = outputNames({ hash, ...size }, work.source.recipes);
      // No such file is ever read here.
      const outputs = withOutputs(
        undefined,
        names.map((name) => ({ name, fingerprint: `1-${'A'.repeat(27)}` })),
      );
      const content = { ...size, colour: '707070', outputs };
      const made = names.map((name) => ({ name, bytes: 40_000 }));
      return toResult(work, {
        ...{ ok: true, entry, content, revalidated: false, downloadedBytes: 500_000, made },
      });
    });
    await store.put(resultName(data), toBytes({ version: 4, worker: 'stand-in', outcomes }), {
      once: true,
    });
  },
  { connection: queue.connection, prefix: queue.prefix, concurrency: 8 },
);
process.on('SIGTERM', () => void worker.close());
await worker.waitUntilReady();
console.log('ready');
