import { describe, expect, it } from 'vitest';
import type { LoadedConfig } from '../../src/config/load.ts';
import type { OutputForm } from '../../src/publish/options/output-form.ts';
import type { SampleService } from '../../src/sample-service/index.ts';
import { build, configFor, temporaryFolder } from '../support/build.ts';
import { FIRST_NIGHT } from '../support/disks.ts';
import { type Front, startFront } from '../support/front.ts';
import { textsOf } from '../support/hosts/change-set.ts';
import { deployFolder, type TestClock, testClock } from '../support/hosts/deploys.ts';
import { FOLDER_KIND } from '../support/hosts/folder.ts';
import type { HostServer } from '../support/hosts/host.ts';
import { HOST_KINDS, type HostKind, hostOf, secretOf } from '../support/hosts/kinds.ts';
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

/** What becomes of the stock before each night. */
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

/** One host that gets every night in one form, from a machine that is new each time. */
class Side {
  readonly form: OutputForm;
  readonly server: HostServer;
  readonly #kind: HostKind;
  readonly #clock: TestClock;

  private constructor(form: OutputForm, kind: HostKind, server: HostServer, clock: TestClock) {
    this.form = form;
    this.#kind = kind;
    this.server = server;
    this.#clock = clock;
  }

  static async start(form: OutputForm, kind: HostKind): Promise<Side> {
    const clock = testClock(FIRST_NIGHT);
    return new Side(form, kind, await kind.start(clock.now), clock);
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.server[Symbol.asyncDispose]();
  }

  /** @param front leads to its site from now on. */
  async night(config: LoadedConfig, number: number, front: Front) {
    front.to = this.server.siteUrl;
    await using machine = await temporaryFolder();
    const now = FIRST_NIGHT + number * 24 * HOUR;
    this.#clock.time = now;
    const { error, output } = await build(config, machine.path, { now, form: this.form });
    if (error) throw error;
    const { report } = await deployFolder(output, {
      ...(await hostOf(this.#kind, this.server)),
      clock: this.#clock,
      secret: secretOf(this.server) || 'no secret at all',
    });
    return report;
  }

  /** What visitors get of some addresses: status, headers that matter, and bytes. */
  async visits(addresses: readonly string[]) {
    const answers = addresses.map(async (address) => {
      const answer = await fetch(`${this.server.siteUrl}/${address}`, { redirect: 'manual' });
      const names = [
        'content-type',
        'cache-control',
        'etag',
        'location',
        'content-security-policy',
      ];
      const headers = names.map((name) => `${name}: ${answer.headers.get(name)}`);
      const bytes = Buffer.from(await answer.arrayBuffer()).toString('latin1');
      return { address, status: answer.status, headers, bytes };
    });
    return Promise.all(answers);
  }
}

describe('four nights, as change sets and as whole sites', () => {
  it.each([...HOST_KINDS, FOLDER_KIND])(
    '$id: every byte that is served is the same',
    async (kind) => {
      await using front = await startFront('http://127.0.0.1:1');
      await using whole = await Side.start('whole', kind);
      await using thin = await Side.start('thin', kind);
      const service = await startStock();
      try {
        const config = configFor(service, {
          site: { title: 'Test Motors', url: front.url, timeZone: 'Europe/London', indexNow: true },
          media: { widths: [160] },
        });
        for (const [number, [what, change]] of NIGHTS.entries()) {
          change(service);
          const why = `night ${number + 1}: ${what}`;
          const all = await whole.night(config, number, front);
          const few = await thin.night(config, number, front);
          expect(few.form, why).toBe('thin');
          expect(few.site, why).toEqual(all.site);
          expect(few.sent, why).toEqual(all.sent);
          expect(few.fetched, why).toEqual({ files: 0, bytes: 0 });
          expect(few.requests, why).toBeLessThan(number === 1 ? 31 : 400);
          const served = textsOf(thin.server.served());
          expect([...served.keys()], why).toEqual([...textsOf(whole.server.served()).keys()]);
          expect(Object.fromEntries(served), why).toEqual(
            Object.fromEntries(textsOf(whole.server.served())),
          );
          const pages = [...served.keys()].map((file) => file.replace(/(^|\/)index\.html$/, '$1'));
          const asked = [...pages, 'nothing-there/', 'dealer-1'];
          expect(await thin.visits(asked), why).toEqual(await whole.visits(asked));
        }
      } finally {
        await service.close();
      }
    },
    300_000,
  );
});
