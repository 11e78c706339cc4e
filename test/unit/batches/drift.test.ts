import { expect, test } from 'vitest';
import {
  answerDrift,
  fieldDrift,
  plainName,
  quarantineDrift,
  typesIn,
} from '../../../src/batches/model/drift.ts';
import { batchRecord } from '../../support/batch-record.ts';

const facts = {
  received: 50,
  duplicates: 0,
  expected: 50,
  absent: 0,
  daysAsked: 30,
  daysReached: 30,
};
test.each<[change: object, code?: string, detail?: string]>([
  [{}],
  [{ received: 24 }, 'answer-small', '24 batches, though at least 50 known ones were expected'],
  [{ received: 25 }],
  [{ received: 4, expected: 19 }],
  [{ received: 0 }, 'answer-empty', 'no batch, though 50 known ones should be in the window'],
  [{ received: 0, expected: 0 }],
  [{ received: 100 }, 'answer-round', 'exactly 100 batches: perhaps cut off'],
  [{ received: 256 }, 'answer-round', 'exactly 256 batches: perhaps cut off'],
  [{ received: 64 }],
  [{ received: 101 }],
  [{ absent: 1 }, 'absent-in-window', '1 of 50 known batches of the window are missing'],
  [{ daysReached: 28.94 }, 'window-shrunk', '30 days requested, 28.9 received'],
  [{ daysReached: 29 }],
  [{ daysReached: undefined }],
  [
    { received: 9, expected: 20 },
    'answer-small',
    '9 batches, though at least 20 known ones were expected',
  ],
  [{ duplicates: 2 }, 'duplicate-batch', '2 records share their BatchId with another'],
])('a response with %j has the finding %s %s', (change, code, detail) => {
  const expected = code === undefined ? [] : [{ code, field: null, detail }];
  expect(answerDrift({ ...facts, ...change })).toEqual(expected);
});

test('quarantined records are counted by kind and field, without their position or value', () => {
  const paths = ['[0].Title', '[7].Title', '[9]'];
  const quarantined = paths.map((path) => ({ code: 'contract-x', path, message: '' }));
  expect(quarantineDrift(quarantined)).toEqual([
    { code: 'quarantined', field: 'Title', detail: '2 records: contract-x' },
    { code: 'quarantined', field: 'record', detail: '1 record: contract-x' },
  ]);
});

test('a type that changed is reported with its former types, and only with a history', () => {
  const typesOf = (CustomerRating: unknown) =>
    typesIn([batchRecord({ BatchId: 1, CustomerRating })]);
  const [five, text] = [typesOf(5), typesOf('five')];
  expect(fieldDrift(five, new Map())).toEqual([]);
  expect(fieldDrift(text, five)).toEqual([
    { code: 'type-first', field: 'CustomerRating', detail: 'string, formerly integer' },
  ]);
  expect(fieldDrift(new Map(), five)).toEqual([]);
});

test.each([
  ['Title', 'Title'],
  ['a.b$c-1', 'a.b$c-1'],
  ['x'.repeat(64), 'x'.repeat(64)],
  ['x'.repeat(65), '(a name that is not plain)'],
  ['<b>', '(a name that is not plain)'],
  ['m447700900123', '(a name that is not plain)'],
  ['a b', '(a name that is not plain)'],
  ['', '(a name that is not plain)'],
])('a field %j is reported as %s', (name, plain) => expect(plainName(name)).toBe(plain));
