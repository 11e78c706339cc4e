import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJson, canonicalRecord } from '../../../src/batches/model/canonical.ts';
import { columnValues } from '../../../src/batches/store/versions.ts';
import { batchRecord } from '../../support/batch-record.ts';

const reversed = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(reversed)
    : typeof value === 'object' && value !== null
      ? Object.fromEntries(
          Object.entries(value)
            .reverse()
            .map(([key, inner]) => [key, reversed(inner)]),
        )
      : value;

test('the order of keys does not matter, every value does', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue(), (value, other) => {
      const text = canonicalJson(value);
      expect(canonicalJson(reversed(value))).toBe(text);
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      const same =
        JSON.stringify(JSON.parse(canonicalJson(other))) === JSON.stringify(JSON.parse(text));
      expect(canonicalJson(other) === text).toBe(same);
    }),
  );
});

test('a key named __proto__ is data', () => {
  expect(canonicalJson(JSON.parse('{"b":1,"__proto__":{"a":2}}'))).toBe(
    '{"__proto__":{"a":2},"b":1}',
  );
});

test.each([
  ['half of a cut emoji', '😀'.slice(0, 1)],
  ['NUL', '\0'],
])('%s, whose escape DuckDB or PostgreSQL refuse, is U+FFFD', (_, half) => {
  expect(canonicalJson({ [half]: [`Call me ${half}`] })).toBe('{"\ufffd":["Call me \ufffd"]}');
  expect(canonicalJson('😀')).toBe('"😀"');
  const RecipientEmail = `${half}@x.example`;
  const values = columnValues(batchRecord({ BatchId: 1, Title: half, RecipientEmail }));
  expect(values).toEqual(expect.arrayContaining(['\ufffd', '\ufffd@x.example']));
  expect(values).not.toContain(RecipientEmail);
});

test('a time of a field without a documented type is unchanged', () => {
  const CustomerActionDate = '2026-01-05T11:00:00+01:00';
  const record = batchRecord({ BatchId: 1, CustomerActionDate });
  expect(canonicalRecord(record)).toContain(`"CustomerActionDate":"${CustomerActionDate}"`);
});
