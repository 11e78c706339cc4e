import { describe, expect, it } from 'vitest';
import { NEUTRAL_FIELD_NAMES } from '../../../src/contract/field-names.ts';
import { parseBatches, parseVehicles } from '../../../src/contract/parse.ts';
import { batchRecord } from '../../support/batch-record.ts';

const image = { id: 1, type: 'Image', label: 'Image 1', mediaUrl: 'https://p.example/1.jpg' };
const vehicle = { vrm: 'AB12CDE', dateUpdated: '2026-01-02T03:04:05Z', mediaList: [image] };
const names = NEUTRAL_FIELD_NAMES;

const batch = batchRecord({ BatchId: 1, SocialClicks: 3, SearchClicks: 4 });

describe('parseVehicles', () => {
  it('quarantines bad records and items and counts all of them', () => {
    const body = [
      vehicle,
      { ...vehicle, vrm: 7 },
      { ...vehicle, dateUpdated: 'yesterday' },
      { ...vehicle, mediaList: [image, { ...image, id: '2' }, null] },
      'no record',
    ];
    const result = parseVehicles(body, names);
    expect(result.received).toBe(5);
    expect(result.accepted).toHaveLength(2);
    expect(result.quarantined.map(Object.values)).toEqual([
      ['contract-invalid_type', '[1].vrm', 'must be a text, not a number'],
      [
        'contract-invalid_format',
        '[2].dateUpdated',
        'must be a time with a zone, such as 2026-03-01T09:30:00Z',
      ],
      ['contract-invalid_type', '[4]', 'must be an object, not a text'],
    ]);
    expect(result.items.received).toBe(4);
    expect(result.items.accepted).toBe(2);
    expect(result.items.quarantined.map(({ path }) => path)).toEqual([
      '[3].mediaList[1].id',
      '[3].mediaList[2]',
    ]);
  });

  it('never quotes a value of the response in a finding', () => {
    const result = parseVehicles([{ ...vehicle, vrm: { secret: 'hidden-value' } }], names);
    expect(JSON.stringify(result.quarantined)).not.toContain('hidden-value');
  });
});

describe('parseBatches', () => {
  it('accepts fields of unknown type unchanged, and missing fields', () => {
    const { CustomerRating: _, ...without } = batch;
    const body = [{ ...batch, Data: { any: ['thing'] }, CustomerRating: 4.5 }, without];
    const result = parseBatches(body, names);
    expect(result.quarantined).toEqual([]);
    expect(result.accepted[0]).toMatchObject({ Data: { any: ['thing'] }, CustomerRating: 4.5 });
  });
});
