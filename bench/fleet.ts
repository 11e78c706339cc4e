/** `npm run bench -- fleet`: an hour of a platform of a thousand dealers, without the pictures. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { MediaCounts } from '../src/images/counts.ts';
import type { Run } from '../src/lib/command-line/definition.ts';
import type { FLEET_OPTIONS } from './commands.ts';
import { runner } from './media/bench-context.ts';
import type { FleetShardInput } from './runners/fleet-shard.ts';
import { askingCosts, type CostRow, monthlyCosts, type UnitCosts } from './support/costs.ts';
import { measureScript, median } from './support/measure.ts';
import { startPictureServer } from './support/picture-server.ts';
import { type BenchRedis, hasRedis, startBenchRedis } from './support/redis.ts';
import { type Row, replaceBetweenMarkers, reportRows, today } from './support/report.ts';
import { schedule, seededRandom } from './support/scheduling.ts';
import { openWorkspace } from './support/workspace.ts';

export const run: Run<typeof FLEET_OPTIONS> = async ({ values }) => {
  interface ShardHour {
    steps: Record<string, number>;
    sources: number;
    works: number;
    jobs: number;
    wall: number;
    cpu: number;
    peak: number;
  }

  const dealers = values.dealers;
  const shards = values.shards;
  const perShard = Math.ceil(dealers / shards);
  const count = (value: number): string => Math.round(value).toLocaleString('en-GB');

  async function oneShard(shard: number, queueUrl: string, folder: string): Promise<ShardHour> {
    const cacheDir = path.join(folder, 'cache');
    const input: FleetShardInput = {
      cacheDir,
      queueUrl,
      firstDealer: 1 + shard * perShard,
      dealers: Math.min(perShard, dealers - shard * perShard),
      vehicles: values.vehicles,
      pictures: values.pictures,
      changedEvery: values['changed-every'],
      phase: 'fill',
    };
    await measureScript(runner('fleet-shard'), input);
    const script = fileURLToPath(runner('fleet-stand-in'));
    const stub = spawn(process.execPath, [script, JSON.stringify({ queueUrl })], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(stub.stdout, 'data');
    const cost = await measureScript(runner('fleet-shard'), { ...input, phase: 'hour' });
    stub.kill('SIGTERM');
    await once(stub, 'exit');
    await rm(cacheDir, { recursive: true, force: true });
    const { wall, cpu, peak } = cost;
    return { ...JSON.parse(cost.output.trim()), wall, cpu, peak };
  }

  /** What a picture costs, measured over the queue with one worker. */
  async function unitCosts(redis: BenchRedis, photos: string) {
    const workspace = await openWorkspace(photos);
    const server = await startPictureServer(workspace.photos);
    const vehicles = 6;
    const pictures = values.pictures;
    try {
      const before = redis.cpu();
      const { cpu, output } = await measureScript(runner('fleet-run'), {
        ...{ baseUrl: server.baseUrl, vehicles, pictures, workers: 1, pinned: false },
        cacheDir: workspace.fresh('unit'),
        queueUrl: redis.url,
      });
      const { counts } = JSON.parse(output.trim()) as { counts: MediaCounts };
      const sources = counts.downloaded;
      return {
        cpu: (cpu + redis.cpu() - before) / sources,
        outputs: counts.outputsMade / sources,
        outputBytes: counts.outputsMadeBytes / sources,
        downloadedBytes: counts.downloadedBytes / sources,
      };
    } finally {
      server.close();
      await workspace.remove();
    }
  }

  /** List prices of a large provider, in dollars, as docs/scale.md names them. */
  const PRICES = { coreHour: 0.04, written: 0.005, read: 0.0004, storage: 0.023 };
  const RUNS = 730;

  /** The bill of a month, into docs/scale.md: once as asked for, once with changes as dealers make them. */
  async function writeCosts(pictures: number, changed: number, unit: UnitCosts): Promise<void> {
    const asAsked = { pictures, changed, runs: RUNS };
    const daily = { pictures, changed: changed / 24, runs: RUNS };
    const [each, spread] = [asAsked, daily].map((one) => monthlyCosts(one, unit, PRICES));
    const dollars = (value: number): string => `$${count(value)}`;
    const sum = (rows: CostRow[] = []) => rows.reduce((total, row) => total + row.dollars, 0);
    const lines = (each ?? []).map(
      ({ what, amount, dollars: value }, place) =>
        `| ${what} | ${amount} | ${dollars(value)} | ${dollars(spread?.[place]?.dollars ?? 0)} |`,
    );
    const share = Math.round((changed / pictures) * 100);
    await replaceBetweenMarkers(
      path.join('docs', 'scale.md'),
      'costs',
      [
        `| ${count(pictures)} pictures, ${RUNS} runs a month | Amount, ${share} % changed in each run | ${share} % in each run | ${share} % in a day |`,
        '| --- | --- | ---: | ---: |',
        ...lines,
        `| **Together** | | **${dollars(sum(each))}** | **${dollars(sum(spread))}** |`,
        `| _For comparison: asking for each thumbnail in each run_ | ${count((pictures * unit.outputs * RUNS) / 1e6)} million HEAD | ${dollars(askingCosts(asAsked, unit, PRICES))} | ${dollars(askingCosts(daily, unit, PRICES))} |`,
        '',
        `Measured and used here: ${unit.cpu.toFixed(3)} CPU seconds, ${unit.outputs.toFixed(1)} thumbnails and ${count(unit.outputBytes / 1000)} kB of them a picture; ${count(unit.coordinatorCpu)} CPU seconds of coordinators a run.`,
      ].join('\n'),
      values,
    );
  }

  /** The hour's jobs of all shards, as many workers as it takes. */
  function scheduling(jobs: number, cpu: number): Row {
    const pictures = values.pictures;
    const random = seededRandom(1);
    // Pictures differ: from half to one and a half of the mean.
    const durations = Array.from({ length: jobs }, () => pictures * cpu * (0.5 + random()));
    const rows = [4, 6, 8, 12, 16, 32].map((workers) => {
      const { makespan, ends, busy } = schedule(durations, workers);
      return { workers, minutes: makespan / 60, half: median(ends) / 60, busy };
    });
    const enough = rows.find(({ minutes }) => minutes <= 50) ?? rows.at(-1);
    return {
      id: 'fleet-schedule',
      what: `An hour's ${count(jobs)} vehicles on cores that each take ${cpu.toFixed(3)} s a picture: until the last is done`,
      measured: rows
        .map(({ workers, minutes }) => `${workers} cores ${minutes.toFixed(0)} min`)
        .join(', '),
      target: 'within the hour',
      met: (enough?.minutes ?? Number.POSITIVE_INFINITY) <= 60,
      details: { rows, cpu, jobs },
      date: today(),
    };
  }

  async function bench(): Promise<void> {
    const folder = await mkdtemp(path.join(tmpdir(), 'fleet-bench-'));
    const redis = await startBenchRedis(folder);
    const hours: ShardHour[] = [];
    let redisPeak = 0;
    const sampler = setInterval(() => {
      redisPeak = Math.max(redisPeak, redis.memory());
    }, 50);
    const measured = Math.min(shards, Number(values.measured ?? shards));
    let unit: Awaited<ReturnType<typeof unitCosts>>;
    try {
      unit = await unitCosts(redis, values.photos);
      for (let shard = 0; shard < measured; shard++) {
        const hour = await oneShard(shard, redis.url, folder);
        hours.push(hour);
        console.log(
          `  shard ${shard + 1}/${measured}: ${hour.wall.toFixed(1)} s, CPU ${hour.cpu.toFixed(1)} s, ${hour.peak.toFixed(0)} MB, ${hour.jobs} vehicles`,
        );
      }
    } finally {
      clearInterval(sampler);
      redis.close();
      await rm(folder, { recursive: true, force: true });
    }
    const all = (of: (hour: ShardHour) => number) =>
      (hours.reduce((sum, hour) => sum + of(hour), 0) / measured) * shards;
    const step = (name: string) => median(hours.map(({ steps }) => steps[name] ?? 0));
    const jobs = Math.round(all((hour) => hour.jobs));
    const part =
      measured === shards
        ? ''
        : ` (${measured} of ${shards} shards run, the rest counted like them)`;
    await reportRows(
      'fleet',
      [
        {
          id: 'fleet-coordinators',
          what: `An hour of ${count(dealers)} dealers, ${count(all((hour) => hour.sources))} pictures in ${shards} shards, ${count(all((hour) => hour.works))} changed: one coordinator, its workers making nothing${part}`,
          measured: `CPU ${median(hours.map((hour) => hour.cpu)).toFixed(1)} s (wall ${median(hours.map(({ wall }) => wall)).toFixed(1)} s), ${count(Math.max(...hours.map(({ peak }) => peak)))} MB (plan ${step('plan').toFixed(1)} s, records ${step('records').toFixed(1)} s, compare ${step('compare').toFixed(1)} s, queue ${step('queue').toFixed(1)} s, write ${step('write').toFixed(1)} s)`,
          target: '',
          details: { hours, redisPeak },
          date: today(),
        },
        scheduling(jobs, unit.cpu),
      ],
      values,
    );
    await writeCosts(
      all((hour) => hour.sources),
      all((hour) => hour.works),
      {
        ...unit,
        coordinatorCpu: all((hour) => hour.cpu),
      },
    );
  }

  if (hasRedis()) await bench();
  else
    console.log('redis-server is not installed: nothing is measured, the rows stay as they are.');
  return 0;
};
