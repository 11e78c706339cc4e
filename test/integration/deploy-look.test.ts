import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { changesLines } from '../../src/change-set/change-set.ts';
import { deploySettings } from '../../src/config/deploy-settings.ts';
import { type DeployOptions, deploy } from '../../src/deploy/deploy.ts';
import { loadHost } from '../../src/deploy/hosts.ts';
import type { AppError } from '../../src/errors.ts';
import type { Clock } from '../../src/lib/http/http.ts';
import { fileHash } from '../../src/record/files.ts';
import { FIRST, newWorld, night, SECOND, type World } from '../support/deploy-command.ts';
import { servedOf } from '../support/hosts/change-set.ts';

/** A deploy in this process, with time that passes as it is slept. */
async function deployHere(world: World, more: Partial<DeployOptions> = {}) {
  let time = Date.now();
  const began = time;
  const clock: Clock = {
    now: () => time,
    sleep: async (ms) => {
      time += ms;
    },
  };
  const host = await loadHost('netlify', deploySettings('netlify', world.host.environment()));
  const said: string[] = [];
  const result = await deploy({
    host,
    folder: world.changes,
    site: async () => undefined,
    dryRun: false,
    takeOver: false,
    verify: true,
    indexNow: 'http://127.0.0.1:1',
    onEvent: ({ text }) => said.push(text),
    signal: new AbortController().signal,
    clock,
    ...more,
  });
  return { ...result, said, waited: time - began };
}

describe('the look at the live site', () => {
  it('waits until it is the one that was sent, and else says that it differs', async () => {
    await using world = await newWorld({ preparing: 0, processing: 0 });
    let answers = 0;
    const server = createServer((request, response) => {
      const name = (request.url ?? '')
        .replace(/\?.*/, '')
        .replace(/^\//, '')
        .replace(/\/$|^$/, '/index.html');
      const text = world.served().get(name.replace(/^\//, ''));
      // A cache that shows the former times for a while.
      const isOld = ++answers <= stale && name.endsWith('times.json');
      response.writeHead(text === undefined ? 404 : 200).end(isOld ? '{"night":0}' : text);
    });
    let stale = 3;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await world.build(FIRST, undefined, url);
    const good = await deployHere(world);
    expect(good.report).toMatchObject({ live: 'as-sent' });
    stale = Number.POSITIVE_INFINITY;
    await world.build(SECOND, FIRST, url);
    const { report, error, waited } = await deployHere(world);
    expect(report).toMatchObject({ live: 'differs', problem: { code: 'live-differs' } });
    expect(error).toMatchObject({ exitCode: 5, message: expect.stringContaining('times.json') });
    expect((error as AppError).fix).toContain('--rollback');
    expect(waited).toBeGreaterThan(60_000);
    expect(waited).toBeLessThan(120_000);
    // It was taken all the same.
    expect(world.served()).toEqual(servedOf(SECOND));
    server.close();
  });

  it('says that the site cannot be reached, and that the host took it', async () => {
    await using world = await newWorld({ preparing: 0, processing: 0 });
    await world.build(FIRST, undefined, 'http://127.0.0.1:1');
    const { report, error } = await deployHere(world);
    expect(report).toMatchObject({ live: 'unreachable', sent: { files: 8 } });
    expect(error).toMatchObject({ code: 'live-unreachable', exitCode: 4 });
    expect(world.served()).toEqual(servedOf(FIRST));
  });

  it('ends early and explains after the first deploy to a folder without a website', async () => {
    await using world = await newWorld({ preparing: 0, processing: 0 });
    const host = await loadHost('folder', { into: path.join(world.folder, 'htdocs') });
    const url = 'http://127.0.0.1:1';
    await world.build(FIRST, undefined, url);
    const first = await deployHere(world, { host });
    expect(first.report).toMatchObject({ live: 'unreachable', sent: { files: 7 } });
    const { fix, why } = first.error as AppError;
    expect(first.waited).toBeLessThan(10_000);
    expect(fix).toContain('Set up the web server to show its folder "current"');
    expect(fix).not.toContain('--rollback');
    expect(why).not.toContain('..');
    await world.build(SECOND, FIRST, url);
    const second = await deployHere(world, { host, folder: world.changes });
    expect((second.error as AppError).fix).toContain('--rollback');
  });

  it('gives no advice to roll back after the first deploy', async () => {
    await using world = await newWorld({ preparing: 0, processing: 0 });
    await world.build(FIRST, undefined, 'http://127.0.0.1:1');
    const { error } = await deployHere(world);
    expect((error as AppError).fix).toBe('Check site.url and where its name points.');
  });

  it('is left out where that is asked for', async () => {
    await using world = await newWorld({ preparing: 0, processing: 0 });
    await world.build(FIRST, undefined, 'http://127.0.0.1:1');
    const { report, error } = await deployHere(world, { verify: false });
    expect(error).toBeUndefined();
    expect(report).toMatchObject({ live: 'not-looked-at' });
  });
});

describe('limits of a host', () => {
  const big = async (world: World, size: number) => {
    await mkdir(path.join(world.changes, 'files'), { recursive: true });
    const hash = fileHash('');
    const files = ['index.html', 'media/ab/huge.webp'].map((name) => ({ path: name, size, hash }));
    const head = { site: world.host.siteUrl, built: night(1), base: null };
    const lines = [...changesLines(head, files, { gone: [], changed: [] })];
    await writeFile(path.join(world.changes, 'changes.ndjson'), lines.join(''));
  };
  const environment = (world: World) => ({
    CLOUDFLARE_API_URL: world.host.url,
    CLOUDFLARE_ACCOUNT_ID: 'a',
    CLOUDFLARE_WORKER: 'w',
    CLOUDFLARE_API_TOKEN: 'marker-token-1',
  });

  it('are told before the first request', async () => {
    await using world = await newWorld();
    await big(world, 26 * 2 ** 20);
    const env = environment(world);
    const ran = await world.deploy(['--to', 'cloudflare-workers'], env);
    expect(ran.exitCode).toBe(5);
    expect(ran.stderr).toContain('[deploy-too-large]');
    expect(world.host.requests).toEqual([]);
  });
});
