import { cpSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { build, buildSite, configFor, readSite } from '../support/build.ts';
import { dealerOne, down, FIRST_NIGHT, type Later } from '../support/disks.ts';
import { sharedFirstNight } from '../support/later-night.ts';
import { FORGED_MARKS, UNREACHABLE } from '../support/published-site.ts';
import { tempFolder } from '../support/temp-folder.ts';

/**
 * Nearly every build runs on a new machine: it reads the published site, and perhaps an older cache.
 * outcomes.test.ts and outcomes-memory.test.ts cover faults on each disk.
 */

const first = await sharedFirstNight();
const DISKS = ['kept', 'cached', 'empty'] as const;

const tokenIn = (text = '') => /--accept-loss (\S+)/.exec(text)?.[1] ?? '';

it('every disk revalidates pictures on the same nights and finds the same changes', async () => {
  await using later = await first.later();
  for (const { id } of dealerOne(later).vehicles.flatMap(({ mediaList }) => mediaList)) {
    later.service.data.override(id, { revision: 1 });
  }
  const pagesOf = (files: ReadonlyMap<string, string> | undefined) =>
    [...(files ?? [])].filter(([file]) => /^dealer-1\/.*index\.html$/.test(file));
  const changed = [];
  for (const days of [2, 8]) {
    const nights = [];
    for (const disk of DISKS) nights.push((await later.night(disk, days * 24)).files);
    for (const files of nights) expect(files).toEqual(nights[0]);
    changed.push(
      pagesOf(nights[0]).filter(([file, text]) => first.files.get(file) !== text).length,
    );
  }
  const pictured = pagesOf(first.files).filter(([, text]) => text.includes('/media/'));
  expect(pictured.length).toBeGreaterThan(5);
  expect(changed[0]).toBeLessThanOrEqual(pictured.length);
  expect(changed[1]).toBe(pictured.length);
});

it('untrusted published records stop a build with a loss unless you accept it', async () => {
  await using later = await first.later();
  later.site.instead = FORGED_MARKS;
  dealerOne(later).vehicles.splice(1);
  const { exitCode, report } = await later.night('empty', 24);
  expect([exitCode, report.problem?.code]).toEqual([5, 'stock-vehicle-loss']);
  const acceptLoss = [tokenIn(report.problem?.fix)];
  const accepted = await later.night('empty', 24, { acceptLoss });
  expect([accepted.exitCode, accepted.report.dealers[0]?.vehicles.used]).toEqual([0, 1]);
});

it('no page is made from data of the published site', async () => {
  await using later = await first.later();
  const list = JSON.parse(readFileSync(path.join(later.published, 'dealer-1/media.json'), 'utf8'));
  list.vehicles.push({ vrm: 'PLANTED' });
  later.site.instead = (file) =>
    file === 'dealer-1/media.json' ? { body: JSON.stringify(list) } : undefined;
  const { exitCode, files } = await later.night('empty', 24);
  expect(exitCode).toBe(0);
  expect([...(files ?? [])].flat().filter((text) => /planted/i.test(text))).toEqual([]);
});

/** Replaces the cache by one of a build with only half of the first dealer's vehicles. */
async function restoreOlderCache(later: Later): Promise<void> {
  const before = tempFolder();
  const { vehicles } = dealerOne(later);
  const added = vehicles.splice(5);
  // That night, the site did not exist.
  later.site.folder = before;
  await buildSite(later.config(), before, { now: FIRST_NIGHT });
  later.site.folder = later.published;
  vehicles.push(...added);
  rmSync(later.cache, { recursive: true });
  cpSync(path.join(before, 'cache'), later.cache, { recursive: true });
}

it('a cache older than the site does not hide a loss', async () => {
  await using later = await first.later();
  await restoreOlderCache(later);
  dealerOne(later).vehicles.splice(5);
  const { exitCode, report } = await later.night('cached', 24);
  expect([exitCode, report.dealers[0]?.state]).toEqual([0, 'held']);
  expect(report.dealers[0]?.problem?.what).toContain('5 of 10 vehicles');
});

it('a cache without published vehicles is not a snapshot if the site cannot be trusted', async () => {
  await using later = await first.later();
  await restoreOlderCache(later);
  later.site.instead = FORGED_MARKS;
  down(later);
  const { exitCode, report } = await later.night('cached', 24);
  expect([exitCode, report.problem?.code]).toEqual([4, 'service-unreachable']);
  expect(report.dealers[0]?.notes.join()).toContain('lacks vehicles of the published site');
  later.service.faults.clear();
  const answered = await later.night('cached', 24);
  expect([answered.exitCode, answered.report.dealers[0]?.vehicles.used]).toEqual([0, 10]);
});

it('an unreachable site is harmless with a cache or with --first', async () => {
  await using later = await first.later();
  later.site.instead = UNREACHABLE;
  for (const night of [
    await later.night('cached', 24, { strict: true }),
    await later.night('empty', 24, { strict: true, first: true }),
  ]) {
    expect([night.exitCode, night.report.attention]).toEqual([0, []]);
  }
});

it('a build is the first one if site.url has no host', async () => {
  await using later = await first.later();
  down(later);
  const config = configFor(later.service, { site: { title: 'T', url: 'https://cars.invalid' } });
  const folder = tempFolder();
  const { exitCode, report } = await build(config, folder, { now: FIRST_NIGHT });
  expect(exitCode).toBe(0);
  expect(report.dealers.map(({ state }) => state)).toEqual(['left-out', 'fresh']);
});

it.each(['', 'media/files'])(
  'a kept site loses no picture if its cache is gone and downloads fail: cache/%s',
  async (lost) => {
    await using later = await first.later();
    const thumbnails = [...first.files.keys()].filter((file) => file.startsWith('media/'));
    const folder = tempFolder();
    cpSync(path.dirname(later.published), folder, { recursive: true });
    rmSync(path.join(folder, 'cache', lost), { recursive: true });
    later.site.instead = UNREACHABLE;
    later.service.faults.set({ route: 'picture', status: 500 });
    const now = FIRST_NIGHT + 3_600_000;
    const { exitCode, report, output } = await build(later.config(), folder, { now });
    expect([exitCode, report.media?.outputsRestored]).toEqual([0, thumbnails.length]);
    expect(report.pictureFailures.filter(({ standIn }) => !standIn)).toEqual([]);
    expect(await readSite(output)).toEqual(first.files);
  },
);
