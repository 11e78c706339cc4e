import { describe, expect, it } from 'vitest';
import type { DealerMemory, Snapshot } from '../../../src/stock/dealer-stock.ts';
import { loadStock } from '../../../src/stock/load.ts';
import { vehiclesToken } from '../../../src/stock/refusals.ts';
import type { Vehicle } from '../../../src/stock/vehicle.ts';
import { withdrawnNow } from '../../../src/stock/withdrawn.ts';
import { inTurn, startAnswerServer } from '../../support/answer-server.ts';
import { offlineConfig } from '../../support/offline-config.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `V${index}`);

/** The snapshot of a dealer. */
const lastOf = (vrms: readonly string[]): Snapshot => ({
  confirmed: '2026-03-09T12:00:00.000Z',
  vehicles: vrms.map((vrm) => ({ vrm, media: [] as Vehicle['media'] }) as Vehicle),
  withdrawn: [],
});

/** Loads a dealer whose service lists these vehicles. */
async function night(
  vrms: readonly string[],
  memory: Partial<DealerMemory> = {},
  mediaList: readonly unknown[] = [],
  acceptLoss: string[] = [],
) {
  const answer = vrms.map((vrm) => ({ vrm, dateUpdated: '2026-01-02T03:04:05Z', mediaList }));
  const { url } = await startAnswerServer(inTurn([200, JSON.stringify(answer)]));
  const dealers = [{ id: 7, name: 'Dealer 7', slug: 'd7' }];
  const config = offlineConfig({ service: { baseUrl: url }, dealers });
  const [stock] = await loadStock({
    config: { ...config, service: { ...config.service, maxVehicles: 40, maxItems: 100 } },
    cacheDir: tempFolder(),
    acceptLoss,
    now: Date.parse('2026-03-10T12:00:00Z'),
    memory: async () => ({ last: undefined, live: undefined, notes: [], ...memory }),
  });
  return stock;
}

it('has at most the maximum number of vehicles and media items', async () => {
  expect((await night(numbered(40)))?.source).toBe('live');
  const problem = { code: 'stock-too-many-vehicles' };
  expect(await night(numbered(41))).toMatchObject({ source: 'none', problem });
  const last = lastOf(['A', 'B']);
  expect(await night(numbered(41), { last })).toMatchObject({ source: 'snapshot', problem });
  expect(await night(numbered(2), { last }, Array(51).fill(1))).toMatchObject({ problem });
});

describe('a loss', () => {
  it('of media in an unusable form is restored from the snapshot, and other changes are shown', async () => {
    const item = { id: 1, type: 'Image', label: '', mediaUrl: 'https://p.example/1.jpg' };
    const [vehicle] = lastOf(['V0']).vehicles;
    const media = [3, 2, 1].map((id) => ({ kind: 'image', id })) as unknown as Vehicle['media'];
    const last = { ...lastOf([]), vehicles: [{ ...(vehicle as Vehicle), media }] };
    const idsAfter = async (...items: object[]) =>
      (await night(['V0'], { last }, items))?.vehicles[0]?.media.map(({ id }) => id);
    for (const unusable of [{ id: '2' }, { type: 'Photo' }, { mediaUrl: '/2.jpg' }]) {
      const second = { ...item, id: 2, ...unusable };
      const added = { ...item, id: 4, mediaUrl: 'https://p.example/4.jpg' };
      expect(await idsAfter(item, second, added)).toEqual([1, 2, 4]);
    }
    expect(await idsAfter(item)).toEqual([1]);
  });

  it('from two sides must be accepted for both', async () => {
    const last = lastOf(numbered(30));
    // Pages can list a vehicle twice.
    const live = { state: 'live', vrms: [...numbered(20), ...numbered(20)] } as const;
    const problem = (await night(['V0'], { live, last }))?.problem;
    expect(problem?.message).toMatch(/^29 of 30/);
    expect(problem?.why).toContain('the snapshot');
    const tokens = [numbered(30), numbered(20)].map(
      (vrms) => `--accept-loss ${vehiclesToken({ slug: 'd7' }, vrms, vrms.slice(1))}`,
    );
    expect(problem?.fix?.endsWith(tokens.join(' '))).toBe(true);
    const online = (await night(['V0'], { live }))?.problem;
    expect(online?.message).toMatch(/^19 of 20/);
    expect(online?.why).toContain('the published site');
  });

  it('lists plates and the option that accepts it, in any project and CI', async () => {
    const lost = [...numbered(15), 'X'.repeat(300)];
    const problem = (await night(['V0'], { last: lastOf(lost) }))?.problem;
    expect(problem?.message).toMatch(
      /^15 of 16 vehicles of dealer 7 .* are missing: V1, V2, .*, V10 and 5 more\.$/,
    );
    const token = vehiclesToken({ slug: 'd7' }, lost, lost.slice(1));
    expect(problem?.fix).toContain(
      `build once, or start the workflow, with --accept-loss ${token}`,
    );
    const long = await night(['V0'], { last: lastOf(['', 'X'.repeat(300), 'V1']) });
    expect(long?.problem?.message).toContain(
      `are missing (new: 1): (empty), ${'X'.repeat(19)}…, V1.`,
    );
    expect(long?.problem?.why).toMatch(/ The first new one is V0\.$/);
  });

  it('identifies a loss by the vehicles before and the missing ones, in any order', () => {
    const tokenOf = (before: string, missing = before) =>
      vehiclesToken({ slug: 'd7' }, before, missing);
    expect(tokenOf('BAB', 'BA')).toBe(tokenOf('AB'));
    expect(new Set(['A', 'B', 'AB'].map((before) => tokenOf(before))).size).toBe(3);
    expect(tokenOf('A')).toMatch(/^d7@[0-9a-f]{12}$/);
  });

  it('is not accepted if it has grown since the user accepted it', async () => {
    const last = lastOf(numbered(30));
    const acceptLoss = [vehiclesToken({ slug: 'd7' }, numbered(30), numbered(30).slice(10))];
    expect((await night(numbered(10), { last }, [], acceptLoss))?.source).toBe('live');
    const problem = (await night(['V0'], { last }, [], acceptLoss))?.problem;
    expect(problem?.message).toMatch(/^29 of 30/);
  });
});

it('a withdrawn vehicle has the facts of the newest list that has it', () => {
  const similar = { make: 'Albion', body: 'Estate' };
  const factsOf = (facts: object) => ({
    byPlate: new Map([['V0', { ...similar, fuel: 'Petrol', ...facts }]]),
  });
  const last = { ...lastOf(['V0']), list: factsOf({ price: 9000 }) };
  const options = { now: 0, withdrawnFor: 1 };
  const sold = { ...options, list: factsOf({ status: 'sold' }) };
  expect(withdrawnNow(last, [], sold)[0]?.facts).toEqual({ ...similar, status: 'sold' });
  expect(withdrawnNow(last, [], options)[0]?.facts).toEqual({ ...similar, price: 9000 });
  // Both have the same URL.
  expect(withdrawnNow(lastOf(['姊塀丁']), [{ vrm: '埬寑丁' }], options)).toEqual([]);
});
