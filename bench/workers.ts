/** `npm run bench -- workers`: what a queue costs, and what a second worker brings. */
import { mkdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import type { Run } from '../src/lib/command-line/definition.ts';
import type { WORKERS_OPTIONS } from './commands.ts';
import { runner, seconds, times } from './media/bench-context.ts';
import type { FleetRunInput } from './runners/fleet-run.ts';
import { type Cost, interleave, measureScript, median, medianCost } from './support/measure.ts';
import { startPictureServer } from './support/picture-server.ts';
import { hasRedis, startBenchRedis } from './support/redis.ts';
import { reportRows, today } from './support/report.ts';
import { openWorkspace } from './support/workspace.ts';

const PICTURES = 20;
export const run: Run<typeof WORKERS_OPTIONS> = async ({ values }) => {
  /** Seconds of the run alone, which the program says itself. */
  const ownSeconds = (costs: readonly Cost[]): number =>
    median(costs.map(({ output }) => JSON.parse(output.trim().split('\n').at(-1) ?? '').seconds));

  async function bench(): Promise<void> {
    const workspace = await openWorkspace(values.photos);
    const server = await startPictureServer(workspace.photos);
    const redisFolder = workspace.fresh('redis');
    mkdirSync(redisFolder);
    const redis = await startBenchRedis(redisFolder);
    const vehicles = values.vehicles;
    const runs = values.runs;
    const sources = vehicles * PICTURES;
    const run = async (input: Partial<FleetRunInput>) => {
      const before = redis.cpu();
      const cost = await measureScript(runner('fleet-run'), {
        baseUrl: server.baseUrl,
        vehicles,
        pictures: PICTURES,
        cacheDir: workspace.fresh('fleet'),
        queueUrl: redis.url,
        pinned: false,
        ...input,
      });
      // Redis is no child of the run, and its work is the queue's.
      return { ...cost, cpu: cost.cpu + redis.cpu() - before };
    };
    try {
      console.log(`${sources} sources in one process, and over a queue with one worker:`);
      const alike = await interleave(runs, {
        inline: () => run({ workers: 0, queueUrl: '' }),
        queue: () => run({ workers: 1 }),
      });
      const [inline, queue] = [medianCost(alike.inline), medianCost(alike.queue)];
      const cpu = queue.cpu / inline.cpu;
      await reportRows(
        'workers',
        [
          {
            id: 'queue-cpu',
            what: `CPU of a run over the queue with one worker, coordinator and Redis included, against one process (${sources} sources)`,
            measured: `${times(cpu)} (${seconds(queue.cpu)} against ${seconds(inline.cpu)}; wall ${seconds(queue.wall)} against ${seconds(inline.wall)})`,
            target: 'at most 1.10',
            met: cpu <= 1.1,
            details: { inline, queue, runs, perSource: queue.cpu / sources },
            date: today(),
          },
        ],
        values,
      );
      if (availableParallelism() < 2) return console.log('One core: no second worker is measured.');
      console.log(`${sources} sources with one worker and with two, a core each:`);
      // A worker that is pinned to one core counts that core alone.
      const fleet = await interleave(runs, {
        one: () => run({ workers: 1, pinned: true }),
        two: () => run({ workers: 2, pinned: true }),
      });
      const [one, two] = [ownSeconds(fleet.one), ownSeconds(fleet.two)];
      await reportRows(
        'workers',
        [
          {
            id: 'second-worker',
            what: `Throughput of two workers with a core each against one (${sources} sources)`,
            measured: `${times(one / two)} (${(sources / two).toFixed(1)} against ${(sources / one).toFixed(1)} pictures a second)`,
            target: 'at least 1.80',
            met: one / two >= 1.8,
            details: {
              one: medianCost(fleet.one),
              two: medianCost(fleet.two),
              seconds: { one, two },
            },
            date: today(),
          },
        ],
        values,
      );
    } finally {
      redis.close();
      server.close();
      await workspace.remove();
    }
  }

  if (hasRedis()) await bench();
  else
    console.log('redis-server is not installed: nothing is measured, the rows stay as they are.');
  return 0;
};
