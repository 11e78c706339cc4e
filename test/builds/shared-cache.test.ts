import { cpSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { lockFolder } from '../../src/lib/files/folder-lock.ts';
import { build, configFor, readTree, writeConfigIn } from '../support/build.ts';
import { eleventyIn, startCommand } from '../support/command.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { startService } from '../support/service.ts';
import { tempFolder } from '../support/temp-folder.ts';

const service = await forAllTests(startService({ dealers: 1, vehicles: 3, images: 2 }));

it('npm run dev waits for a build with the same cache, reports it, and locks only while it prepares', async () => {
  const folder = tempFolder();
  const cache = path.join(folder, 'cache');
  const held = lockFolder(cache);
  service.requests.clear();
  const args = ['--config', writeConfigIn(folder, service), '--cache', cache, '--port', '0'];
  const running = startCommand('dev', args, { MEDIA_API_KEY: service.mediaKey });
  try {
    await running.prints(/A build is running with .*cache\. Waiting until it has ended/);
    expect(service.requests.list('media')).toEqual([]);
    held[Symbol.dispose]();
    await running.prints(/The site is at/);
    const { exitCode, report } = await build(configFor(service), folder);
    expect(exitCode).toBe(0);
    const { listed = 0, used } = report.dealers[0]?.pictures ?? {};
    expect([listed > 0, used]).toEqual([true, listed]);
  } finally {
    running.child.kill('SIGINT');
    await running.ended;
  }
});

it('Ctrl-C ends npm run dev while it waits', async () => {
  const folder = tempFolder();
  const cache = path.join(folder, 'cache');
  using _held = lockFolder(cache);
  const args = ['--config', writeConfigIn(folder, service), '--cache', cache, '--port', '0'];
  const running = startCommand('dev', args, { MEDIA_API_KEY: service.mediaKey });
  await running.prints(/Waiting until it has ended/);
  running.child.kill('SIGINT');
  const { stdout, stderr } = await running.ended;
  expect(stderr).toContain('[command-interrupted]');
  expect(stdout + stderr).not.toMatch(/hit a bug|^\s+at /m);
});

it('npx eleventy waits for a build with the same cache', async () => {
  const folder = tempFolder();
  writeConfigIn(folder, service);
  const held = lockFolder(path.join(folder, 'cache'));
  const before = service.requests.list('media').length;
  const { prints, ended, output } = eleventyIn(folder, service.mediaKey);
  await prints(/Waiting until it has ended/);
  expect(service.requests.list('media')).toHaveLength(before);
  held[Symbol.dispose]();
  expect(await ended).toMatchObject({ exitCode: 0 });
  expect(await readFile(path.join(output, 'one', 'index.html'), 'utf8')).toContain('</html>');
});

it('a build has all pictures on its pages, even if another program writes to the cache without a lock', async () => {
  const firstFolder = tempFolder();
  const other = tempFolder();
  const config = configFor(service);
  const now = Date.now();
  expect((await build(config, firstFolder, { now })).exitCode).toBe(0);
  const files = path.join('cache', 'media', 'files');
  service.requests.clear();
  const clear = service.faults.set({ route: 'picture', delayMs: 3000 });
  const running = build(config, other, { now });
  await expect
    .poll(() => service.requests.list('picture').length, { timeout: 30_000 })
    .toBeGreaterThan(0);
  cpSync(path.join(firstFolder, files), path.join(other, files), { recursive: true });
  const { exitCode, report, output } = await running;
  clear();
  expect(exitCode).toBe(0);
  const { listed = 0, used } = report.dealers[0]?.pictures ?? {};
  expect([listed > 0, used]).toEqual([true, listed]);
  expect(await readTree(output)).toEqual(await readTree(path.join(firstFolder, 'site')));
});
