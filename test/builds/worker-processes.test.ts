import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RunOptions } from '../../src/publish/options/run-options.ts';
import { build, configFor, readSite, readTree, writeConfigOf } from '../support/build.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { startService } from '../support/service.ts';
import { tempFolder } from '../support/temp-folder.ts';

/** Several processes of a machine build many dealers in parallel. */

const CHILD = path.resolve(import.meta.dirname, '../support/processes-child.ts');
const DEALERS = 6;
const service = await forAllTests(startService({ dealers: DEALERS, vehicles: 2, images: 1 }));

const config = () => {
  const site = configFor(service);
  return { ...site, service: { ...site.service, concurrency: 2, retries: 0 } };
};

/** Text of a file in /proc. Empty if its process or thread has ended in the meantime. */
function readWhileItExists(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** Worker processes of a build. */
function workers(of = process.pid): number[] {
  const tasks = `/proc/${of}/task`;
  if (!existsSync(tasks)) return [];
  const children = readdirSync(tasks).flatMap((task) =>
    readWhileItExists(path.join(tasks, task, 'children'))
      .split(' ')
      .filter(Boolean),
  );
  return children
    .map(Number)
    .filter((pid) => readWhileItExists(`/proc/${pid}/cmdline`).includes('worker-process'));
}

/** Delays the responses for the last dealers. */
function slowDown(): void {
  for (const { id } of service.data.dealers.slice(3)) {
    service.faults.set({ route: 'media', dealerId: id, delayMs: 60_000 });
  }
}

/** Starts a build whose last dealers do not respond, and waits for its worker processes. */
async function slowBuild(folder: string, options: Partial<RunOptions>) {
  slowDown();
  const done = build(config(), folder, { chunkVehicles: 1, ...options });
  await expect.poll(() => workers().length, { interval: 10 }).toBeGreaterThan(0);
  return { done };
}

describe.skipIf(process.platform !== 'linux' || availableParallelism() < 2)(
  'worker processes (seen in /proc, only if there are enough cores)',
  () => {
    it('end when the build is stopped', async () => {
      const folder = tempFolder();
      const stop = new AbortController();
      const { done } = await slowBuild(folder, { signal: stop.signal });
      stop.abort();
      const { report } = await done;
      expect(report.problem?.code).toBe('build-interrupted');
      expect(workers()).toEqual([]);
    });

    it('end when the build is killed, without remains for the next build', async () => {
      const folder = tempFolder();
      slowDown();
      const file = writeConfigOf(folder, service, config());
      const folders = ['site', 'cache'].map((name) => path.join(folder, name));
      const child = spawn(process.execPath, [CHILD, file, ...folders], {
        env: { MEDIA_API_KEY: service.mediaKey },
        stdio: 'inherit',
      });
      const ofChild = () => workers(child.pid);
      await expect.poll(() => ofChild().length).toBeGreaterThan(0);
      const left = ofChild();
      child.kill('SIGKILL');
      const isThere = (pid: number) => existsSync(`/proc/${pid}`);
      // A worker notices it after it has loaded the program.
      await expect.poll(() => left.filter(isThere), { timeout: 60_000 }).toEqual([]);
      service.faults.clear();
      const again = await build(config(), folder);
      expect(again.exitCode).toBe(0);
    });

    it('stop the build if one of them is killed, and the next build is unaffected', async () => {
      const folder = tempFolder();
      const other = tempFolder();
      service.faults.clear();
      const first = await build(config(), folder);
      const before = await readTree(first.output);
      const { done } = await slowBuild(folder, {});
      for (const pid of workers()) process.kill(pid, 'SIGKILL');
      const { exitCode, report } = await done;
      expect([exitCode, report.outcome]).toEqual([1, 'not-published']);
      expect(report.problem?.why).toContain('A process that builds pages ended (SIGKILL)');
      expect(workers()).toEqual([]);
      expect(await readTree(first.output)).toEqual(before);
      service.faults.clear();
      const again = await build(config(), folder, { chunkVehicles: 1 });
      expect(again.exitCode).toBe(0);
      const full = await build(config(), other);
      expect(await readSite(again.output)).toEqual(await readSite(full.output));
    });
  },
);
