import { describe, expect, it } from 'vitest';
import type { UserConfig } from '../../src/config/schema.ts';
import type { RunOptions } from '../../src/publish/options/run-options.ts';
import { type Disk, down, type Later, type Night } from '../support/disks.ts';
import { sharedFirstNight } from '../support/later-night.ts';
import { type Instead, startPublishedSite } from '../support/published-site.ts';

/** Builds with a published site that differs from their last deploy. */

const first = await sharedFirstNight();

const isTimes = (file: string) => file.endsWith('/times.json');
const page = '<!doctype html><title>Welcome</title>';

const shortOf = ({ exitCode, report }: Night) => ({
  exitCode,
  states: report.dealers.map(({ state }) => state),
  attention: report.attention.map(({ dealer, code }) => `${dealer} ${code}`),
});
const pagesOf = ({ files }: Night, slug: string) =>
  new Map([...(files ?? [])].filter(([file]) => file.startsWith(`${slug}/`)));

describe('on an empty disk', () => {
  it.each<[string, Instead]>([
    ['answers everything with a page', { body: page }],
    ['forbids everything', { status: 403 }],
    ['sends endless files', { headers: { 'content-length': 2 ** 40 }, body: '{' }],
  ])('a site that %s yields no data, and no dealer is lost', async (_, instead) => {
    await using later = await first.later();
    later.site.instead = () => instead;
    const answered = await later.night('empty', 24, { strict: true });
    // As on a machine that cannot reach the site.
    expect(shortOf(answered)).toEqual({
      exitCode: 8,
      states: ['fresh', 'fresh'],
      attention: ['7001 stock-not-compared', '7002 stock-not-compared'],
    });
    expect(answered.files).toEqual(first.files);
  });

  it.each<[string, Instead]>([
    ['cannot be given out', { status: 403 }],
    ['are a page', { body: page }],
  ])('a site whose times %s is still compared', async (_, instead) => {
    await using later = await first.later();
    later.site.instead = (file) => (isTimes(file) ? instead : undefined);
    const quiet = await later.night('empty', 24, { strict: true });
    expect(shortOf(quiet)).toEqual({ exitCode: 0, states: ['fresh', 'fresh'], attention: [] });
    expect(quiet.report.dealers[0]?.notes.join()).toContain('times.json');
    later.service.data.dealers[0]?.vehicles.splice(1);
    const held = await later.night('empty', 24);
    expect([held.exitCode, held.report.problem?.code]).toEqual([5, 'stock-vehicle-loss']);
  });

  it.each([
    ['record', false],
    ['record and list', true],
  ])('a dealer in the times is live: %s gone', async (_, isListGone) => {
    await using later = await first.later();
    later.site.instead = (file) =>
      file.endsWith('/7001.json') || (isListGone && file === 'dealer-1/media.json')
        ? { status: 404 }
        : undefined;
    const answered = await later.night('empty', 24, { strict: true });
    expect(shortOf(answered)).toEqual({
      exitCode: isListGone ? 8 : 0,
      states: ['fresh', 'fresh'],
      attention: isListGone ? ['7001 stock-not-compared'] : [],
    });
    down(later);
    const { exitCode, report } = await later.night('empty', 24);
    expect([exitCode, report.problem?.code]).toEqual([4, 'service-unreachable']);
  });
});

/** Result of a night on every disk except the fourth. */
async function everyDisk(
  later: Later,
  hours: number,
  options: Partial<RunOptions> = {},
  change: Partial<UserConfig> = {},
): Promise<Night> {
  const live = (disk: Disk) => later.night(disk, hours, { strict: true, ...options }, change);
  const keptDisk = await live('kept');
  for (const disk of ['cached', 'empty'] as const) {
    const other = await live(disk);
    expect(shortOf(other), disk).toEqual(shortOf(keptDisk));
    expect(other.files, disk).toEqual(keptDisk.files);
    expect(other.times, disk).toBe(keptDisk.times);
  }
  return keptDisk;
}

