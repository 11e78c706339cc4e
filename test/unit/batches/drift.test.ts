import { expect, test } from 'vitest';
import { answerDrift, fieldDrift, typesIn } from '../../../src/batches/model/drift.ts';
import { batchRecord } from '../../support/batch-record.ts';

const facts = {
  received: 50,
  duplicates: 0,
  quarantined: [],
  expected: 50,
  absent: 0,
  daysAsked: 30,
  daysReached: 30,
};
const codes = (change: object) => answerDrift({ ...facts, ...change }).map(({ code }) => code);

test.each([
  [{}, []],
  [{ received: 24 }, ['answer-small']],
  [{ received: 25 }, []],
  [{ received: 4, expected: 19 }, []],
  [{ received: 0 }, ['answer-empty']],
  [{ received: 0, expected: 0 }, []],
  [{ received: 100 }, ['answer-round']],
  [{ received: 256 }, ['answer-round']],
  [{ received: 64 }, []],
  [{ received: 101 }, []],
  [{ absent: 1 }, ['absent-in-window']],
  [{ daysReached: 28.9 }, ['window-shrunk']],
  [{ daysReached: undefined }, []],
  [{ duplicates: 2 }, ['duplicate-batch']],
])('an answer with %j is told as %j', (change, expected) => {
  expect(codes(change)).toEqual(expected);
});

test('quarantined records are counted by kind and field, without their place or value', () => {
  const quarantined = ['[0].Title', '[7].Title', '[9]'].map((path) => ({
    code: 'contract-invalid_type',
    path,
    message: '',
  }));
  expect(answerDrift({ ...facts, quarantined })).toEqual([
    { code: 'quarantined', field: 'Title', detail: '2 records: contract-invalid_type' },
    { code: 'quarantined', field: 'record', detail: '1 records: contract-invalid_type' },
  ]);
});

test('a type is told once, a vanished field each time, the contract’s own types never', () => {
  const first = typesIn([
    batchRecord({ BatchId: 1, CustomerRating: 5 }),
    { ...batchRecord({ BatchId: 2 }), Extra: [] },
  ]);
  const strange = { code: 'field-new', field: 'Extra', detail: expect.stringContaining('array') };
  // With nothing seen before, every type is the first; a field outside of the interface is news.
  expect(fieldDrift(first, new Map())).toEqual([strange]);
  expect(fieldDrift(first, typesIn([batchRecord({ BatchId: 1 })]))).toEqual([
    { code: 'type-first', field: 'CustomerRating', detail: 'integer' },
    strange,
  ]);
  expect(fieldDrift(first, first)).toEqual([]);
  const { Data: _, ...without } = batchRecord({ BatchId: 1, CustomerRating: 'five' });
  expect(fieldDrift(typesIn([without]), first)).toEqual([
    { code: 'type-first', field: 'CustomerRating', detail: 'string, formerly integer' },
    { code: 'field-gone', field: 'Data', detail: expect.any(String) },
    { code: 'field-gone', field: 'Extra', detail: expect.any(String) },
  ]);
  expect(fieldDrift(new Map(), first)).toEqual([]);
});
