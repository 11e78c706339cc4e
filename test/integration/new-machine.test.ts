import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { PUBLISHED_TIMES } from '../../src/record/published-records.ts';
import { build, readTree, temporaryFolder } from '../support/build.ts';
import { FIRST_NIGHT, withoutTimes } from '../support/disks.ts';
import { newMachines, pagesOf, unmarked } from '../support/new-machines.ts';

const world = newMachines();
const { config, vehicles, down, night, everyDisk } = world;

describe('a disk that was kept, one with its cache, and an empty one, with the site reachable', () => {
  const firstSite = async () => withoutTimes(await readTree(path.join(world.first.path, 'site')));

  it('make the same of a night in which nothing changed', async () => {
    const { files, exitCode } = await everyDisk(24, { strict: true });
    expect(exitCode).toBe(0);
    expect(withoutTimes(files)).toEqual(await firstSite());
  });

  it.each([
    [503, 24, 0, []],
    [503, 73, 8, ['stock-answer-old']],
    [403, 24, 8, ['service-refused-403']],
  ])('keep the pages of a dealer: status %i after %i hours', async (status, hours, code, why) => {
    down(status);
    const { exitCode, report, files } = await everyDisk(hours, { strict: true });
    expect([exitCode, report.attention.map((one) => one.code)]).toEqual([code, why]);
    expect(report.dealers.map(({ state }) => state)).toEqual(['degraded', 'fresh']);
    const before = await firstSite();
    expect(pagesOf(files, 'dealer-1')).toEqual(pagesOf(before, 'dealer-1'));
    for (const file of pagesOf(files, 'dealer-1')) expect(files?.get(file)).toBe(before.get(file));
  });

  it.each([
    ['one vehicle of ten', 1],
    ['none', 0],
  ])('do not believe a list of %s, unless a person does', async (_, left) => {
    vehicles().splice(left);
    const held = await everyDisk(24, { strict: true });
    expect(held.exitCode).toBe(8);
    expect(held.report.dealers.map(({ state }) => state)).toEqual(['held', 'fresh']);
    expect(withoutTimes(held.files)).toEqual(await firstSite());
    const token = /--accept-loss (\S+)/.exec(held.report.attention[0]?.fix ?? '')?.[1] ?? '';
    expect(token).toMatch(/^dealer-1@[0-9a-f]{12}$/);
    const believed = await everyDisk(24, { acceptLoss: [token], strict: true });
    expect(believed.exitCode).toBe(0);
    expect(believed.report.dealers[0]?.vehicles).toMatchObject({
      used: left,
      withdrawn: 10 - left,
    });
  });

  it('keep withdrawn pages for as long', async () => {
    const gone = vehicles().splice(8);
    const { files } = await everyDisk(24);
    await using next = await temporaryFolder();
    for (const [file, bytes] of files ?? []) {
      await mkdir(path.dirname(path.join(next.path, file)), { recursive: true });
      await writeFile(path.join(next.path, file), bytes, 'latin1');
    }
    world.site.folder = next.path;
    const second = await night({ hours: 48 });
    for (const { vrm } of gone) {
      const page = `dealer-1/${vrm.toLowerCase()}/index.html`;
      expect(second.files?.get(page)).toContain('no longer available');
      expect(second.files?.get(page)).toBe(files?.get(page));
    }
    expect((await night({ hours: 24 + 24 * 400 })).report.dealers[0]?.vehicles.withdrawn).toBe(0);
  });

  it('ask for pictures in the same nights, and notice in the same what changed in place', async () => {
    const media = vehicles().flatMap(({ mediaList }) => mediaList);
    for (const { id } of media) world.service.data.override(id, { revision: 1 });
    const before = await firstSite();
    const seen: number[] = [];
    for (const days of [1, 3, 5, 8]) {
      const { files } = await everyDisk(days * 24);
      const changed = pagesOf(files, 'dealer-1').filter(
        (file) => file.endsWith('/index.html') && files?.get(file) !== before.get(file),
      );
      seen.push(changed.length);
    }
    expect(seen.toSorted((a, b) => a - b)).toEqual(seen);
    // All that show a picture: of the vehicle, or of similar ones.
    const pictured = pagesOf(before, 'dealer-1').filter(
      (file) => file.endsWith('/index.html') && before.get(file)?.includes('/media/'),
    );
    expect(pictured.length).toBeGreaterThan(5);
    expect(seen.at(-1)).toBe(pictured.length);
  });
});

describe('an empty disk, where what the site remembers cannot be believed', () => {
  beforeEach(() => {
    world.site.instead = unmarked;
  });

  it('publishes what was answered, and says so', async () => {
    const { exitCode, report } = await night({}, { strict: true });
    expect([exitCode, report.outcome]).toEqual([0, 'published']);
    expect(report.dealers[0]?.notes.join()).toContain(
      'no build with this key and this site.url made it',
    );
  });

  it('never leaves out a dealer that is live', async () => {
    down();
    const { exitCode, code, report } = await night();
    expect([exitCode, code]).toEqual([4, 'service-unreachable']);
    expect(report.outcome).toBe('not-published');
    expect(report.dealers.map(({ state }) => state)).toEqual(['failed', 'fresh']);
  });

  it('nor one that is refused, and says which and why', async () => {
    down(403);
    const { exitCode, code, report } = await night();
    expect([exitCode, code]).toEqual([4, 'service-refused-403']);
    expect(report.problem?.what).toContain('dealer 7001');
    expect(report.problem?.why).toContain('It has pages online');
  });

  it('does not believe a list of one vehicle of ten, unless a person does', async () => {
    vehicles().splice(1);
    const held = await night();
    expect([held.exitCode, held.code]).toEqual([5, 'stock-vehicle-loss']);
    const token = /--accept-loss (\S+)/.exec(held.report.problem?.fix ?? '')?.[1] ?? '';
    const believed = await night({}, { acceptLoss: [token] });
    expect(believed.exitCode).toBe(0);
    expect(believed.report.dealers[0]?.vehicles.used).toBe(1);
  });
});

