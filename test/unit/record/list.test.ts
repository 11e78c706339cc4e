import { expect, it } from 'vitest';
import { lastList, recordedList } from '../../../src/record/list.ts';
import type { RecordedVehicle } from '../../../src/record/schema.ts';
import type { DealerList } from '../../../src/stock/list.ts';

const VEHICLE = { vrm: 'AB12 CDE', dateUpdated: '2026-03-01T00:00:00Z', media: [] };

const listOf = (make: string): DealerList =>
  ({
    facts: {
      byPlate: new Map([['AB12CDE', { make }]]),
      omitted: new Map(),
      changed: new Map([['AB12CDE', '2026-03-02T00:00:00.000Z']]),
      rows: 1,
      prices: 0,
      currency: 'GBP',
      mileageUnit: 'mi',
      endsWithNewline: true,
      hash: 'h'.repeat(22),
      since: '2026-11-02',
    },
    notes: [],
  }) as unknown as DealerList;

it('a record with a stock list keeps every other field of its vehicles', () => {
  const vehicle = { ...VEHICLE, facts: { make: 'Albion' }, added: 'later' } as RecordedVehicle;
  const { vehicles } = recordedList([vehicle], listOf('Corvane'));
  const factsChanged = '2026-03-02T00:00:00.000Z';
  expect(vehicles).toEqual([{ ...vehicle, facts: { make: 'Corvane' }, factsChanged }]);
});

it('the list of a record has its facts again', () => {
  const record = recordedList([VEHICLE], listOf('Corvane'));
  expect(lastList(record)).toMatchObject({ rows: 1, currency: 'GBP' });
  expect(lastList(record)?.byPlate).toEqual(new Map([['AB12CDE', { make: 'Corvane' }]]));
  expect(lastList(record)?.changed.get('AB12CDE')).toBe('2026-03-02T00:00:00.000Z');
});
