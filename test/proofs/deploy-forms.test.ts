import { beforeAll, describe, expect, it } from 'vitest';
import type { OutputForm } from '../../src/publish/options/output-form.ts';
import { build, configFor } from '../support/build.ts';
import { FIRST_NIGHT } from '../support/disks.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { startFront } from '../support/front.ts';
import { ALL_KINDS, FOLDER, type HostKind } from '../support/hosts/kinds.ts';
import { startWorld } from '../support/hosts/world.ts';
import type { SampleService } from '../support/sample-service/index.ts';
import { restorable, startService } from '../support/service.ts';
import { tempFolder } from '../support/temp-folder.ts';

const HOUR = 3_600_000;

/** Two dealers of a few vehicles with plain plates and small pictures. */
async function startStock(): Promise<SampleService> {
  const service = await startService({ dealers: 2, vehicles: 4, images: 2 });
  for (const { vehicles } of service.data.dealers) {
    for (const [index, vehicle] of vehicles.entries()) {
      vehicle.vrm = `AB${10 + index}XYZ`;
    }
  }
  return service;
}

const service = await forAllTests(startStock());
const restore = restorable(service);
/** Leads to the site of one host after another. */
const front = await forAllTests(startFront('http://127.0.0.1:1'));
const config = configFor(service, {
  site: { title: 'Test Motors', url: front.url, timeZone: 'Europe/London', indexNow: true },
  media: { widths: [160] },
});

/** Changes of the stock before each night. */
const NIGHTS: [what: string, change: () => void][] = [
  ['the first one', () => {}],
  ['nothing', () => {}],
  [
    'a new picture and a withdrawn vehicle',
    () => {
      const [dealer] = service.data.dealers;
      const [vehicle] = dealer?.vehicles ?? [];
      if (!dealer || !vehicle) throw new Error('no vehicle');
      service.data.touch(vehicle.mediaList.find(({ type }) => type === 'Image')?.id ?? 0);
      vehicle.dateUpdated = '2026-03-03T20:00:00Z';
      dealer.vehicles.splice(1, 1);
    },
  ],
  [
    'a dealer that does not answer',
    () => service.faults.set({ route: 'media', dealerId: 7002, status: 503 }),
  ],
];

const timeOf = (night: number): number => FIRST_NIGHT + night * 24 * HOUR;

/** A build of a night on a new machine. @returns its output. */
async function buildNight(folder: string, form: OutputForm, night: number): Promise<string> {
  const options = { now: timeOf(night), form, fromPublished: true };
  const { error, output } = await build(config, folder, options);
  if (error) throw error;
  return output;
}

/** One host that gets every night. */
async function startSide(kind: HostKind) {
  const world = await startWorld(kind);
  return {
    ...world,
    connect: () => {
      front.to = world.host.siteUrl;
    },
    night: async (output: string, night: number) => {
      front.to = world.host.siteUrl;
      world.clock.time = timeOf(night);
      return await world.deploy(output);
    },
    /** Responses to visitors for some URLs: status, relevant headers and bytes. */
    visits: (addresses: readonly string[]) =>
      Promise.all(
        addresses.map(async (address) => {
          const answer = await fetch(`${world.host.siteUrl}/${address}`, { redirect: 'manual' });
          const headers = VISITED.map((name) => `${name}: ${answer.headers.get(name)}`);
          const bytes = Buffer.from(await answer.arrayBuffer()).toString('latin1');
          return { address, status: answer.status, headers, bytes };
        }),
      ),
  };
}

const VISITED = ['content-type', 'cache-control', 'etag', 'location', 'content-security-policy'];

const folder = tempFolder();
/** The full site of each night, the same for every host. */
const sites: string[] = [];
beforeAll(async () => {
  await using side = await startSide(FOLDER);
  for (const [number, [, change]] of NIGHTS.entries()) {
    change();
    side.connect();
    sites.push(await buildNight(`${folder}/${number}`, 'whole', number));
    await side.night(sites.at(-1) ?? '', number);
  }
});

describe('four nights as change sets and as full sites', () => {
  it.each(ALL_KINDS)(
    '$id: serve the same bytes',
    async (kind) => {
      restore();
      await using full = await startSide(kind);
      await using thin = await startSide(kind);
      for (const [number, [what, change]] of NIGHTS.entries()) {
        change();
        const why = `night ${number + 1}: ${what}`;
        const all = await full.night(sites[number] ?? '', number);
        const machine = tempFolder();
        thin.connect();
        const few = await thin.night(await buildNight(machine, 'thin', number), number);
        expect(few.form, why).toBe('thin');
        expect(few.site, why).toEqual(all.site);
        expect(few.sent, why).toEqual(all.sent);
        expect(few.fetched, why).toEqual({ files: 0, bytes: 0 });
        expect(few.requests, why).toBeLessThan(number === 1 ? 31 : 400);
        const served = thin.served();
        expect([...served.keys()], why).toEqual([...full.served().keys()]);
        expect(Object.fromEntries(served), why).toEqual(Object.fromEntries(full.served()));
        const pages = [...served.keys()].map((file) => file.replace(/(^|\/)index\.html$/, '$1'));
        const asked = [...pages, 'nothing-there/', 'dealer-1'];
        expect(await thin.visits(asked), why).toEqual(await full.visits(asked));
      }
    },
    300_000,
  );
});
