import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'bullmq';
import { describe, expect, it } from 'vitest';
import { enginesOf } from '../../src/config/engines.ts';
import { queueAddress } from '../../src/images/queue/connection.ts';
import { isOutputName } from '../../src/images/recipes.ts';
import { follow } from '../support/command.ts';
import { Fleet, readState } from '../support/fleet.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { ownerOf, startPictureHost } from '../support/picture-host.ts';
import { startRedis } from '../support/redis.ts';

const PER_VEHICLE = 5;
const PICTURES = 40;
const OUTPUTS = 2;
/** Pictures of the two vehicles that one worker processes in parallel. */
const IN_FLIGHT = 2 * PER_VEHICLE;
const redis = await forAllTests(startRedis());
const host = await forAllTests(startPictureHost(PICTURES));
const expected = await Fleet.alone(host, PER_VEHICLE);

/** A slow host, so that faults can occur during a run. */
const slowly = () => sleep(250);

/** Two dealers, eight vehicles, and two workers. */
async function scene(workers = 2) {
  host.onRequest = undefined;
  await redis.command('FLUSHALL');
  const fleet = await Fleet.open(host, { QUEUE_URL: redis.url });
  const sources = fleet.sources(PER_VEHICLE);
  host.asked.length = 0;
  host.onRequest = slowly;
  const encodings = fleet.watchEncodings();
  for (let started = 0; started < workers; started++) await fleet.worker();
  let settled = 0;
  return {
    fleet,
    sources,
    /** Waits until some pictures are done. */
    done: async (pictures: number) => {
      while (settled < pictures) await sleep(20);
    },
    /** Starts the run. The fault of the test comes afterwards. */
    start: (options: Parameters<Fleet['run']>[1] = {}) =>
      fleet.run(sources, {
        ...options,
        onProgress: ({ done }) => {
          settled = done;
        },
      }),
    /** Compares bytes and records with one process. Returns the number of surplus encodings. */
    compare: async () => {
      const encoded = [...encodings.counts.values()].reduce((sum, count) => sum + count, 0);
      // The next run, which has no work, deletes remains of the dead workers.
      const { counts } = await fleet.run(sources);
      expect(counts).toMatchObject({ unchanged: PICTURES, outputsMade: 0 });
      // A worker that was suspended may still be writing.
      const state = () => readState(fleet.cacheDir);
      await expect.poll(state, { timeout: 30_000 }).toEqual(expected);
      expect(encodings.counts.size).toBe(PICTURES * OUTPUTS);
      return encoded - PICTURES * OUTPUTS;
    },
    [Symbol.asyncDispose]: async () => {
      encodings.close();
      await fleet[Symbol.asyncDispose]();
    },
  };
}

