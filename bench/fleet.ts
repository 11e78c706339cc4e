/** `npm run bench -- fleet`: an hour of a platform of a thousand dealers, without the pictures. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { runner } from './media/bench-context.ts';
import type { FleetShardInput } from './runners/fleet-shard.ts';
import { measureScript, median } from './support/measure.ts';
import { hasRedis, startBenchRedis } from './support/redis.ts';
import { type Row, reportRows, today } from './support/report.ts';
import { schedule, seededRandom } from './support/scheduling.ts';

const usage = `
npm run bench -- fleet [options]
  --dealers N        default 1000
  --vehicles N       of each dealer; default 300
  --pictures N       of each vehicle; default 20
  --shards N         coordinators, each with its part of the dealers; default 20
  --measured N       shards that are really run, one after the other; the rest is like them; default all
  --changed-every N  every so many-th vehicle was updated; default 50 (2 %)
`;

const { values } = parseArgs({
  options: {
    dealers: { type: 'string', default: '1000' },
    vehicles: { type: 'string', default: '300' },
    pictures: { type: 'string', default: '20' },
    shards: { type: 'string', default: '20' },
    measured: { type: 'string' },
    'changed-every': { type: 'string', default: '50' },
    help: { type: 'boolean', short: 'h' },
  },
});

interface ShardHour {
  steps: Record<string, number>;
  requests: { written: number; read: number; bytesIn: number; bytesOut: number };
  sources: number;
  works: number;
  jobs: number;
  wall: number;
  cpu: number;
  peak: number;
}

const dealers = Number(values.dealers);
const shards = Number(values.shards);
const perShard = Math.ceil(dealers / shards);
const count = (value: number): string => Math.round(value).toLocaleString('en-GB');

async function oneShard(shard: number, queueUrl: string, folder: string): Promise<ShardHour> {
  const storeFolder = path.join(folder, 'store');
  const input: FleetShardInput = {
    storeFolder,
    cacheDir: path.join(folder, 'cache'),
    queueUrl,
    firstDealer: 1 + shard * perShard,
    dealers: Math.min(perShard, dealers - shard * perShard),
    vehicles: Number(values.vehicles),
    pictures: Number(values.pictures),
    changedEvery: Number(values['changed-every']),
    phase: 'fill',
  };
  await measureScript(runner('fleet-shard'), input);
  const script = fileURLToPath(runner('fleet-stand-in'));
  const stub = spawn(process.execPath, [script, JSON.stringify({ storeFolder, queueUrl })], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(stub.stdout, 'data');
  const cost = await measureScript(runner('fleet-shard'), { ...input, phase: 'hour' });
  stub.kill('SIGTERM');
  await once(stub, 'exit');
  await rm(storeFolder, { recursive: true, force: true });
  const { wall, cpu, peak } = cost;
  return { ...JSON.parse(cost.output.trim()), wall, cpu, peak };
}

/** CPU seconds of one picture over the queue, as the other bench measured it. */
async function secondsPerPicture(): Promise<number> {
  const file = path.join('docs', 'bench', 'workers.json');
  if (existsSync(file)) {
    const { rows } = JSON.parse(await readFile(file, 'utf8'));
    const row = rows.find(({ id }: Row) => id === 'queue-cpu');
    if (row) return row.details.perSource;
  }
  throw new Error('Run "npm run bench -- workers" first: its CPU of a picture is needed here.');
}

/** The hour's jobs of all shards, as many workers as it takes. */
function scheduling(jobs: number, cpu: number): Row {
  const pictures = Number(values.pictures);
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
  const cpu = await secondsPerPicture();
  const folder = await mkdtemp(path.join(tmpdir(), 'fleet-bench-'));
  const redis = await startBenchRedis(folder);
  const hours: ShardHour[] = [];
  let redisPeak = 0;
  const sampler = setInterval(() => {
    redisPeak = Math.max(redisPeak, redis.memory());
  }, 50);
  const measured = Math.min(shards, Number(values.measured ?? shards));
  try {
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
    measured === shards ? '' : ` (${measured} of ${shards} shards run, the rest counted like them)`;
  await reportRows('fleet', [
    {
      id: 'fleet-coordinators',
      what: `An hour of ${count(dealers)} dealers, ${count(all((hour) => hour.sources))} pictures in ${shards} shards, ${count(all((hour) => hour.works))} changed: one coordinator, its workers making nothing${part}`,
      measured: `${median(hours.map(({ wall }) => wall)).toFixed(1)} s, CPU ${median(hours.map((hour) => hour.cpu)).toFixed(1)} s, ${count(Math.max(...hours.map(({ peak }) => peak)))} MB (plan ${step('plan').toFixed(1)} s, manifests ${step('manifests').toFixed(1)} s, compare ${step('compare').toFixed(1)} s, queue ${step('queue').toFixed(1)} s, clean ${step('clean').toFixed(1)} s)`,
      target: '',
      details: { hours, redisPeak },
      date: today(),
    },
    {
      id: 'fleet-requests',
      what: `Requests to the store of that hour, thumbnails left out`,
      measured: `${count(all(({ requests }) => requests.written))} PUT and LIST, ${count(all(({ requests }) => requests.read))} GET of the coordinators; ${(all(({ requests }) => requests.bytesOut) / 1e9).toFixed(2)} GB read, ${(all(({ requests }) => requests.bytesIn) / 1e9).toFixed(2)} GB written`,
      target: '',
      details: { perShard: hours.map(({ requests }) => requests) },
      date: today(),
    },
    scheduling(jobs, cpu),
  ]);
}

if (values.help) console.log(usage.trim());
else if (hasRedis()) await bench();
else console.log('redis-server is not installed: nothing is measured, the rows stay as they are.');
