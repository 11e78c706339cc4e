import { cp, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RunOptions } from '../../src/publish/run.ts';
import { mergeShards } from '../../src/publish/shards/merge.ts';
import type { SampleService } from '../../src/sample-service/index.ts';
import { build, configFor, readTree, recordingConsole, temporaryFolder } from '../support/build.ts';
import { type PublishedSite, startPublishedSite } from '../support/published-site.ts';
import { FIRST_NIGHT, startWorld } from '../support/world.ts';

/**
 * Nearly every build runs on a machine that is new: what visitors see is on the published site, and
 * perhaps in a cache of some night.
 */

const HOUR = 3_600_000;
let service: SampleService;
let site: PublishedSite;
let first: Awaited<ReturnType<typeof temporaryFolder>>;
let original: SampleService['data']['dealers'];

const config = () => configFor(service, { site: { title: 'Test Motors', url: site.url } });
const vehicles = (dealer = 0) => service.data.dealers[dealer]?.vehicles ?? [];
const down = (status = 503) => service.faults.set({ route: 'media', dealerId: 7001, status });

beforeAll(async () => {
  service = await startWorld();
  original = structuredClone(service.data.dealers);
  site = await startPublishedSite();
  first = await temporaryFolder();
  const { error } = await build(config(), first.path, { now: FIRST_NIGHT });
  expect(error).toBeUndefined();
}, 120_000);
afterAll(async () => {
  await site[Symbol.asyncDispose]();
  await service.close();
  await first[Symbol.asyncDispose]();
});
beforeEach(() => {
  service.faults.clear();
  service.data.dealers.splice(0, 2, ...structuredClone(original));
  site.folder = path.join(first.path, 'site');
  site.instead = undefined;
});

/** A build on a new machine, with what a host's cache gave back. */
async function night(
  { hours = 24, cache }: { hours?: number; cache?: string } = {},
  options: Partial<RunOptions> = {},
) {
  const folder = await temporaryFolder();
  if (cache) await cp(cache, path.join(folder.path, 'cache'), { recursive: true });
  const built = await build(config(), folder.path, {
    now: FIRST_NIGHT + hours * HOUR,
    fromPublished: true,
    ...options,
  });
  const files = built.report.outcome === 'not-published' ? undefined : await readTree(built.output);
  await folder[Symbol.asyncDispose]();
  return { ...built, files, code: built.report.problem?.code };
}

const pagesOf = (files: ReadonlyMap<string, string> | undefined, dealer: string) =>
  [...(files?.keys() ?? [])].filter((file) => file.startsWith(`${dealer}/`));

describe('an empty disk, with the published site reachable', () => {
  it('never leaves out a dealer that is live', async () => {
    down();
    const { exitCode, code, report } = await night();
    expect([exitCode, code]).toEqual([4, 'service-unreachable']);
    expect(report.outcome).toBe('not-published');
    expect(report.dealers.map(({ state }) => state)).toEqual(['failed', 'fresh']);
  });

  it('leaves out a dealer that was never live', async () => {
    site.instead = (file) => (file.startsWith('dealer-1/') ? { status: 404 } : undefined);
    down();
    const { exitCode, report, files } = await night();
    expect(exitCode).toBe(0);
    expect(report.dealers.map(({ state }) => state)).toEqual(['left-out', 'fresh']);
    expect(pagesOf(files, 'dealer-1')).toEqual([]);
  });

  it.each([
    ['one vehicle of ten', 1],
    ['none', 0],
  ])('does not believe a list of %s, unless a person does', async (_, left) => {
    vehicles().splice(left);
    const held = await night();
    expect([held.exitCode, held.code]).toEqual([5, 'stock-vehicle-loss']);
    const token = /--accept-loss (\S+)/.exec(held.report.problem?.fix ?? '')?.[1] ?? '';
    expect(token).toMatch(/^dealer-1@[0-9a-f]{12}$/);
    // The name is the same on a machine whose cache came back.
    const other = await night({ cache: path.join(first.path, 'cache') });
    expect(other.report.dealers[0]?.problem?.fix).toContain(token);
    const believed = await night({}, { acceptLoss: [token] });
    expect(believed.exitCode).toBe(0);
    expect(believed.report.dealers[0]?.vehicles.used).toBe(left);
  });

  it('believes what a site usually sells', async () => {
    vehicles().splice(8);
    const { exitCode, report } = await night();
    expect(exitCode).toBe(0);
    expect(report.dealers[0]).toMatchObject({ state: 'fresh', vehicles: { used: 8 } });
  });

  it('makes nothing of what the site lists', async () => {
    const list = JSON.parse(await readFile(path.join(site.folder, 'dealer-1/media.json'), 'utf8'));
    list.vehicles.push({ vrm: 'PLANTED' });
    site.instead = (file) =>
      file === 'dealer-1/media.json' ? { body: JSON.stringify(list) } : undefined;
    const { exitCode, files } = await night();
    expect(exitCode).toBe(0);
    expect([...(files ?? [])].flat().filter((text) => /planted/i.test(text))).toEqual([]);
  });
});

