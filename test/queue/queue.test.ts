import { once } from 'node:events';
import { expect, it } from 'vitest';
import { TimeLimit } from '../../src/images/process/tasks.ts';
import { Fleet, readState } from '../support/fleet.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { startPictureHost } from '../support/picture-host.ts';
import { startRedis } from '../support/redis.ts';
import { freePort } from '../support/server.ts';

const PER_VEHICLE = 5;
const PICTURES = 40;
const redis = await forAllTests(startRedis());
const host = await forAllTests(startPictureHost(PICTURES));
const expected = await Fleet.alone(host, PER_VEHICLE);

const openFleet = async () => {
  host.asked.length = 0;
  host.onRequest = undefined;
  await redis.command('FLUSHALL');
  return Fleet.open(host, { QUEUE_URL: redis.url });
};

it('a worker exports metrics of the queue for Prometheus and ends on request', async () => {
  await using fleet = await openFleet();
  const port = await freePort();
  const worker = await fleet.worker('--metrics-port', `${port}`);
  await fleet.run(fleet.sources(PER_VEHICLE));
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
  expect(answer.headers.get('content-type')).toContain('text/plain');
  const text = await answer.text();
  expect(text).toMatch(/bullmq_job_count\{queue="pictures-[0-9a-f]{8}", state="waiting"\} 0/);
  expect(text).toMatch(/bullmq_job_completed_total\{[^}]*\} [1-9]/);
  expect((await fetch(`http://127.0.0.1:${port}/other`)).status).toBe(404);
  await expect(fleet.worker('--metrics-port', `${port}`)).rejects.toThrow('[file-eaddrinuse]');
  await redis.kill();
  const without = await fetch(`http://127.0.0.1:${port}/metrics`);
  expect([without.status, await without.text()]).toEqual([
    503,
    expect.stringMatching(/queue could not be used/),
  ]);
  await redis.start();
  const ended = once(worker.child, 'exit');
  worker.child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});

it('a run at its time limit removes unstarted vehicles from the queue, and the next run processes them', async () => {
  await using fleet = await openFleet();
  const sources = fleet.sources(PER_VEHICLE);
  await fleet.worker();
  let missing: ReadonlySet<string> = new Set();
  const { counts, failures } = await fleet.run(sources, {
    limit: {
      time: new TimeLimit(Date.now() + 1),
      urgent: new Set(sources.slice(-1).map(({ key }) => key)),
    },
    without: (keys) => {
      missing = keys;
      return sources.filter(({ key }) => !keys.has(key));
    },
  });
  expect(failures).toEqual([]);
  expect(missing.size).toBeGreaterThan(0);
  expect(missing.size % PER_VEHICLE).toBe(0);
  expect(missing.has(sources.at(-1)?.key ?? '')).toBe(false);
  expect(counts.sources).toBe(PICTURES - missing.size);
  expect(counts.downloaded).toBe(counts.sources);
  expect((await fleet.run(sources)).counts.downloaded).toBe(missing.size);
  expect(await readState(fleet.cacheDir)).toEqual(expected);
});

it('two workers write the same bytes and records as one process, and encode each picture once', async () => {
  await using fleet = await openFleet();
  const sources = fleet.sources(PER_VEHICLE);
  await Promise.all([fleet.worker(), fleet.worker()]);
  const { counts, failures } = await fleet.run(sources);
  expect(failures).toEqual([]);
  expect(counts).toMatchObject({ sources: PICTURES, downloaded: PICTURES, failed: 0 });
  expect(counts.outputsMade).toBe(PICTURES * 2);
  expect(host.asked.toSorted((a, b) => a - b)).toEqual(sources.map((_, number) => number));
  expect(await readState(fleet.cacheDir)).toEqual(expected);
  for (const { output } of fleet.workers) expect(output()).toContain('thumbnails');
});
