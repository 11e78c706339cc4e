import { cpSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RunOptions } from '../../src/publish/run.ts';
import { mergeShards } from '../../src/publish/shards/merge.ts';
import { PUBLISHED_TIMES } from '../../src/record/published-records.ts';
import type { SampleService } from '../../src/sample-service/index.ts';
import { build, configFor, readTree, recordingConsole, temporaryFolder } from '../support/build.ts';
import {
  type PublishedSite,
  startPublishedSite,
  withOtherMarks,
} from '../support/published-site.ts';
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
/** How many the first night made. */
let thumbnails: number;

const config = () =>
  configFor(service, {
    site: { title: 'Test Motors', url: site.url },
    media: { widths: [160], fallbackWidth: 160 },
  });
const vehicles = (dealer = 0) => service.data.dealers[dealer]?.vehicles ?? [];
const down = (status = 503) => service.faults.set({ route: 'media', dealerId: 7001, status });

beforeAll(async () => {
  service = await startWorld();
  original = structuredClone(service.data.dealers);
  site = await startPublishedSite();
  first = await temporaryFolder();
  const { error, report } = await build(config(), first.path, { now: FIRST_NIGHT });
  expect(error).toBeUndefined();
  thumbnails = report.media?.outputsMade ?? 0;
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
  if (cache) cpSync(cache, path.join(folder.path, 'cache'), { recursive: true });
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

/** Makes the marks of the published site wrong. */
const unmarked: PublishedSite['instead'] = (file, bytes) =>
  file === PUBLISHED_TIMES ? { body: withOtherMarks(String(bytes)) } : undefined;

/** The published files but for the one that says when. */
const withoutTimes = (files: ReadonlyMap<string, string> | undefined) =>
  new Map([...(files ?? [])].filter(([file]) => file !== PUBLISHED_TIMES));

/** What every disk but the fourth makes of a night. */
async function everyDisk(hours: number, options: Partial<RunOptions> = {}) {
  await using kept = await temporaryFolder();
  cpSync(first.path, kept.path, { recursive: true, preserveTimestamps: true });
  const now = FIRST_NIGHT + hours * HOUR;
  const built = await build(config(), kept.path, { now, fromPublished: true, ...options });
  const nights = [
    { ...built, files: await readTree(built.output) },
    await night({ hours, cache: path.join(first.path, 'cache') }, options),
    await night({ hours }, options),
  ] as const;
  const [one, ...others] = nights.map(({ exitCode, report, files }) => ({
    exitCode,
    outcome: report.outcome === 'unchanged' ? 'published' : report.outcome,
    states: report.dealers.map(({ state }) => state),
    attention: report.attention,
    files: withoutTimes(files),
  }));
  for (const other of others) expect(other).toEqual(one);
  expect(new Set(nights.map(({ files }) => files?.get(PUBLISHED_TIMES))).size).toBe(1);
  return nights[2];
}

describe('a disk that was kept, one with its cache, and an empty one, with the site reachable', () => {
  const firstSite = async () => withoutTimes(await readTree(path.join(first.path, 'site')));

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
    site.folder = next.path;
    const second = await night({ hours: 48 });
    for (const { vrm } of gone) {
      const page = `dealer-1/${vrm.toLowerCase()}/index.html`;
      expect(second.files?.get(page)).toContain('no longer available');
      expect(second.files?.get(page)).toBe(files?.get(page));
    }
    expect((await night({ hours: 24 + 24 * 400 })).report.dealers[0]?.vehicles.withdrawn).toBe(0);
  });

  it('ask for pictures in the same nights, and notice in the same what changed in place', async () => {
    const images = vehicles().flatMap(({ mediaList }) =>
      mediaList.filter(({ type }) => type === 'Image'),
    );
    for (const { id } of images) service.data.override(id, { revision: 1 });
    const before = await firstSite();
    const seen: number[] = [];
    for (const days of [1, 3, 5, 8]) {
      const { files } = await everyDisk(days * 24);
      const changed = pagesOf(files, 'dealer-1').filter(
        (file) => file.endsWith('/index.html') && files?.get(file) !== before.get(file),
      );
      seen.push(changed.length);
    }
    for (const { id } of images) service.data.override(id, { revision: 0 });
    expect(seen.toSorted((a, b) => a - b)).toEqual(seen);
    const pictured = vehicles().filter(({ mediaList }) =>
      mediaList.some(({ type }) => type === 'Image'),
    );
    expect(seen.at(-1)).toBe(pictured.length + 1);
  });
});

