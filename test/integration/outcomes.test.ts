import { readdir, rm, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { lockFolder } from '../../src/publish/lock.ts';
import { type BuildReport, reportSchema } from '../../src/publish/report.ts';
import type { RunOptions } from '../../src/publish/run.ts';
import { snapshotFolder } from '../../src/stock/snapshot.ts';
import { type Build, configFor, readTree } from '../support/build.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { dealerOne, firstNight, startWorld, type World, worldFrom } from '../support/world.ts';

const service = await forAllTests(startWorld());
const first = await forAllTests(firstNight(service));

const snapshotOf = (world: World, id = 7001) =>
  path.join(
    snapshotFolder(path.join(world.folder, 'cache'), configFor(service)),
    `dealer-${id}.snapshot`,
  );
const record = (index: number) => ({
  vrm: `AB${10 + index}XYZ`,
  dateUpdated: '2026-03-01T00:00:00Z',
  mediaList: [],
});
/** Where the configuration keeps what it knows of its pictures. */
const ownFolder = async (world: World) => {
  const records = path.join(world.folder, 'cache', 'records');
  const [own = ''] = await readdir(records);
  return path.join(records, own);
};
const pictures = (world: World) => dealerOne(world).vehicles.flatMap(({ mediaList }) => mediaList);

/** What the machine of a later night has of the nights before. */
const DISKS = {
  /** The same folders. */
  kept: (world: World, hours: number, options?: Partial<RunOptions>): Promise<Build> =>
    world.night(hours, options),
};
type Disk = keyof typeof DISKS;

/** A later night of a world, on a disk of some kind. */
const night = (
  world: World,
  disk: Disk,
  { hours = 24, ...options }: { hours?: number } & Partial<RunOptions> = {},
) => DISKS[disk](world, hours, options);

interface Row {
  name: string;
  /** What goes wrong, after a good first night. */
  given: (world: World) => unknown;
  hours?: number;
  exitCode: number;
  /** States of the two dealers. */
  states?: [string, string];
  code?: string;
  /** What a person is needed for: `DEALER CODE`. With --strict the exit code is 8 where there is any. */
  attention?: string[];
  /** Whether the published site may differ from the first night's. */
  changes: boolean;
  report?: (report: BuildReport) => void;
}

const ROWS: Row[] = [
  {
    name: 'nothing wrong',
    given: () => {},
    exitCode: 0,
    states: ['fresh', 'fresh'],
    changes: false,
  },
  ...[
    ['status 500', { status: 500 }],
    ['a reset', { reset: true }],
    ['a truncated body', { truncate: true }],
    ['wrong JSON', { wrongJson: true }],
  ].map(
    ([name, fault]): Row => ({
      name: `one dealer: ${name}`,
      given: ({ service }) =>
        service.faults.set({ route: 'media', dealerId: 7001, ...(fault as object) }),
      exitCode: 0,
      states: ['degraded', 'fresh'],
      changes: false,
      report: ({ outcome, dealers }) => {
        expect(outcome).toBe('degraded');
        expect(dealers[0]).toMatchObject({ source: 'snapshot', ageSeconds: 24 * 3600 });
      },
    }),
  ),
  {
    name: 'the service is down for all, snapshots are young',
    given: ({ service }) => service.faults.set({ route: 'media', status: 503 }),
    exitCode: 0,
    states: ['degraded', 'degraded'],
    changes: false,
  },
  {
    name: 'the service is down for 71 hours',
    given: ({ service }) => service.faults.set({ route: 'media', status: 503 }),
    hours: 71,
    exitCode: 0,
    states: ['degraded', 'degraded'],
    changes: false,
  },
  {
    name: 'the service is down for 73 hours, longer than publish.maxSnapshotAge',
    given: ({ service }) => service.faults.set({ route: 'media', status: 503 }),
    hours: 73,
    exitCode: 0,
    states: ['degraded', 'degraded'],
    attention: ['7001 stock-answer-old', '7002 stock-answer-old'],
    changes: false,
    report: ({ attention }) => {
      expect(attention[0]?.what).toContain('73 hours old');
      expect(attention[0]?.what).toContain('2026-03-02 02:00 UTC');
      expect(attention[0]?.fix).toContain('Ask the vendor');
    },
  },
  {
    name: 'one dealer is down for a month',
    given: ({ service }) => service.faults.set({ route: 'media', dealerId: 7001, reset: true }),
    hours: 30 * 24,
    exitCode: 0,
    states: ['degraded', 'fresh'],
    attention: ['7001 stock-answer-old'],
    changes: false,
  },
  {
    name: 'a dealer has no usable snapshot but was published',
    given: async (world) => {
      await truncate(snapshotOf(world), 100);
      world.service.faults.set({ route: 'media', dealerId: 7001, status: 503 });
    },
    exitCode: 4,
    code: 'service-unreachable',
    changes: false,
    report: ({ dealers }) => expect(dealers[0]?.notes.join()).toContain('checksum'),
  },
  {
    name: 'a dealer has no usable snapshot but was published, and is refused',
    given: async (world) => {
      await truncate(snapshotOf(world), 100);
      world.service.faults.set({ route: 'media', dealerId: 7001, status: 403 });
    },
    exitCode: 3,
    code: 'service-refused-403',
    states: ['failed', 'fresh'],
    changes: false,
    report: ({ problem }) => {
      expect(problem?.what).toContain('dealer 7001');
      expect(problem?.why).toContain('It has pages online');
    },
  },
  ...[503, 403].map(
    (status): Row => ({
      name: `a dealer has nothing to stand on and was never published: ${status}`,
      given: async (world) => {
        await rm(snapshotOf(world));
        await rm(path.join(world.folder, 'site', 'dealer-1'), { recursive: true });
        world.service.faults.set({ route: 'media', dealerId: 7001, status });
      },
      exitCode: 0,
      states: ['left-out', 'fresh'],
      attention: ['7001 stock-left-out'],
      changes: true,
    }),
  ),
  ...[
    ['401', 'service-refused-401', { status: 401 }],
    ['403', 'service-refused-403', { status: 403 }],
    ['404', 'service-refused-404', { status: 404 }],
    ['{Success:false}', 'service-refused-200', { body: '{"Success":false,"Message":"no"}' }],
  ].map(
    ([name, code, fault]): Row => ({
      name: `one dealer is refused with ${name}`,
      given: ({ service }) =>
        service.faults.set({ route: 'media', dealerId: 7001, ...(fault as object) }),
      exitCode: 0,
      states: ['degraded', 'fresh'],
      attention: [`7001 ${code}`],
      changes: false,
      report: ({ outcome, dealers, attention }) => {
        expect(outcome).toBe('degraded');
        expect(dealers[0]).toMatchObject({ source: 'snapshot', problem: { code } });
        expect(attention[0]?.fix).toContain('Check the API key');
      },
    }),
  ),
  {
    name: 'one dealer is refused, and the other one sells and buys',
    given: (world) => {
      world.service.faults.set({ route: 'media', dealerId: 7001, status: 401 });
      world.service.data.dealers[1]?.vehicles.splice(0, 1);
    },
    exitCode: 0,
    states: ['degraded', 'fresh'],
    attention: ['7001 service-refused-401'],
    changes: true,
    report: ({ dealers }) =>
      expect(dealers.map(({ vehicles }) => [vehicles.used, vehicles.withdrawn])).toEqual([
        [10, 0],
        [9, 1],
      ]),
  },
  {
    name: 'one dealer is refused for a month',
    given: ({ service }) => service.faults.set({ route: 'media', dealerId: 7001, status: 404 }),
    hours: 30 * 24,
    exitCode: 0,
    states: ['degraded', 'fresh'],
    attention: ['7001 service-refused-404'],
    changes: false,
  },
  {
    name: 'one dealer is refused, the other one is down',
    given: ({ service }) => {
      service.faults.set({ route: 'media', dealerId: 7001, status: 403 });
      service.faults.set({ route: 'media', dealerId: 7002, status: 503 });
    },
    exitCode: 0,
    states: ['degraded', 'degraded'],
    attention: ['7001 service-refused-403'],
    changes: false,
  },
  {
    name: 'every dealer is refused',
    given: ({ service }) =>
      service.faults.set({ route: 'media', body: '{"Success":false,"Message":"no"}' }),
    exitCode: 3,
    code: 'service-refused-200',
    states: ['degraded', 'degraded'],
    attention: ['7001 service-refused-200', '7002 service-refused-200'],
    changes: false,
    report: ({ outcome }) => expect(outcome).toBe('not-published'),
  },
  {
    name: 'every dealer is refused, each in its own way',
    given: ({ service }) => {
      service.faults.set({ route: 'media', dealerId: 7001, status: 404 });
      service.faults.set({ route: 'media', dealerId: 7002, status: 401 });
    },
    exitCode: 3,
    code: 'service-refused-404',
    attention: ['7001 service-refused-404', '7002 service-refused-401'],
    changes: false,
  },
  {
    name: 'one dealer is refused, the other one loses half of its vehicles',
    given: (world) => {
      world.service.faults.set({ route: 'media', dealerId: 7001, status: 403 });
      world.service.data.dealers[1]?.vehicles.splice(0, 5);
    },
    exitCode: 0,
    states: ['degraded', 'held'],
    attention: ['7001 service-refused-403', '7002 stock-vehicle-loss'],
    changes: false,
  },
  {
    name: 'an empty list where vehicles were',
    given: ({ service }) => service.faults.set({ route: 'media', dealerId: 7001, emptyList: true }),
    exitCode: 0,
    states: ['held', 'fresh'],
    attention: ['7001 stock-vehicle-loss'],
    changes: false,
    report: ({ dealers, attention }) => {
      expect(dealers[0]?.problem).toMatchObject({ code: 'stock-vehicle-loss' });
      expect(attention[0]?.fix).toMatch(/--accept-loss dealer-1@[0-9a-f]{12}$/);
    },
  },
  {
    name: 'half of the vehicles gone',
    given: (world) => dealerOne(world).vehicles.splice(0, 5),
    exitCode: 0,
    states: ['held', 'fresh'],
    attention: ['7001 stock-vehicle-loss'],
    changes: false,
  },
  {
    name: 'a body that is no array',
    given: ({ service }) =>
      service.faults.set({ route: 'media', dealerId: 7001, body: '{"vehicles":[]}' }),
    exitCode: 0,
    states: ['degraded', 'fresh'],
    changes: false,
    report: ({ dealers }) =>
      expect(dealers[0]?.problem).toMatchObject({ code: 'service-answer-no-array' }),
  },
  {
    name: 'renamed fields: too many records set aside',
    given: ({ service }) =>
      service.faults.set({
        route: 'media',
        dealerId: 7001,
        body: JSON.stringify([{ plate: 'X', media: [] }, record(0), record(1)]),
      }),
    exitCode: 0,
    states: ['degraded', 'fresh'],
    changes: false,
    report: ({ dealers }) => {
      expect(dealers[0]?.problem).toMatchObject({ code: 'stock-too-many-quarantined' });
      expect(dealers[0]?.vehicles).toMatchObject({ received: 3, accepted: 2, quarantined: 1 });
    },
  },
  {
    name: 'one bad record in ten',
    given: ({ service }) =>
      service.faults.set({
        route: 'media',
        dealerId: 7001,
        body: JSON.stringify([
          ...Array.from({ length: 9 }, (_, index) => record(index)),
          { vrm: 'AB19XYZ' },
        ]),
      }),
    exitCode: 0,
    states: ['fresh', 'fresh'],
    changes: true,
    report: ({ dealers }) => {
      expect(dealers[0]?.vehicles).toMatchObject({
        received: 10,
        accepted: 9,
        quarantined: 1,
        used: 9,
      });
      expect(dealers[0]?.quarantineCodes).toEqual({ 'contract-invalid_type': 1 });
    },
  },
  {
    name: 'the same plate twice: the newer wins, told',
    given: (world) => {
      const [vehicle] = dealerOne(world).vehicles;
      if (vehicle)
        dealerOne(world).vehicles.push({
          ...vehicle,
          dateUpdated: '2020-01-01T00:00:00Z',
          mediaList: [],
        });
    },
    exitCode: 0,
    states: ['fresh', 'fresh'],
    changes: false,
    report: ({ dealers }) => {
      expect(dealers[0]?.duplicateVrms).toEqual(['AB10XYZ']);
      expect(dealers[0]?.vehicles).toMatchObject({ received: 11, accepted: 11, used: 10 });
    },
  },
  {
    name: 'an unknown media type: kept out, counted, named',
    given: (world) =>
      dealerOne(world).vehicles[0]?.mediaList.push({
        id: 5,
        type: 'Hologram',
        label: 'x',
        mediaUrl: 'https://x.example/',
      }),
    exitCode: 0,
    states: ['fresh', 'fresh'],
    changes: false,
    report: ({ dealers }) => expect(dealers[0]?.unknownTypes).toEqual({ Hologram: 1 }),
  },
  {
    name: 'pictures fail, last good thumbnails stand in',
    given: (world) => {
      for (const vehicle of dealerOne(world).vehicles) vehicle.dateUpdated = '2026-03-02T01:00:00Z';
      world.service.faults.set({ route: 'picture', status: 500 });
    },
    exitCode: 0,
    states: ['fresh', 'fresh'],
    changes: true,
    report: ({ dealers, pictureFailures }) => {
      expect(pictureFailures.length).toBeGreaterThan(0);
      expect(pictureFailures.every(({ standIn }) => standIn)).toBe(true);
      expect(dealers[0]?.pictures.used).toBe(dealers[0]?.pictures.listed);
    },
  },
  {
    name: 'more than a fifth of all pictures fail with nothing to stand in',
    given: (world) => {
      for (const item of pictures(world)) {
        item.id += 1_000_000;
        item.mediaUrl += '?moved';
      }
      world.service.faults.set({ route: 'picture', status: 404 });
    },
    exitCode: 5,
    code: 'publish-too-many-pictures-failed',
    changes: false,
  },
  {
    name: 'pictures fail, and the cache is gone: what is published stands in',
    given: async (world) => {
      await rm(path.join(world.folder, 'cache', 'media'), { recursive: true });
      world.service.faults.set({ route: 'picture', status: 404 });
    },
    exitCode: 0,
    states: ['fresh', 'fresh'],
    changes: false,
    report: ({ pictureFailures }) =>
      expect(pictureFailures.every(({ standIn }) => standIn)).toBe(true),
  },
  {
    name: 'the key turns up in a page',
    given: (world) => {
      const item = pictures(world)[0];
      if (item) item.label = Buffer.from(world.service.mediaKey).toString('base64');
    },
    exitCode: 6,
    changes: false,
  },
  {
    name: 'what is known of pictures is torn',
    given: async (world) => {
      const records = await ownFolder(world);
      const [first = ''] = await readdir(records);
      await truncate(path.join(records, first), 50);
    },
    exitCode: 0,
    states: ['fresh', 'fresh'],
    changes: false,
    report: ({ notes }) => expect(notes.join()).toContain('damaged'),
  },
  {
    name: 'leftovers of a killed build lie about',
    given: async (world) =>
      writeFile(path.join(await ownFolder(world), `${dealerOne(world).id}.journal`), '123 torn'),
    exitCode: 0,
    states: ['fresh', 'fresh'],
    changes: false,
  },
];

describe.each(Object.keys(DISKS) as Disk[])('after a good first night, on a disk: %s', (disk) => {
  it.each(ROWS)('$name → exit $exitCode', async (row) => {
    const { hours = 24, attention = [] } = row;
    await using world = await worldFrom(service, first.path);
    await row.given(world);
    const before = await world.site();
    const { exitCode, report, error } = await night(world, disk, { hours });
    expect(reportSchema.safeParse(report).error).toBeUndefined();
    expect({ exitCode, code: report.problem?.code }, String(error)).toEqual({
      exitCode: row.exitCode,
      code: row.code ?? report.problem?.code,
    });
    if (row.states) expect(report.dealers.map(({ state }) => state)).toEqual(row.states);
    expect(report.attention.map(({ dealer, code }) => `${dealer} ${code}`)).toEqual(attention);
    const after = await world.site();
    if (row.changes) expect(after).not.toEqual(before);
    else expect(after).toEqual(before);
    row.report?.(report);
    for (const { vehicles } of report.dealers) {
      expect(vehicles.accepted + vehicles.quarantined).toBe(vehicles.received);
    }
  });

  it.each(ROWS)('$name, with --strict', async (row) => {
    const { hours = 24, attention = [] } = row;
    await using world = await worldFrom(service, first.path);
    await row.given(world);
    const before = await world.site();
    const { exitCode, report, error } = await night(world, disk, { hours, strict: true });
    const expected = row.exitCode === 0 && attention.length > 0 ? 8 : row.exitCode;
    expect([exitCode, report.exitCode], String(error)).toEqual([expected, expected]);
    // What is published is published all the same.
    const isChanged = JSON.stringify([...(await world.site())]) !== JSON.stringify([...before]);
    expect(isChanged).toBe(row.changes);
  });
});

describe('a night after a good one', () => {
  it('accepts one loss, named by a person, and not the next one', async () => {
    await using world = await worldFrom(service, first.path);
    dealerOne(world).vehicles.splice(0, 5);
    const held = await world.night(24);
    const token = `dealer-1@${held.report.dealers[0]?.snapshot}`;
    expect(held.report.dealers[0]?.problem?.fix).toContain(token);
    const accepted = await world.night(25, { acceptLoss: [token] });
    expect(accepted.report.dealers[0]).toMatchObject({
      state: 'fresh',
      vehicles: { used: 5, withdrawn: 5 },
    });
    dealerOne(world).vehicles.splice(0);
    const next = await world.night(49, { acceptLoss: [token] });
    expect(next.report.dealers[0]?.state).toBe('held');
  });

  it('refuses a second build at the same time', async () => {
    await using world = await worldFrom(service, first.path);
    const before = await world.site();
    using _held = lockFolder(path.join(world.folder, 'cache'));
    const { exitCode, report } = await world.night(24);
    expect([exitCode, report.problem?.code]).toEqual([5, 'build-already-running']);
    expect(await world.site()).toEqual(before);
  });

  it('stops at once when interrupted, and publishes nothing', async () => {
    await using world = await worldFrom(service, first.path);
    const controller = new AbortController();
    service.faults.set({ route: 'media', delayMs: 200 });
    setTimeout(() => controller.abort(), 50);
    const before = await world.site();
    const { report } = await world.night(24, { signal: controller.signal });
    expect(report.outcome).toBe('not-published');
    expect(await readTree(path.join(world.folder, 'site'))).toEqual(before);
  });
});