const named = (...slugs: string[]) => ({
  dealers: slugs.map((slug, index) => ({ id: 7001 + index, name: `Dealer ${index + 1}`, slug })),
});

describe('on any disk', () => {
  it('a dealer with a changed URL keeps its stored state', async () => {
    await using later = await first.later();
    later.service.data.dealers[0]?.vehicles.splice(8);
    const renamed = await everyDisk(later, 24, {}, named('renamed', 'dealer-2'));
    expect(shortOf(renamed)).toEqual({ exitCode: 0, states: ['fresh', 'fresh'], attention: [] });
    expect(renamed.report.dealers[0]?.vehicles).toMatchObject({ used: 8, withdrawn: 2 });
    expect(pagesOf(renamed, 'dealer-1').size).toBe(0);
    down(later);
    const degraded = await everyDisk(later, 24, {}, named('renamed', 'dealer-2'));
    expect(shortOf(degraded)).toMatchObject({ exitCode: 0, states: ['degraded', 'fresh'] });
    expect(pagesOf(degraded, 'renamed').size).toBe(
      pagesOf({ ...degraded, files: first.files }, 'dealer-1').size,
    );
  });

  it('a removed dealer loses its stored state and is new when it returns', async () => {
    await using later = await first.later();
    const change = { dealers: [{ id: 7002, name: 'Two', slug: 'dealer-2' }] };
    const removed = await later.live(24, {}, change);
    expect(removed.exitCode).toBe(0);
    expect([...(removed.files?.keys() ?? [])].filter((file) => /7001|dealer-1/.test(file))).toEqual(
      [],
    );
    later.service.data.dealers[0]?.vehicles.splice(2);
    const back = await everyDisk(later, 48);
    expect(shortOf(back)).toEqual({ exitCode: 0, states: ['fresh', 'fresh'], attention: [] });
    expect(back.report.dealers[0]?.vehicles).toMatchObject({ used: 2, withdrawn: 0 });
    down(later);
    expect(shortOf(await later.night('empty', 48, { strict: true }))).toEqual({
      exitCode: 8,
      states: ['left-out', 'fresh'],
      attention: ['7001 stock-left-out'],
    });
  });

  it('a night with a wrong clock does not extend any trust', async () => {
    await using later = await first.later();
    const wrong = await later.live(24 * 4000);
    expect(wrong.exitCode).toBe(0);
    down(later);
    const next = await everyDisk(later, 48);
    expect(shortOf(next)).toEqual({ exitCode: 0, states: ['degraded', 'fresh'], attention: [] });
    expect(next.report.dealers[0]?.notes.join()).toContain('in the future');
    expect(next.times).not.toContain('"2037');
    await later.live(48);
    expect(shortOf(await later.night('empty', 48 + 73, { strict: true }))).toEqual({
      exitCode: 8,
      states: ['degraded', 'fresh'],
      attention: ['7001 stock-answer-old'],
    });
  });
});

it('a site at a new URL is new if its files are not online, and only compared if the old ones are', async () => {
  await using later = await first.later();
  await using moved = await startPublishedSite();
  const change = { site: { title: 'Test Motors', url: moved.url, timeZone: 'Europe/London' } };
  moved.instead = () => ({ status: 404 });
  const fresh = await later.night('empty', 24, { strict: true }, change);
  expect(shortOf(fresh)).toEqual({ exitCode: 0, states: ['fresh', 'fresh'], attention: [] });

  moved.instead = undefined;
  moved.folder = later.published;
  for (const disk of ['kept', 'empty'] as const) {
    const night = await later.night(disk, 24, { strict: true }, change);
    expect(shortOf(night)).toEqual({ exitCode: 0, states: ['fresh', 'fresh'], attention: [] });
    expect(night.report.dealers[0]?.notes.join()).toContain('site.url');
  }
  down(later);
  for (const disk of ['kept', 'empty'] as const) {
    expect((await later.night(disk, 24, {}, change)).exitCode).toBe(4);
  }
});
