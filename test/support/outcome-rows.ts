import { expect } from 'vitest';
import { addVehicles, dealerOne, type Later } from './disks.ts';
import { type Fault, NOT_COMPARED, rowsOf, stopped } from './outcomes.ts';

type Answer = { mediaList: Record<string, unknown>[] }[];

/** Replaces the service's response for dealer 7001 by a changed copy. */
async function answerWith(
  { service: { baseUrl, mediaKey, faults } }: Later,
  change: (answer: Answer) => unknown[],
): Promise<void> {
  const address = `${baseUrl}/PublicAPI/GetMediaByDealer?dealerId=7001&apiKey=${mediaKey}`;
  const answer = (await (await fetch(address)).json()) as Answer;
  faults.set({ route: 'media', dealerId: 7001, body: JSON.stringify(change(answer)) });
}
const withItems = (later: Later, change: (item: Record<string, unknown>) => object[]) =>
  answerWith(later, (answer) =>
    answer.map((one) => ({ ...one, mediaList: one.mediaList.flatMap(change) })),
  );

const record = (index: number) => ({
  vrm: `AB${10 + index}XYZ`,
  dateUpdated: '2026-03-01T00:00:00Z',
  mediaList: [],
});
const pictures = (later: Later) => dealerOne(later).vehicles.flatMap(({ mediaList }) => mediaList);

/** Too many pictures fail without earlier ones. On the same day, no picture of the other dealer is due. */
const PICTURES_FAILED = {
  hours: 1,
  attention: ['7001 stock-pictures-failed'],
  alone: stopped('publish-too-many-pictures-failed', 5),
};

