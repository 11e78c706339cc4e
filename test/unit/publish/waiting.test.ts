import { expect, it } from 'vitest';
import { urgentPictures, withoutWaiting } from '../../../src/publish/build/waiting.ts';
import type { DealerStock } from '../../../src/stock/dealer-stock.ts';
import type { Vehicle } from '../../../src/stock/vehicle.ts';
import { vehicleOf } from '../../support/vehicle.ts';

const vehicle = (vrm: string) => vehicleOf(vrm, [], { dateUpdated: '2026-03-02T00:00:00Z' });
const stockOf = (vehicles: Vehicle[], before: DealerStock['before']): DealerStock => ({
  dealer: { id: 7 } as DealerStock['dealer'],
  source: 'live',
  vehicles,
  withdrawn: [],
  notes: [],
  ...(before && { before }),
});
/** One picture for each vehicle. */
const sourcesOf = (vehicles: Iterable<Vehicle>) =>
  Array.from(vehicles, ({ vrm }) => ({ key: `7/${vrm} x` }));

const former = vehicleOf('OLD');
const lastOf = (...vehicles: Vehicle[]) =>
  ({ vehicles, withdrawn: [{ vrm: 'SOLD', since: '2026-03-01' }] }) as never;

/** Pictures by their keys: not started, failed without a fallback, and in the records. */
const unmade = (missing: string[], lost: string[] = [], known: string[] = []) => ({
  missing: new Set(missing),
  lost: new Set(lost),
  isKnown: (key: string) => known.includes(key),
});

it('a new dealer whose pictures all wait is left out', () => {
  const stock = stockOf([vehicle('NEW')], undefined);
  const { stock: shown } = withoutWaiting([stock], sourcesOf, unmade(['7/NEW x']));
  expect(shown).toMatchObject([{ source: 'none', vehicles: [] }]);
  const live = { last: undefined, live: { state: 'live', vrms: ['SOLD'] } } as const;
  const known = withoutWaiting([{ ...stock, before: live }], sourcesOf, unmade(['7/NEW x']));
  expect(known.stock).toMatchObject([{ source: 'live', vehicles: [] }]);
});

it('a published vehicle stays as it was if all its new pictures failed and an earlier one is known', () => {
  const sources = (vehicles: Iterable<Vehicle>) =>
    Array.from(vehicles, ({ vrm, dateUpdated }) => ({ key: `7/${vrm} ${dateUpdated}` }));
  const stock = stockOf([vehicle('OLD'), vehicle('NEW')], {
    last: lastOf(former),
    live: undefined,
  });
  const lost = sources(stock.vehicles).map(({ key }) => key);
  const known = sources([former]).map(({ key }) => key);
  const shown = (pictures: Parameters<typeof withoutWaiting>[2]) =>
    withoutWaiting([stock], sources, pictures).stock[0]?.vehicles;
  expect(shown(unmade([], lost, known))).toEqual([former, vehicle('NEW')]);
  expect(shown(unmade([], lost))).toEqual(stock.vehicles);
  expect(shown(unmade([], lost.slice(1), known))).toEqual(stock.vehicles);
  // A response without pictures is not a failure.
  const without = (vehicles: Iterable<Vehicle>) =>
    sources([...vehicles].filter((one) => one === former));
  const { stock: bare } = withoutWaiting([stock], without, unmade([], [], known));
  expect(bare).toEqual([stock]);
});

it('pictures of vehicles that may be live without a record are urgent, unless nothing is live', () => {
  const live = { state: 'live', vrms: ['LIVE'] } as const;
  const unknown = { state: 'unknown', why: 'status 500' } as const;
  const vehicles = [vehicle('OLD'), vehicle('LIVE'), vehicle('NEW')];
  const urgent = (before: DealerStock['before'], first = false) => [
    ...urgentPictures([stockOf(vehicles, before)], sourcesOf, { first }),
  ];
  expect(urgent({ last: lastOf(former), live })).toEqual(['7/LIVE x']);
  expect(urgent({ last: lastOf(former), live: unknown })).toEqual(['7/LIVE x', '7/NEW x']);
  expect(urgent({ last: undefined, live: { state: 'absent' } })).toEqual([]);
  expect(urgent({ last: lastOf(former), live: unknown }, true)).toEqual([]);
});
