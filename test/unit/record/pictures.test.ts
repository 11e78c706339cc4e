import { describe, expect, it } from 'vitest';
import {
  colourSchema,
  contentRowSchema,
  fingerprintSchema,
  fromValidator,
  hashSchema,
  sourceRowSchema,
  toValidator,
} from '../../../src/record/pictures.ts';

const TIME = 'Tue, 03 Mar 2026 02:00:00 GMT';
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

describe('the next request for a picture', () => {
  it.each([
    ['by its ETag', { etag: '"a"' }, '"a"', { etag: '"a"' }],
    ['by its ETag, not the time', { etag: '"a"', lastModified: TIME }, '"a"', { etag: '"a"' }],
    ['by its time', { lastModified: TIME }, `@${TIME}`, { lastModified: TIME }],
    [
      'by its time, without words as ETag',
      { etag: '', lastModified: TIME },
      `@${TIME}`,
      {
        lastModified: TIME,
      },
    ],
    ['not at all', {}, '', {}],
    ['not by an ETag that looks like a time', { etag: '@a', lastModified: TIME }, '', {}],
    ['by an ETag that ends like one begins', { etag: 'a@' }, 'a@', { etag: 'a@' }],
    ['not by a text that no header takes', { etag: '"ä"' }, '', {}],
    ['not by a value that begins after a line break', { etag: 'a\n' }, '', {}],
    ['not by a value that ends before a line break', { etag: '\na' }, '', {}],
    ['not by a time with a line', { lastModified: `${TIME}\n` }, '', {}],
    ['not by a long one', { etag: 'x'.repeat(513) }, '', {}],
    ['by the longest', { etag: 'x'.repeat(512) }, 'x'.repeat(512), { etag: 'x'.repeat(512) }],
  ])('is %s', (_, known, text, again) => {
    expect(toValidator(known)).toBe(text);
    const none = { etag: undefined, lastModified: undefined };
    expect(fromValidator(text)).toEqual({ ...none, ...again });
  });
});

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