describe('a cache that came back', () => {
  it('is not believed for ever, and the dealer stays', async () => {
    down();
    const cache = path.join(first.path, 'cache');
    const young = await night({ hours: 71, cache });
    expect(young.report.dealers.map(({ state }) => state)).toEqual(['degraded', 'fresh']);
    expect(pagesOf(young.files, 'dealer-1').length).toBeGreaterThan(10);
    const old = await night({ hours: 73, cache });
    expect([old.exitCode, old.code]).toEqual([4, 'service-unreachable']);
    expect(old.report.outcome).toBe('not-published');
  });

  it('does not hide a loss where it is older than the site', async () => {
    await using before = await temporaryFolder();
    // That night, the site did not exist.
    site.folder = before.path;
    vehicles().splice(5);
    expect((await build(config(), before.path, { now: FIRST_NIGHT })).error).toBeUndefined();
    site.folder = path.join(first.path, 'site');
    const { exitCode, report } = await night({ cache: path.join(before.path, 'cache') });
    expect(exitCode).toBe(0);
    expect(report.dealers[0]).toMatchObject({ state: 'held' });
    expect(report.dealers[0]?.problem?.why).toContain('the published site');
  });
});

describe('a published site that cannot be asked', () => {
  beforeEach(() => {
    site.instead = () => ({ status: 503, headers: { 'retry-after': 3600 } });
  });

  it('stops no dealer that answered, and the report says that nothing was compared', async () => {
    vehicles().splice(1);
    const { exitCode, report } = await night();
    expect(exitCode).toBe(0);
    expect(report.dealers[0]?.notes.join()).toContain('a loss would not be noticed');
  });

  it('leaves nobody out, unless a person says that nothing is online yet', async () => {
    down();
    const stopped = await night();
    expect([stopped.exitCode, stopped.code]).toEqual([4, 'service-unreachable']);
    expect(stopped.report.problem?.fix).toContain('--first');
    const firstDay = await night({}, { first: true });
    expect(firstDay.exitCode).toBe(0);
    expect(firstDay.report.dealers.map(({ state }) => state)).toEqual(['left-out', 'fresh']);
  });

  it('is a first build where there is no such host', async () => {
    down();
    const nowhere = configFor(service, { site: { title: 'T', url: 'https://cars.invalid' } });
    await using folder = await temporaryFolder();
    const { exitCode, report } = await build(nowhere, folder.path, { now: FIRST_NIGHT });
    expect(exitCode).toBe(0);
    expect(report.dealers.map(({ state }) => state)).toEqual(['left-out', 'fresh']);
  });
});

describe('a site in parts', () => {
  it('is not merged without a dealer that is live', async () => {
    await using folder = await temporaryFolder();
    down();
    const folders: string[] = [];
    for (const number of [1, 2]) {
      const part = path.join(folder.path, `part-${number}`);
      const shard = { number, count: 2, run: 'night', dealers: [7000 + number] };
      const built = await build(config(), part, { now: FIRST_NIGHT + 24 * HOUR, shard });
      expect(built.error).toBeUndefined();
      folders.push(built.output);
    }
    const output = path.join(folder.path, 'site');
    const merged = await mergeShards({
      config: config(),
      folders,
      output,
      console: recordingConsole(),
    });
    expect([merged.exitCode, merged.report.problem?.code]).toEqual([5, 'service-unreachable']);
    await expect(readTree(output)).rejects.toThrow();
  });
});

describe('a kept site whose cache is gone', () => {
  it.each([
    ['all of it', 'cache'],
    ['its thumbnails', 'cache/media/files'],
  ])('loses no picture where the host of the pictures is down: %s', async (_, lost) => {
    await using folder = await temporaryFolder();
    await cp(first.path, folder.path, { recursive: true });
    await rm(path.join(folder.path, lost), { recursive: true });
    site.instead = () => ({ status: 503, headers: { 'retry-after': 3600 } });
    service.faults.set({ route: 'picture', status: 500 });
    // That some pictures were due and could not be asked for is in the lists of pictures alone.
    const seen = async () =>
      [...(await readTree(path.join(folder.path, 'site')))].filter(
        ([file]) => !file.startsWith('api/pictures/'),
      );
    const before = await seen();
    const { exitCode, report } = await build(config(), folder.path, { now: FIRST_NIGHT + HOUR });
    expect(exitCode).toBe(0);
    expect(report.media?.outputsRestored).toBeGreaterThan(80);
    expect(report.pictureFailures.filter(({ standIn }) => !standIn)).toEqual([]);
    expect(await seen()).toEqual(before);
  });
});