describe('an empty disk, with the published site reachable', () => {
  it.each([503, 403])('leaves out a dealer that was never live: %i', async (status) => {
    world.site.instead = (file, bytes) => {
      if (file.startsWith('dealer-1/')) return { status: 404 };
      if (file !== PUBLISHED_TIMES) return undefined;
      const times = JSON.parse(String(bytes));
      times.dealers[7001] = undefined;
      return { body: JSON.stringify(times) };
    };
    down(status);
    const { exitCode, report, files } = await night({}, { strict: true });
    expect(exitCode).toBe(8);
    expect(report.dealers.map(({ state }) => state)).toEqual(['left-out', 'fresh']);
    expect(report.attention).toMatchObject([{ dealer: 7001, code: 'stock-left-out' }]);
    expect(pagesOf(files, 'dealer-1')).toEqual([]);
  });

  it('believes what a site usually sells', async () => {
    vehicles().splice(8);
    const { exitCode, report } = await night();
    expect(exitCode).toBe(0);
    expect(report.dealers[0]).toMatchObject({ state: 'fresh', vehicles: { used: 8 } });
  });

  it('makes nothing of what the site lists', async () => {
    const list = JSON.parse(
      await readFile(path.join(world.site.folder, 'dealer-1/media.json'), 'utf8'),
    );
    list.vehicles.push({ vrm: 'PLANTED' });
    world.site.instead = (file) =>
      file === 'dealer-1/media.json' ? { body: JSON.stringify(list) } : undefined;
    const { exitCode, files } = await night();
    expect(exitCode).toBe(0);
    expect([...(files ?? [])].flat().filter((text) => /planted/i.test(text))).toEqual([]);
  });
});

describe('a cache that came back', () => {
  it('stands in for as long as it takes, and after three days a person is needed', async () => {
    down();
    const cache = path.join(world.first.path, 'cache');
    for (const [hours, exitCode] of [
      [71, 0],
      [73, 8],
    ] as const) {
      const { files, report, ...built } = await night({ hours, cache }, { strict: true });
      expect(built.exitCode).toBe(exitCode);
      expect(report.dealers.map(({ state }) => state)).toEqual(['degraded', 'fresh']);
      expect(report.attention.map(({ code }) => code)).toEqual(
        exitCode === 8 ? ['stock-answer-old'] : [],
      );
      expect(pagesOf(files, 'dealer-1').length).toBeGreaterThan(10);
    }
  });

  it('stands in for a dealer that is refused, and the others are published', async () => {
    down(403);
    vehicles(1).splice(0, 1);
    const cache = path.join(world.first.path, 'cache');
    const { exitCode, report, files } = await night({ cache }, { strict: true });
    expect(exitCode).toBe(8);
    expect(report.attention).toMatchObject([{ dealer: 7001, code: 'service-refused-403' }]);
    expect(pagesOf(files, 'dealer-1').length).toBeGreaterThan(10);
    expect(report.dealers[1]).toMatchObject({ state: 'fresh', vehicles: { used: 9 } });
  });

  it('does not hide a loss where it is older than the site', async () => {
    await using before = await temporaryFolder();
    // That night, the site did not exist.
    world.site.folder = before.path;
    vehicles().splice(5);
    expect((await build(config(), before.path, { now: FIRST_NIGHT })).error).toBeUndefined();
    world.site.folder = path.join(world.first.path, 'site');
    const { exitCode, report } = await night({ cache: path.join(before.path, 'cache') });
    expect(exitCode).toBe(0);
    expect(report.dealers[0]).toMatchObject({ state: 'held' });
    // The site remembers it, whatever the cache does.
    expect(report.dealers[0]?.problem?.what).toContain('5 of 10 vehicles');
  });
});

describe('a cache of long ago, where what the site remembers cannot be believed', () => {
  it('does not stand in for a dealer with vehicles that it knows nothing of', async () => {
    await using before = await temporaryFolder();
    world.site.folder = before.path;
    const added = vehicles().splice(5);
    expect((await build(config(), before.path, { now: FIRST_NIGHT })).error).toBeUndefined();
    const cache = path.join(before.path, 'cache');
    vehicles().push(...added);
    world.site.folder = path.join(world.first.path, 'site');
    world.site.instead = unmarked;
    down();
    const { exitCode, code, report } = await night({ cache });
    expect([exitCode, code]).toEqual([4, 'service-unreachable']);
    expect(report.dealers[0]?.notes.join()).toContain(
      'lacks vehicles that the published site lists',
    );
    world.service.faults.clear();
    const answered = await night({ cache });
    expect([answered.exitCode, answered.report.dealers[0]?.vehicles.used]).toEqual([0, 10]);
  });
});
