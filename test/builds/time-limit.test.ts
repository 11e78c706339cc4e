import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { RunOptions } from '../../src/publish/options/run-options.ts';
import { summaryLines } from '../../src/publish/report/summary.ts';
import {
  argumentsIn,
  build,
  buildSite,
  configFor,
  putTree,
  readSite,
  readTree,
  writeConfigOf,
} from '../support/build.ts';
import { applied, changeSetOf } from '../support/change-set.ts';
import { runCommand } from '../support/command.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { startPublishedSite, UNREACHABLE } from '../support/published-site.ts';
import { restorable, startService } from '../support/service.ts';
import { tempFolder } from '../support/temp-folder.ts';

const DAY = 86_400_000;
const NOW = Date.parse('2026-03-02T02:00:00Z');
const media = { widths: [64] };
const VEHICLES = 4;

const service = await forAllTests(startService({ dealers: 2, vehicles: 3, images: 2 }));
// Each night encodes the pictures of one vehicle: the fewest that show a dealer started, continued and
// completed.
service.data.dealers[1]?.vehicles.splice(1);
const restore = restorable(service);
const site = await forAllTests(startPublishedSite());
/** The public site, which is the only state between nights. */
let host: string;

beforeEach(() => {
  restore();
  host = tempFolder();
  site.folder = path.join(host, 'site');
  mkdirSync(site.folder);
});

const config = (key?: string) =>
  configFor(
    service,
    { site: { title: 'Test Motors', url: site.url }, media },
    key === undefined ? {} : { SITE_SECRET: key },
  );

type Files = ReadonlyMap<string, string>;

function deploy(files: Files): void {
  rmSync(site.folder, { recursive: true });
  mkdirSync(site.folder);
  putTree(site.folder, files);
}

/** A build on a new machine and its deploy. */
async function night(options: Partial<RunOptions> = {}, loaded = config()) {
  const folder = tempFolder();
  const built = await build(loaded, folder, {
    now: NOW,
    timeLimit: 1,
    fromPublished: true,
    strict: true,
    ...options,
  });
  if (built.error) return built;
  const made = await readTree(built.output);
  const isThin = options.form === 'thin';
  deploy(isThin ? applied(await changeSetOf(made), await readTree(site.folder)) : made);
  return built;
}

interface Built {
  /** All its files, to deploy it. */
  all: Files;
  /** Without the times. */
  site: Files;
}
const builtAtOnce = new Map<number, Built>();

/** The site of a time, which has one stock, built from nothing without a limit. */
async function uninterrupted(now = NOW): Promise<Built> {
  const known = builtAtOnce.get(now);
  if (known) return known;
  const folder = tempFolder();
  const { output } = await buildSite(config(), folder, { now });
  const built = { all: await readTree(output), site: await readSite(output) };
  builtAtOnce.set(now, built);
  return built;
}

const vehiclesIn = (files: Files) =>
  [...files.keys()].filter((file) => /^dealer-\d\/(?!embed)[^/]+\/index\.html$/.test(file));
const live = () => readSite(site.folder);
const vehicle = (index: number) => service.data.dealers[0]?.vehicles[index];
const pageOf = (files: Files, index: number) =>
  files.get(`dealer-1/${vehicle(index)?.vrm.toLowerCase()}/index.html`);

describe('builds that reach their time limit immediately, on machines without cache', () => {
  it.each<[string, Partial<RunOptions>, number]>([
    ['as whole sites', {}, 1],
    ['as change sets, by several processes', { form: 'thin', chunkVehicles: 1 }, 2],
  ])(
    'publish more each time, lose nothing and end with the full site: %s',
    async (_, options, most) => {
      let before = await live();
      let nights = 0;
      for (let waiting = true; waiting; ) {
        const { error, exitCode, report, lines } = await night(options);
        expect([error, exitCode]).toEqual([undefined, 0]);
        const after = await live();
        const grown = vehiclesIn(after).length - vehiclesIn(before).length;
        expect(grown).toBeGreaterThan(0);
        expect(grown).toBeLessThanOrEqual(most);
        for (const file of before.keys()) expect([file, after.has(file)]).toEqual([file, true]);
        const left = VEHICLES - vehiclesIn(after).length;
        expect(report.waiting?.vehicles ?? 0).toBe(left);
        expect(report.pictureFailures).toEqual([]);
        expect(report.attention).toEqual([]);
        waiting = left > 0;
        expect(
          summaryLines(report, '_site').join('\n').includes('Waiting for the next build'),
        ).toBe(waiting);
        expect(lines.join('\n')).not.toContain('failed');
        before = after;
        nights++;
      }
      expect(nights).toBeGreaterThanOrEqual(VEHICLES / most);
      expect(before).toEqual((await uninterrupted()).site);
      expect((await night(options)).report).not.toHaveProperty('waiting');
      expect(await live()).toEqual(before);
    },
  );

  it('reach the same site if every other build is killed', async () => {
    const file = writeConfigOf(host, service, config());
    const runKilled = async (timeout: number) => {
      const folder = tempFolder();
      const args = argumentsIn(folder, { config: file });
      const { exitCode, stderr } = await runCommand(
        'build',
        [...args, '--for', '1ms', '--now', new Date(NOW).toISOString()],
        { MEDIA_API_KEY: service.mediaKey },
        { timeout },
      );
      if (exitCode === null) return;
      expect([exitCode, stderr]).toEqual([0, '']);
      deploy(await readTree(path.join(folder, 'site')));
    };
    for (let nightNumber = 1; vehiclesIn(await live()).length < VEHICLES; nightNumber++) {
      const before = await live();
      await runKilled(nightNumber * 300);
      expect((await night()).exitCode).toBe(0);
      const after = await live();
      for (const file of before.keys()) expect([file, after.has(file)]).toEqual([file, true]);
      expect(nightNumber).toBeLessThanOrEqual(VEHICLES);
    }
    expect(await live()).toEqual((await uninterrupted()).site);
  });

  it('complete the current vehicle and continue on a kept disk', async () => {
    const folder = tempFolder();
    for (let left = VEHICLES - 1; left >= 0; left--) {
      const { report } = await build(config(), folder, { now: NOW, timeLimit: 1 });
      expect(report.waiting?.vehicles ?? 0).toBe(left);
      expect(report.media?.downloaded).toBeLessThan(5);
    }
    expect(await readSite(path.join(folder, 'site'))).toEqual((await uninterrupted()).site);
  });

  it('leave out a dealer without any progress, like a new one', async () => {
    const { report } = await night();
    const after = await live();
    expect([...after.keys()].filter((file) => file.startsWith('dealer-2/'))).toEqual([]);
    expect(report.dealers.map(({ state, waiting }) => [state, waiting?.vehicles])).toEqual([
      ['fresh', 2],
      ['fresh', 1],
    ]);
  });
});

