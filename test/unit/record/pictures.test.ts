import { describe, expect, it } from 'vitest';
import {
  colourSchema,
  contentRowSchema,
  fingerprintSchema,
  hashSchema,
  sourceRowSchema,
} from '../../../src/record/pictures.ts';

const HASH = '0123456789abcdef0123';
const PRINT = `3k-${'aZ09_-'.repeat(5).slice(0, 27)}`;
const source = (key = '1 abcdefghij_', validator = '"etag"', ...more: unknown[]) => [
  key,
  validator,
  '2026-03-01T00:00:00Z',
  HASH,
  ...more,
];
const content = (suffix: string, print = PRINT) => [HASH, 4, 3, '808080', { [suffix]: print }];

describe('a field of a record', () => {
  it.each([
    ['hash', hashSchema, HASH],
    ['colour', colourSchema, '0a1b2c'],
    ['fingerprint', fingerprintSchema, PRINT],
  ])('of a %s has its exact form', (_, schema, text) => {
    const isGood = (one: string) => schema.safeParse(one).success;
    expect(isGood(text)).toBe(true);
    for (const wrong of ['', `${text}0`, `.${text}`, `${text}\n`, text.slice(0, -1)]) {
      expect([wrong, isGood(wrong)]).toEqual([wrong, false]);
    }
  });

  it.each([
    ['a source', source(), true],
    ['a stale one', source('1 abcdefghij_', '', 1), true],
    ['one with a long id', source('1234567890123456 abcdefghij_'), true],
    ['one with a longer id', source('12345678901234567 abcdefghij_'), false],
    ['one without an id', source(' abcdefghij_'), false],
    ['one whose key goes on', source('1 abcdefghij_x'), false],
    ['one whose key begins with more', source('a1 abcdefghij_'), false],
    ['one with a line as validator', source('1 abcdefghij_', 'a\nb'), false],
    ['one whose validator begins with one', source('1 abcdefghij_', '\nb'), false],
    ['stale in another way', source('1 abcdefghij_', '', 2), false],
  ])('of sources is %s: %#', (_, row, isGood) => {
    expect(sourceRowSchema.safeParse(row).success).toBe(isGood);
  });

  it.each([
    ['-320-00aa11.webp', true],
    ['-4-aaaaaa.jpg', true],
    ['-1600-aaaaaa.avif', true],
    ['x-4-aaaaaa.jpg', false],
    ['-4-aaaaaa.jpg.html', false],
    ['-x-aaaaaa.jpg', false],
    ['-4-aaaaaa.png', false],
    ['-4-aaaaa.jpg', false],
    ['-4-gaaaaa.jpg', false],
  ])('of outputs is the end of a name: %s: %s', (suffix, isGood) => {
    expect(contentRowSchema.safeParse(content(suffix)).success).toBe(isGood);
  });
});