describe('an empty disk, where what the site remembers cannot be believed', () => {
  beforeEach(() => {
    site.instead = unmarked;
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
    site.instead = (file, bytes) => {
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
  it('stands in for as long as it takes, and after three days a person is needed', async () => {
    down();
    const cache = path.join(first.path, 'cache');
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
    const cache = path.join(first.path, 'cache');
    const { exitCode, report, files } = await night({ cache }, { strict: true });
    expect(exitCode).toBe(8);
    expect(report.attention).toMatchObject([{ dealer: 7001, code: 'service-refused-403' }]);
    expect(pagesOf(files, 'dealer-1').length).toBeGreaterThan(10);
    expect(report.dealers[1]).toMatchObject({ state: 'fresh', vehicles: { used: 9 } });
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
    // The site remembers it, whatever the cache does.
    expect(report.dealers[0]?.problem?.what).toContain('5 of 10 vehicles');
  });
});

describe('a cache of long ago, where what the site remembers cannot be believed', () => {
  it('does not stand in for a dealer with vehicles that it knows nothing of', async () => {
    await using before = await temporaryFolder();
    site.folder = before.path;
    const added = vehicles().splice(5);
    expect((await build(config(), before.path, { now: FIRST_NIGHT })).error).toBeUndefined();
    const cache = path.join(before.path, 'cache');
    vehicles().push(...added);
    site.folder = path.join(first.path, 'site');
    site.instead = unmarked;
    down();
    const { exitCode, code, report } = await night({ cache });
    expect([exitCode, code]).toEqual([4, 'service-unreachable']);
    expect(report.dealers[0]?.notes.join()).toContain(
      'lacks vehicles that the published site lists',
    );
    service.faults.clear();
    const answered = await night({ cache });
    expect([answered.exitCode, answered.report.dealers[0]?.vehicles.used]).toEqual([0, 10]);
  });
});

describe('a published site that cannot be asked', () => {
  beforeEach(() => {
    site.instead = () => ({ status: 503, headers: { 'retry-after': 3600 } });
  });

  const compared = 'a loss of vehicles would not be noticed';

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
      await night({ cache: path.join(first.path, 'cache') }, { strict: true }),
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
    const nowhere = configFor(service, { site: { title: 'T', url: 'https://cars.invalid' } });
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
      site.instead = unmarked;
      down(status);
      expect(await merged(folder.path)).toMatchObject({ exitCode, code });
    },
  );

  it('is merged where all dealers of one part are refused, and a person is needed', async () => {
    await using folder = await temporaryFolder();
    down(403);
    const { exitCode, report, files } = await merged(folder.path, path.join(first.path, 'cache'));
    expect([exitCode, report.outcome]).toEqual([8, 'degraded']);
    expect(report.attention).toMatchObject([{ dealer: 7001, code: 'service-refused-403' }]);
    expect(pagesOf(files, 'dealer-1').length).toBeGreaterThan(10);
    expect(pagesOf(files, 'dealer-2').length).toBeGreaterThan(10);
  });

  it('is not merged where every dealer is refused', async () => {
    await using folder = await temporaryFolder();
    service.faults.set({ route: 'media', dealerId: 7001, status: 401 });
    service.faults.set({ route: 'media', dealerId: 7002, status: 404 });
    const cache = path.join(first.path, 'cache');
    expect(await merged(folder.path, cache)).toMatchObject({
      exitCode: 3,
      code: 'service-refused-401',
    });
  });

  it('is merged where one dealer is down for a night, and nobody is needed', async () => {
    await using folder = await temporaryFolder();
    down();
    const { exitCode, report } = await merged(folder.path, path.join(first.path, 'cache'));
    expect([exitCode, report.outcome, report.attention]).toEqual([0, 'degraded', []]);
  });
});

describe('a kept site whose cache is gone', () => {
  it.each([
    ['all of it', 'cache'],
    ['its thumbnails', 'cache/media/files'],
  ])('loses no picture where the host of the pictures is down: %s', async (_, lost) => {
    await using folder = await temporaryFolder();
    cpSync(first.path, folder.path, { recursive: true });
    await rm(path.join(folder.path, lost), { recursive: true });
    site.instead = () => ({ status: 503, headers: { 'retry-after': 3600 } });
    service.faults.set({ route: 'picture', status: 500 });
    const seen = async () =>
      [...(await readTree(path.join(folder.path, 'site')))].filter(
        ([file]) => file !== PUBLISHED_TIMES,
      );
    const before = await seen();
    const { exitCode, report } = await build(config(), folder.path, { now: FIRST_NIGHT + HOUR });
    expect(exitCode).toBe(0);
    expect(report.media?.outputsRestored).toBe(thumbnails);
    expect(report.pictureFailures.filter(({ standIn }) => !standIn)).toEqual([]);
    expect(await seen()).toEqual(before);
  });
});
