import { cpSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { PUBLISHED_TIMES } from '../../src/record/published-records.ts';
import { build, configFor, readTree, temporaryFolder } from '../support/build.ts';
import { FIRST_NIGHT } from '../support/disks.ts';
import { HOUR, newMachines } from '../support/new-machines.ts';

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
