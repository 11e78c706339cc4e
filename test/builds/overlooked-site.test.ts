import { rm } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { Folder } from '../../src/deploy/hosts/folder.ts';
import type { RunOptions } from '../../src/publish/options/run-options.ts';
import { buildSite, configFor, readTree } from '../support/build.ts';
import { down, FIRST_NIGHT, startWorld } from '../support/disks.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { deployFolder, testClock } from '../support/hosts/world.ts';
import { startPublishedSite } from '../support/published-site.ts';
import { restorable } from '../support/service.ts';
import { tempFolder } from '../support/temp-folder.ts';

const service = await forAllTests(startWorld({ media: 'none', vehicles: 6 }));
const REFUSED = { code: 'deploy-first', exitCode: 5 };

/** A site deployed to a folder, and its URL, which tests can disconnect. */
async function startLiveSite(form: 'thin' | 'whole') {
  const folder = tempFolder();
  const site = await startPublishedSite();
  const into = path.join(folder, 'www');
  const restore = restorable(service);
  const disk = path.join(folder, 'disk');
  const output = path.join(disk, 'output');
  const world = {
    site,
    reachable: (isReachable: boolean) => {
      site.folder = path.join(into, isReachable ? 'current' : 'nothing');
    },
    /** Builds and deploys. */
    night: async (hours: number, options: Partial<RunOptions> = {}) => {
      const now = FIRST_NIGHT + hours * 3_600_000;
      const config = configFor(service, { site: { title: 'Test Motors', url: site.url } });
      await buildSite(config, disk, { now, form, output, fromPublished: true, ...options });
      const run = { host: new Folder({ into }), secrets: [], clock: testClock(now) };
      return deployFolder(output, { ...run, verify: false });
    },
    emptyDisk: () => rm(disk, { recursive: true, force: true }),
    /** Live vehicles of both dealers. For pages in one language. */
    live: async () => {
      const names = [...(await readTree(path.join(into, 'current'))).keys()];
      return names.filter((name) => /^dealer-\d\/ab\d+xyz\/index\.html$/.test(name)).length;
    },
    shrink: () => service.data.dealers[1]?.vehicles.splice(1),
    down: () => down({ service }),
    [Symbol.asyncDispose]: async () => {
      restore();
      await site[Symbol.asyncDispose]();
    },
  };
  world.reachable(true);
  await world.night(0);
  expect(await world.live()).toBe(12);
  return world;
}

describe.each(['thin', 'whole'] as const)('a %s build that cannot read the live site', (form) => {
  it.each([
    // The form has no influence on reading the site.
    ...(form === 'thin'
      ? ([
          ['answers with status 404', 'one dealer is down', 'down'],
          ['answers with an error', 'the list of one dealer shrank', 'shrink'],
          ['shows another page', 'the list of one dealer shrank', 'shrink'],
        ] as const)
      : []),
    ['answers with status 404', 'the list of one dealer shrank', 'shrink'],
  ] as const)('does not replace it, if its URL %s and %s', async (answer, _, fault) => {
    await using world = await startLiveSite(form);
    await world.emptyDisk();
    world.reachable(false);
    if (answer === 'answers with an error') world.site.instead = () => ({ status: 503 });
    if (answer === 'shows another page') world.site.instead = () => ({ body: '<p>parked' });
    world[fault]();
    await expect(world.night(24)).rejects.toMatchObject(REFUSED);
    expect(await world.live()).toBe(12);
    // The disk now has the records of that build, but has still not seen the live site.
    await expect(world.night(25)).rejects.toMatchObject(REFUSED);
    expect(await world.live()).toBe(12);
    // The first solution: the URL leads to the live site again.
    world.site.instead = undefined;
    world.reachable(true);
    await world.night(26);
    expect(await world.live()).toBe(12);
  });

  it('replaces it if it was built with --first', async () => {
    await using world = await startLiveSite(form);
    await world.emptyDisk();
    world.reachable(false);
    world.shrink();
    await expect(world.night(24)).rejects.toMatchObject(REFUSED);
    await world.night(25, { first: true });
    expect(await world.live()).toBe(7);
  });

  it('replaces it without its times if a new dealer is added', async () => {
    await using world = await startLiveSite(form);
    await world.emptyDisk();
    world.site.instead = (file) => (file.endsWith('/times.json') ? { status: 404 } : undefined);
    const [{ vehicles = [] } = {}] = service.data.dealers;
    const added = vehicles.slice(0, 1).map((vehicle) => ({ ...vehicle, vrm: 'AB99XYZ' }));
    service.data.dealers.push({ id: 7003, name: 'New Cars', vehicles: added });
    try {
      await world.night(24);
    } finally {
      service.data.dealers.pop();
    }
    expect(await world.live()).toBe(13);
  });

  it('replaces it every night on the disk that made it', async () => {
    await using world = await startLiveSite(form);
    world.reachable(false);
    for (const hours of [24, 48]) await world.night(hours);
    world.shrink();
    await world.night(72);
    expect(await world.live()).toBe(12);
  });
});
