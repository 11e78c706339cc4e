import { describe, expect, it } from 'vitest';
import type { LoadedConfig } from '../../src/config/load.ts';
import type { OutputForm } from '../../src/publish/options/output-form.ts';
import type { SampleService } from '../../src/sample-service/index.ts';
import { build, configFor, temporaryFolder } from '../support/build.ts';
import { FIRST_NIGHT } from '../support/disks.ts';
import { type Front, startFront } from '../support/front.ts';
import { ALL_KINDS, type HostKind } from '../support/hosts/kinds.ts';
import { startWorld } from '../support/hosts/world.ts';
import { startService } from '../support/service.ts';

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

/** Changes of the stock before each night. */
const NIGHTS: [what: string, change: (service: SampleService) => void][] = [
  ['the first one', () => {}],
  ['nothing', () => {}],
  [
    'a new picture and a withdrawn vehicle',
    (service) => {
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
    (service) => service.faults.set({ route: 'media', dealerId: 7002, status: 503 }),
  ],
];

/** One host that gets every night in one form, always from a new machine. */
async function startSide(form: OutputForm, kind: HostKind) {
  const world = await startWorld(kind);
  return {
    ...world,
    /** @param front is connected to its site. */
    night: async (config: LoadedConfig, number: number, front: Front) => {
      front.to = world.host.siteUrl;
      await using machine = await temporaryFolder();
      const now = FIRST_NIGHT + number * 24 * HOUR;
      world.clock.time = now;
      const { error, output } = await build(config, machine.path, {
        now,
        form,
        fromPublished: true,
      });
      if (error) throw error;
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

describe('four nights as change sets and as full sites', () => {
  it.each(ALL_KINDS)(
    '$id: serve the same bytes',
    async (kind) => {
      await using front = await startFront('http://127.0.0.1:1');
      await using full = await startSide('whole', kind);
      await using thin = await startSide('thin', kind);
      await using service = await startStock();
      const config = configFor(service, {
        site: { title: 'Test Motors', url: front.url, timeZone: 'Europe/London', indexNow: true },
        media: { widths: [160] },
      });
      for (const [number, [what, change]] of NIGHTS.entries()) {
        change(service);
        const why = `night ${number + 1}: ${what}`;
        const all = await full.night(config, number, front);
        const few = await thin.night(config, number, front);
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
