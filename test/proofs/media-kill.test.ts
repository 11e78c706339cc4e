import { spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { describe, expect, it, vi } from 'vitest';
import type { MediaCounts } from '../../src/images/counts.ts';
import { isOutputName } from '../../src/images/recipes.ts';
import { follow } from '../support/command.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { startPictureHost } from '../support/picture-host.ts';
import { tempFolder } from '../support/temp-folder.ts';

const CHILD = fileURLToPath(new URL('../support/media-child.ts', import.meta.url));
const PICTURES = 40;
/** Four downloads and two encodings, and those that may have finished unreported. */
const IN_FLIGHT = 6;

const host = await forAllTests(startPictureHost(PICTURES));

interface Run {
  /** Pictures reported as finished. */
  done: number;
  /** Undefined if it was killed. */
  counts: MediaCounts | undefined;
  code: number | null;
}

/** One run, killed by a signal after it reported `after` pictures, if given. */
async function run(cacheDir: string, stop?: { after: number; signal: NodeJS.Signals }) {
  const settings = JSON.stringify({ urls: host.urls, cacheDir, baseUrl: host.baseUrl });
  const { child, printed, prints, ended } = follow(spawn(process.execPath, [CHILD, settings]));
  if (stop) {
    const reached = prints(new RegExp(`^done ${stop.after}$`, 'm'));
    // A run that ends earlier is not killed.
    reached.then(() => child.kill(stop.signal)).catch(() => {});
  }
  const { exitCode: code } = await ended;
  // Its last requests may still be on their way to the server.
  await vi.waitFor(async () => expect(await host.openConnections()).toBe(0), { timeout: 10_000 });
  const done = Math.max(
    0,
    ...[...printed.stdout.matchAll(/^done (\d+)$/gm)].map(([, n]) => Number(n)),
  );
  const last = printed.stdout.trim().split('\n').at(-1) ?? '';
  const counts: MediaCounts | undefined = last.startsWith('{') ? JSON.parse(last) : undefined;
  return { done, counts, code } satisfies Run;
}

/** The store contains only complete pictures. */
async function checkStore(cacheDir: string): Promise<void> {
  const folder = path.join(cacheDir, 'media', 'files');
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.includes('/'));
  expect(names).toHaveLength(PICTURES * 2);
  for (const name of names) {
    expect(isOutputName(name)).toBe(true);
    // Decoding it completely proves that it is intact.
    await sharp(await readFile(path.join(folder, name)), { failOn: 'truncated' }).stats();
  }
}

describe('an interrupted run', () => {
  it('by SIGKILL loses only the pictures in flight', async () => {
    const folder = tempFolder();
    const killed = await run(folder, { after: 30, signal: 'SIGKILL' });
    expect(killed.counts).toBeUndefined();
    host.asked.length = 0;
    const next = await run(folder);
    expect(next.counts?.failed).toBe(0);
    expect(next.counts?.unchanged).toBeGreaterThanOrEqual(killed.done);
    expect(host.asked.length).toBeLessThanOrEqual(PICTURES - killed.done);
    // Each picture in flight is either found or encoded again, never both.
    const madeAgain = next.counts?.outputsMade ?? 0;
    expect(madeAgain).toBeLessThanOrEqual((PICTURES - killed.done) * 3);
    await checkStore(folder);
    expect((await run(folder)).counts).toMatchObject({
      unchanged: PICTURES,
      outputsMade: 0,
    });
  });

  it('by Ctrl-C ends cleanly, and the next run continues', async () => {
    const folder = tempFolder();
    const stopped = await run(folder, { after: 10, signal: 'SIGINT' });
    expect(stopped.code).toBe(130);
    expect(stopped.done).toBeLessThanOrEqual(10 + IN_FLIGHT);
    host.asked.length = 0;
    const next = await run(folder);
    expect(next.counts?.failed).toBe(0);
    expect(host.asked.length).toBeLessThanOrEqual(PICTURES - stopped.done);
    await checkStore(folder);
  });
});