describe('at the time limit, the live site', () => {
  /** The site with all vehicles from the first night. */
  const complete = async () => {
    deploy((await uninterrupted()).all);
    return live();
  };
  /** New pictures of some vehicles. */
  const repaint = (...indexes: number[]) => {
    for (const index of indexes) {
      const found = vehicle(index);
      if (!found) continue;
      found.dateUpdated = '2026-03-02T23:00:00Z';
      for (const item of found.mediaList) item.url = `${item.url}?new`;
    }
  };

  it.each(['whole', 'thin'] as const)(
    'stays unchanged until its new pictures are ready: %s',
    async (form) => {
      const first = await complete();
      repaint(0, 1, 2);
      const partial = await night({ form, now: NOW + DAY });
      expect(partial.report.waiting?.vehicles).toBe(2);
      const after = await live();
      const changed = [0, 1, 2].filter((index) => pageOf(after, index) !== pageOf(first, index));
      expect(changed).toHaveLength(1);
      for (const file of first.keys()) {
        if (file.startsWith('media/')) continue;
        expect([file, after.has(file)]).toEqual([file, true]);
      }
      await night({ form, now: NOW + DAY });
      await night({ form, now: NOW + DAY });
      const changedAll = await live();
      for (const index of [0, 1, 2]) {
        expect(pageOf(changedAll, index)).not.toBe(pageOf(first, index));
      }
      // Due pictures are revalidated once there is time.
      await night({ form, now: NOW + DAY, timeLimit: DAY });
      expect(await live()).toEqual((await uninterrupted(NOW + DAY)).site);
    },
  );

  it.each(['whole', 'thin'] as const)(
    'stays unchanged if pictures on it never arrived: %s',
    async (form) => {
      for (const index of [0, 1]) {
        const broken = vehicle(index)?.mediaList.find(({ type }) => type === 'Image');
        if (broken) service.data.remove(broken.id);
      }
      await night({ timeLimit: undefined });
      const first = await live();
      const { error, report } = await night({ form, now: NOW + 1 });
      expect(error).toBeUndefined();
      expect(report.waiting?.vehicles).toBe(1);
      expect(report.pictureFailureCodes).toEqual({
        'download-status': 1,
        'picture-not-started': 1,
      });
      expect(await live()).toEqual(first);
    },
  );

  it('keeps the page of a sold vehicle and of a vehicle that is listed again', async () => {
    const vehicles = service.data.dealers[0]?.vehicles;
    const first = await complete();
    const [sold] = vehicles?.splice(0, 1) ?? [];
    await night({ now: NOW + DAY });
    const withdrawn = await live();
    const file = `dealer-1/${sold?.vrm.toLowerCase()}/index.html`;
    expect(withdrawn.get(file)).toBeDefined();
    expect(withdrawn.get(file)).not.toBe(first.get(file));
    if (sold) vehicles?.push(sold);
    repaint(0, 2);
    await night({ now: NOW + DAY });
    const after = await live();
    expect(after.get(file)).toBeDefined();
    expect(vehiclesIn(after).length).toBe(VEHICLES);
    await night({ now: NOW + DAY });
    await night({ now: NOW + DAY });
    expect((await live()).get(file)).toBeDefined();
  });

  it('is rebuilt beyond the limit if none of its records can be trusted', async () => {
    await complete();
    const { exitCode, report } = await night(
      { now: NOW + DAY },
      config('Zk3x9QwPl7TtRb5VnYc1HsJf8MdGa2Ue'),
    );
    expect(exitCode).toBe(0);
    expect(report).not.toHaveProperty('waiting');
    expect(vehiclesIn(await live())).toHaveLength(VEHICLES);
  });

  it('is rebuilt beyond the limit if it is unreachable, unless --first is given', async () => {
    await complete();
    const before = site.folder;
    site.instead = UNREACHABLE;
    try {
      expect((await night({ strict: false })).report).not.toHaveProperty('waiting');
      expect((await night({ strict: false, first: true })).report.waiting?.vehicles).toBe(
        VEHICLES - 1,
      );
    } finally {
      site.instead = undefined;
      site.folder = before;
    }
  });

  it('keeps its thumbnails if they are lost at the time limit', async () => {
    const first = await complete();
    site.instead = (file) => (file.startsWith('media/') ? { status: 404, body: '' } : undefined);
    try {
      const { report } = await night({ now: NOW + DAY });
      expect(report).not.toHaveProperty('waiting');
    } finally {
      site.instead = undefined;
    }
    expect(await live()).toEqual(first);
  });
});