describe('a run', () => {
  it.each<[string, number, number, (fleet: Fleet) => Promise<unknown>]>([
    ['if one worker is killed', 0, 2, async ({ workers }) => workers[0]?.kill()],
    [
      'if all workers are killed and another one starts',
      0,
      4,
      async (fleet) => {
        await Promise.all(fleet.workers.map((worker) => worker.kill()));
        await fleet.worker();
      },
    ],
    [
      // It may complete the task that it was suspended in.
      'if a worker is suspended for longer than its lock',
      IN_FLIGHT,
      8,
      async ({ workers: [sleeper] }) => {
        sleeper?.signal('SIGSTOP');
        await sleep(9000);
        sleeper?.signal('SIGCONT');
      },
    ],
    [
      'after Redis is down for 20 s',
      0,
      8,
      async () => {
        await redis.kill();
        await sleep(20_000);
        await redis.start();
      },
    ],
    ['if the queue loses everything', 2 * IN_FLIGHT, 8, () => redis.command('FLUSHALL')],
  ])('continues %s', async (_, encodedTwice, vehiclesAskedTwice, fault) => {
    await using at = await scene();
    const run = at.start();
    await at.done(5);
    await fault(at.fleet);
    expect(await run).toMatchObject({ failures: [], counts: { failed: 0 } });
    if (encodedTwice > 0) await sleep(1500);
    expect(await at.compare()).toBeLessThanOrEqual(encodedTwice * OUTPUTS);
    expect(host.asked.length - PICTURES).toBeLessThanOrEqual(vehiclesAskedTwice * PER_VEHICLE);
  });

  it('names a picture that kills its workers and completes the others', async () => {
    await using at = await scene(0);
    const poison = 7;
    const killed: Promise<unknown>[] = [];
    host.onRequest = async (number, socket) => {
      if (number !== poison) return;
      const pid = ownerOf(
        socket,
        at.fleet.workers.map((worker) => worker.pid),
      );
      const victim = at.fleet.workers.find((worker) => worker.pid === pid);
      if (!victim) throw new Error('nobody asked for the picture');
      killed.push(victim.kill().then(() => at.fleet.worker()));
      await killed.at(-1);
    };
    await at.fleet.worker();
    await at.fleet.worker();
    const { failures, counts } = await at.start();
    expect(killed).toHaveLength(2);
    expect(counts).toMatchObject({ failed: 1, downloaded: PICTURES - 1 });
    expect(failures).toMatchObject([
      { key: at.sources[poison]?.key, code: 'picture-killed-worker', standIn: false },
    ]);
    const made = await readState(at.fleet.cacheDir);
    const files = (state: Map<string, string>) =>
      [...state].filter(([name]) => isOutputName(name.slice('media/files/'.length)));
    expect(files(made)).toHaveLength(files(expected).length - OUTPUTS);
    for (const [name, hash] of files(made)) expect(expected.get(name)).toBe(hash);
  });

  it('leaves its finished vehicles to the next run if it is stopped', async () => {
    await using at = await scene();
    const controller = new AbortController();
    const stopped = at.start({ signal: controller.signal });
    await at.done(5);
    controller.abort();
    await expect(stopped).rejects.toThrow(/abort/i);
    // The workers do not notice it and continue.
    while (host.asked.length < PICTURES) await sleep(100);
    await sleep(1500);
    host.asked.length = 0;
    const { counts, failures } = await at.start();
    expect(counts.unchanged + counts.downloaded).toBe(PICTURES);
    expect(failures).toEqual([]);
    expect(host.asked).toEqual([]);
    expect(await at.compare()).toBe(0);
  });

  it('reports that there is no worker, and the next run loses nothing', async () => {
    await using at = await scene(0);
    const lines: string[] = [];
    const say = (line: string) => lines.push(line);
    await expect(at.start({ timeout: 3000, say })).rejects.toMatchObject({
      code: 'queue-no-worker',
      message: expect.stringContaining('8 vehicles'),
    });
    expect(lines).toEqual([expect.stringMatching(/8 vehicles\. No worker .+ up after 3 s\./)]);
    await at.fleet.worker();
    expect(await at.start()).toMatchObject({ failures: [] });
    expect(await at.compare()).toBe(0);
  });

  it('fails if workers have another version and return everything unprocessed', async () => {
    await using at = await scene(0);
    const { queueUrl } = enginesOf({ QUEUE_URL: redis.url });
    if (!queueUrl) throw new Error('no queue');
    // The first run or worker gives the folder its id.
    await expect(at.start({ timeout: 200 })).rejects.toMatchObject({ code: 'queue-no-worker' });
    const id = await readFile(`${at.fleet.cacheDir}/queue-id`, 'utf8');
    const { name, options } = queueAddress(queueUrl, id);
    const worker = new Worker(name, async () => ({ version: 0 }), options);
    try {
      await expect(at.start({ timeout: 3000 })).rejects.toMatchObject({
        code: 'queue-stuck',
        why: expect.stringContaining('another version'),
      });
    } finally {
      await worker.close();
    }
  });

  it('fails if workers have another folder, as without workers', async () => {
    await using at = await scene(0);
    await at.fleet.worker('--cache', `${at.fleet.folder}/elsewhere`);
    await expect(at.start({ timeout: 3000 })).rejects.toMatchObject({ code: 'queue-no-worker' });
  });

  it('reports that Redis refuses, such as without free memory', async () => {
    await using at = await scene(0);
    await redis.command('CONFIG SET maxmemory 1');
    try {
      await expect(at.start()).rejects.toMatchObject({
        code: 'queue-unreachable',
        why: expect.stringContaining('Redis refused a command: OOM'),
      });
    } finally {
      await redis.command('CONFIG SET maxmemory 0');
    }
  });

  it('reports that Redis is unreachable', async () => {
    await using at = await scene(0);
    await redis.kill();
    const lines: string[] = [];
    try {
      const run = at.start({ timeout: 2000, say: (line) => lines.push(line) });
      await expect(run).rejects.toMatchObject({
        code: 'queue-unreachable',
        why: expect.stringMatching(/2 s\. Last error: connect ECONNREFUSED|ENOENT/),
      });
      expect(lines).toEqual([expect.stringMatching(/^Queue: connect /)]);
    } finally {
      await redis.start();
    }
  });
});

it('a build reports an unreachable Redis even if the connection never confirms its end', async () => {
  const script = `
    import { Queue } from 'bullmq';
    import { queueAddress } from './src/images/queue/connection.ts';
    import { submitPictures } from './src/images/queue/submit-pictures.ts';
    import { Secret } from './src/config/secret.ts';
    for (const name of ['close', 'disconnect']) {
      const end = Queue.prototype[name];
      Queue.prototype[name] = function () {
        void end.call(this).catch(() => {});
        return new Promise(() => {});
      };
    }
    const queue = queueAddress(new Secret('redis://127.0.0.1:1'), '');
    const source = { key: '1/1', vehicle: 'v', recipes: [], vehicleDate: '' };
    const plan = { tasks: [{ source, step: { kind: 'download', because: 'new' } }], existing: new Set() };
    await submitPictures({ queue, timeout: 500 })(plan, () => {}).catch(({ code }) => console.log(code));
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script]);
  expect(await follow(child).ended).toMatchObject({ exitCode: 0, stdout: 'queue-unreachable\n' });
});

it('a worker without Redis ends on request', async () => {
  await using at = await scene(1);
  const [worker] = at.fleet.workers;
  if (!worker) throw new Error('no worker');
  await redis.kill();
  try {
    await worker.prints(/Queue:/);
    const ended = once(worker.child, 'exit', { signal: AbortSignal.timeout(60_000) });
    worker.child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  } finally {
    await redis.start();
  }
});
