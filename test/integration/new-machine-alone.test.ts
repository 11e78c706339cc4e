import { cpSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { mergeShards } from '../../src/publish/shards/merge.ts';
import { PUBLISHED_TIMES } from '../../src/record/published-records.ts';
import { build, configFor, readTree, recordingConsole, temporaryFolder } from '../support/build.ts';
import { FIRST_NIGHT } from '../support/disks.ts';
import { HOUR, newMachines, pagesOf, unmarked } from '../support/new-machines.ts';

const world = newMachines();
const { config, vehicles, down, night } = world;

describe('a published site that cannot be asked', () => {
  beforeEach(() => {
    world.site.instead = () => ({ status: 503, headers: { 'retry-after': 3600 } });
  });

  const compared = 'could not check for missing vehicles';

  it('stops no dealer that answered, and a person is told that nothing was compared', async () => {
    vehicles().splice(1);
    const { exitCode, report } = await night({}, { strict: true });
    expect([exitCode, report.outcome]).toEqual([8, 'published']);
    expect(report.dealers.map(({ state }) => state)).toEqual(['fresh', 'fresh']);
    expect(report.attention).toMatchObject([
      { dealer: 7001, code: 'stock-not-compared', what: expect.stringContaining(compared) },
      { dealer: 7002, code: 'stock-not-compared', what: expect.stringContaining('status 503') },
    ]);
    expect((await night()).exitCode).toBe(0);
  });

  it('is no matter where the last good answer is here, or nothing is online yet', async () => {
    for (const built of [
      await night({ cache: path.join(world.first.path, 'cache') }, { strict: true }),
      await night({}, { strict: true, first: true }),
    ]) {
      expect([built.exitCode, built.report.attention]).toEqual([0, []]);
    }
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

  it('nor a dealer that is refused', async () => {
    down(401);
    const stopped = await night();
    expect([stopped.exitCode, stopped.code]).toEqual([4, 'service-refused-401']);
    expect(stopped.report.problem?.fix).toMatch(/Check the API key.* --first/);
    const firstDay = await night({}, { first: true });
    expect(firstDay.exitCode).toBe(0);
    expect(firstDay.report.attention).toMatchObject([{ dealer: 7001, code: 'stock-left-out' }]);
  });

  it('is a first build where there is no such host', async () => {
    down();
    const nowhere = configFor(world.service, { site: { title: 'T', url: 'https://cars.invalid' } });
    await using folder = await temporaryFolder();
    const { exitCode, report } = await build(nowhere, folder.path, { now: FIRST_NIGHT });
    expect(exitCode).toBe(0);
    expect(report.dealers.map(({ state }) => state)).toEqual(['left-out', 'fresh']);
  });
});

describe('a site in parts', () => {
  /** One part for each dealer, and what their merge makes of them. */
  async function merged(folder: string, cache?: string) {
    const folders: string[] = [];
    for (const number of [1, 2]) {
      const part = path.join(folder, `part-${number}`);
      if (cache) cpSync(cache, path.join(part, 'cache'), { recursive: true });
      const shard = { number, count: 2, run: 'night', dealers: [7000 + number] };
      const now = FIRST_NIGHT + 24 * HOUR;
      const built = await build(config(), part, { now, shard, fromPublished: true });
      expect(built.error).toBeUndefined();
      folders.push(built.output);
    }
    const output = path.join(folder, 'site');
    const { exitCode, report } = await mergeShards({
      // In any order: the first dealer is that of the configuration.
      ...{ config: config(), folders: folders.toReversed(), output, strict: true },
      console: recordingConsole(),
    });
    const files = report.outcome === 'not-published' ? undefined : await readTree(output);
    if (!files) await expect(readTree(output)).rejects.toThrow();
    return { exitCode, code: report.problem?.code, report, files };
  }

  it.each([
    ['nothing is wrong', () => {}, 'published'],
    ['one dealer is down', () => down(), 'degraded'],
    ['one dealer is refused', () => down(403), 'degraded'],
    ['one dealer sells too much at once', () => vehicles().splice(1), 'degraded'],
    ['one dealer sells', () => vehicles().splice(8), 'published'],
  ])('on empty disks is what a whole build on one makes: %s', async (_, given, outcome) => {
    await using folder = await temporaryFolder();
    given();
    const parts = await merged(folder.path);
    const whole = await night({}, { strict: true });
    expect(parts.report.outcome).toBe(outcome);
    expect(parts.exitCode).toBe(whole.exitCode);
    expect(parts.report.attention).toEqual(whole.report.attention);
    expect(parts.files).toEqual(whole.files);
  });

  it.each([
    [503, 4, 'service-unreachable'],
    [403, 4, 'service-refused-403'],
  ])(
    'is not merged without a dealer that is live, of which nothing is remembered: %i',
    async (status, exitCode, code) => {
      await using folder = await temporaryFolder();
      world.site.instead = unmarked;
      down(status);
      expect(await merged(folder.path)).toMatchObject({ exitCode, code });
    },
  );

  it('is merged where all dealers of one part are refused, and a person is needed', async () => {
    await using folder = await temporaryFolder();
    down(403);
    const { exitCode, report, files } = await merged(
      folder.path,
      path.join(world.first.path, 'cache'),
    );
    expect([exitCode, report.outcome]).toEqual([8, 'degraded']);
    expect(report.attention).toMatchObject([{ dealer: 7001, code: 'service-refused-403' }]);
    expect(pagesOf(files, 'dealer-1').length).toBeGreaterThan(10);
    expect(pagesOf(files, 'dealer-2').length).toBeGreaterThan(10);
  });

  it('is not merged where every dealer is refused', async () => {
    await using folder = await temporaryFolder();
    world.service.faults.set({ route: 'media', dealerId: 7001, status: 401 });
    world.service.faults.set({ route: 'media', dealerId: 7002, status: 404 });
    const cache = path.join(world.first.path, 'cache');
    expect(await merged(folder.path, cache)).toMatchObject({
      exitCode: 3,
      code: 'service-refused-401',
    });
  });

  it('is merged where one dealer is down for a night, and nobody is needed', async () => {
    await using folder = await temporaryFolder();
    down();
    const { exitCode, report } = await merged(folder.path, path.join(world.first.path, 'cache'));
    expect([exitCode, report.outcome, report.attention]).toEqual([0, 'degraded', []]);
  });
});

describe('a kept site whose cache is gone', () => {
  it.each([
    ['all of it', 'cache'],
    ['its thumbnails', 'cache/media/files'],
  ])('loses no picture where the host of the pictures is down: %s', async (_, lost) => {
    await using folder = await temporaryFolder();
    cpSync(world.first.path, folder.path, { recursive: true });
    await rm(path.join(folder.path, lost), { recursive: true });
    world.site.instead = () => ({ status: 503, headers: { 'retry-after': 3600 } });
    world.service.faults.set({ route: 'picture', status: 500 });
    const seen = async () =>
      [...(await readTree(path.join(folder.path, 'site')))].filter(
        ([file]) => file !== PUBLISHED_TIMES,
      );
    const before = await seen();
    const { exitCode, report } = await build(config(), folder.path, { now: FIRST_NIGHT + HOUR });
    expect(exitCode).toBe(0);
    expect(report.media?.outputsRestored).toBe(world.thumbnails);
    expect(report.pictureFailures.filter(({ standIn }) => !standIn)).toEqual([]);
    expect(await seen()).toEqual(before);
  });
});