/** Nights after a good first one, and their results. */
export const ROWS = rowsOf([
  {
    name: 'nothing wrong',
    given: () => {},
  },
  {
    name: 'one dealer: a truncated body',
    given: ({ service }) => service.faults.set({ route: 'media', dealerId: 7001, truncate: true }),
    states: ['degraded', 'fresh'],
    alone: stopped('service-unreachable'),
    report: ({ outcome, dealers }) => {
      expect(outcome).toBe('degraded');
      expect(dealers[0]).toMatchObject({ source: 'snapshot', ageSeconds: 24 * 3600 });
    },
  },
  {
    name: 'the service is down for 73 hours, longer than publish.maxSnapshotAge',
    given: ({ service }) => service.faults.set({ route: 'media', status: 503 }),
    hours: 73,
    states: ['degraded', 'degraded'],
    attention: ['7001 stock-answer-old', '7002 stock-answer-old'],
    alone: stopped('service-unreachable'),
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
    states: ['degraded', 'fresh'],
    attention: ['7001 stock-answer-old'],
    alone: stopped('service-unreachable'),
  },
  {
    name: 'one dealer is refused, and the other one sells and buys',
    given: (later) => {
      later.service.faults.set({ route: 'media', dealerId: 7001, status: 401 });
      later.service.data.dealers[1]?.vehicles.splice(0, 1);
    },
    states: ['degraded', 'fresh'],
    attention: ['7001 service-refused-401'],
    changes: true,
    alone: stopped('service-refused-401', 3),
    report: ({ outcome, dealers, attention }) => {
      expect(outcome).toBe('degraded');
      expect(dealers[0]).toMatchObject({
        source: 'snapshot',
        problem: { code: 'service-refused-401' },
      });
      expect(attention[0]?.fix).toContain('Check the API key');
      expect(attention[0]?.what).toMatch(/still see the vehicles of 2026-03-02 02:00 UTC\.$/);
      expect(dealers.map(({ vehicles }) => [vehicles.used, vehicles.withdrawn])).toEqual([
        [10, 0],
        [5, 1],
      ]);
    },
  },
  {
    name: 'one dealer is refused, the other one is down',
    given: ({ service }) => {
      service.faults.set({ route: 'media', dealerId: 7001, status: 403 });
      service.faults.set({ route: 'media', dealerId: 7002, status: 503 });
    },
    states: ['degraded', 'degraded'],
    attention: ['7001 service-refused-403'],
    alone: stopped('service-refused-403', 3),
  },
  {
    name: 'every dealer is refused',
    given: ({ service }) =>
      service.faults.set({ route: 'media', body: '{"Success":false,"Message":"no"}' }),
    exitCode: 3,
    code: 'service-refused-200',
    states: ['degraded', 'degraded'],
    attention: ['7001 service-refused-200', '7002 service-refused-200'],
    alone: stopped('service-refused-200', 3),
    report: ({ outcome }) => expect(outcome).toBe('not-published'),
  },
  {
    name: 'one dealer is refused, the other one loses most of its vehicles',
    given: (later) => {
      later.service.faults.set({ route: 'media', dealerId: 7001, status: 403 });
      later.service.data.dealers[1]?.vehicles.splice(0, 5);
    },
    states: ['degraded', 'held'],
    attention: ['7001 service-refused-403', '7002 stock-vehicle-loss'],
    alone: stopped('service-refused-403', 3),
  },
  {
    name: 'an empty list after vehicles',
    given: ({ service }) => service.faults.set({ route: 'media', dealerId: 7001, body: '[]' }),
    states: ['held', 'fresh'],
    attention: ['7001 stock-vehicle-loss'],
    report: ({ dealers, attention }) => {
      expect(dealers[0]?.problem).toMatchObject({ code: 'stock-vehicle-loss' });
      expect(attention[0]?.fix).toMatch(/--accept-loss dealer-1@[0-9a-f]{12}$/);
    },
  },
  // All vehicles are listed, but their media are unusable.
  ...(
    [
      ['with empty lists of media', () => []],
      ['with mediaUrl renamed', ({ mediaUrl, ...item }) => [{ ...item, url: mediaUrl }]],
      ['without pictures', (item) => (item.type === 'Image' ? [] : [item])],
    ] satisfies [string, (item: Record<string, unknown>) => object[]][]
  ).map(
    ([name, change]): Fault => ({
      name: `the same vehicles ${name}`,
      given: (later) => withItems(later, change),
      states: ['held', 'fresh'],
      attention: ['7001 stock-media-loss'],
      report: ({ dealers, attention }, disk) => {
        expect(dealers[0]?.vehicles).toMatchObject({ received: 10, accepted: 10 });
        if (disk === 'alone') return;
        expect(dealers[0]?.problem?.code).toBe('stock-media-loss');
        expect(attention[0]?.fix).toMatch(/--accept-loss dealer-1@[0-9a-f]{12}$/);
      },
    }),
  ),
  {
    name: 'media of an unknown type beside the others, more than a fifth',
    given: (later) => withItems(later, (item) => [item, { ...item, type: 'Hologram' }]),
    attention: ['7001 stock-media-unusable'],
    report: ({ dealers: [dealer] }) =>
      expect(dealer?.unknownTypes).toEqual({ Hologram: dealer?.items.accepted }),
  },
  {
    name: 'a body that is not an array',
    given: ({ service }) =>
      service.faults.set({ route: 'media', dealerId: 7001, body: '{"vehicles":[]}' }),
    states: ['degraded', 'fresh'],
    alone: stopped('service-answer-no-array'),
    report: ({ dealers }) =>
      expect(dealers[0]?.problem).toMatchObject({ code: 'service-answer-no-array' }),
  },
  {
    name: 'renamed fields: too many records quarantined',
    given: ({ service }) =>
      service.faults.set({
        route: 'media',
        dealerId: 7001,
        body: JSON.stringify([{ plate: 'X', media: [] }, record(0), record(1)]),
      }),
    states: ['degraded', 'fresh'],
    alone: stopped('stock-too-many-quarantined'),
    report: ({ dealers }) => {
      expect(dealers[0]?.problem).toMatchObject({ code: 'stock-too-many-quarantined' });
      expect(dealers[0]?.vehicles).toMatchObject({ received: 3, accepted: 2, quarantined: 1 });
    },
  },
  {
    name: 'one bad record in ten, for a new vehicle',
    given: (later) => answerWith(later, (answer) => [...answer.slice(0, 9), { vrm: 'NEW' }]),
    changes: true,
    report: ({ dealers }) => {
      expect(dealers[0]?.vehicles).toMatchObject({
        received: 10,
        accepted: 9,
        quarantined: 1,
        kept: 0,
        used: 9,
      });
      expect(dealers[0]?.quarantineCodes).toEqual({ 'contract-invalid_type': 1 });
    },
  },
  {
    name: 'vehicles with a malformed date, plate or media: shown as last published and reported',
    given: (later) =>
      answerWith(later, ([date = {}, plate = {}, media = {}, ...others]) => {
        const [picture, ...rest] = media.mediaList ?? [];
        return [
          { ...date, dateUpdated: 'yesterday' },
          { ...plate, vrm: 11 },
          { ...media, mediaList: [{ ...picture, mediaUrl: '/1.jpg' }, ...rest] },
          ...others,
        ];
      }),
    alone: { ...NOT_COMPARED, changes: true },
    report: ({ dealers }, disk) => {
      const isKept = disk !== 'alone';
      expect(dealers[0]?.vehicles).toMatchObject({
        received: 10,
        accepted: 8,
        quarantined: 2,
        withdrawn: 0,
        ...(isKept ? { kept: 3, used: 10 } : { kept: 0, used: 8 }),
      });
      const all = ['AB10XYZ', 'AB11XYZ', 'AB12XYZ'];
      expect(dealers[0]?.keptVrms).toEqual(isKept ? all : []);
    },
  },
  {
    name: 'the same plate twice: the newer vehicle is used and reported',
    given: (later) => {
      const [vehicle] = dealerOne(later).vehicles;
      if (vehicle)
        dealerOne(later).vehicles.push({
          ...vehicle,
          dateUpdated: '2020-01-01T00:00:00Z',
          mediaList: [],
        });
    },
    report: ({ dealers }) => {
      expect(dealers[0]?.duplicateVrms).toEqual(['AB10XYZ']);
      expect(dealers[0]?.vehicles).toMatchObject({ received: 11, accepted: 11, used: 10 });
    },
  },
  {
    name: 'an unknown media type: left out, counted and named',
    given: (later) =>
      dealerOne(later).vehicles[0]?.mediaList.push({
        id: 5,
        type: 'Hologram',
        label: 'x',
        mediaUrl: 'https://x.example/',
      }),
    report: ({ dealers }) => expect(dealers[0]?.unknownTypes).toEqual({ Hologram: 1 }),
  },
  {
    name: 'pictures fail, earlier thumbnails are used',
    given: (later) => {
      for (const vehicle of dealerOne(later).vehicles) vehicle.dateUpdated = '2026-03-02T01:00:00Z';
      later.service.faults.set({ route: 'picture', status: 500 });
    },
    ...PICTURES_FAILED,
    changes: true,
    report: ({ attention, dealers, pictureFailures }) => {
      expect(pictureFailures.length).toBeGreaterThan(0);
      expect(pictureFailures.every(({ standIn }) => standIn)).toBe(true);
      const text =
        ' pictures failed (its server responded with status 500), earlier ones are shown';
      expect(attention[0]?.what).toContain(text);
      expect(attention[0]?.fix).toContain('ask the vendor about the server of the pictures');
      expect(dealers[0]?.pictures).toMatchObject({ missing: 0 });
      expect(dealers[0]?.pictures.used).toBe(dealers[0]?.pictures.listed);
    },
  },
  {
    name: 'all pictures of one dealer have new ids and fail: its vehicles stay as published',
    given: (later) => {
      for (const item of pictures(later).filter(({ type }) => type === 'Image')) {
        item.id += 1_000_000;
        item.mediaUrl += '?moved';
      }
      later.service.faults.set({ route: 'picture', status: 404 });
    },
    ...PICTURES_FAILED,
    report: ({ attention, dealers: [dealer] }) => {
      expect(attention[0]?.what).toMatch(/404\), earlier ones are shown\. It has/);
      expect(dealer?.pictures).toMatchObject({ used: dealer?.pictures.listed, missing: 0 });
    },
  },
  {
    name: 'all pictures of the only new vehicle fail, more than a fifth of all: it is published without them',
    given: (later) => {
      const { vehicles } = dealerOne(later);
      const item = pictures(later).find(({ type }) => type === 'Image');
      if (!vehicles[0] || !item) throw new Error('no picture');
      const mediaList = Array.from({ length: 9 }, (_, copy) => ({
        ...item,
        id: item.id + (copy + 1) * 1_000_000,
        mediaUrl: `${item.mediaUrl}?${copy}`,
      }));
      vehicles.push({ ...vehicles[0], vrm: 'N1NEW', mediaList });
      later.service.faults.set({ route: 'picture', status: 404 });
    },
    ...PICTURES_FAILED,
    changes: true,
    report: ({ dealers }) => {
      expect(dealers[0]?.vehicles.used).toBe(11);
      expect(dealers[0]?.pictures.missing).toBe(9);
    },
  },
  {
    name: 'more than a fifth of all pictures fail, of new vehicles',
    given: (later) => {
      addVehicles(dealerOne(later).vehicles);
      later.service.faults.set({ route: 'picture', status: 404 });
    },
    exitCode: 5,
    code: 'publish-too-many-pictures-failed',
    alone: stopped('publish-too-many-pictures-failed', 5),
  },
  {
    name: 'a page contains the key',
    given: (later) => {
      const item = pictures(later)[0];
      if (item) item.label = Buffer.from(later.service.mediaKey).toString('base64');
    },
    exitCode: 6,
    code: 'service-answer-holds-key',
    alone: stopped('service-answer-holds-key', 6),
  },
]);
