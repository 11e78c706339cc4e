import { expect, it } from 'vitest';
import { conditionOf, toValidator } from '../../../src/download/validator.ts';

const TIME = 'Tue, 03 Mar 2026 02:00:00 GMT';

it.each([
  ['by its ETag', '"a"', undefined, { 'if-none-match': '"a"' }],
  ['by its ETag, not the time', '"a"', TIME, { 'if-none-match': '"a"' }],
  ['by its time', undefined, TIME, { 'if-modified-since': TIME }],
  ['by its time, without words as ETag', '', TIME, { 'if-modified-since': TIME }],
  ['not at all', undefined, undefined, {}],
  ['not by an ETag that looks like a time', '@a', TIME, {}],
  ['by an ETag that ends like one begins', 'a@', undefined, { 'if-none-match': 'a@' }],
  ['not by a text that no header takes', '"ä"', undefined, {}],
  ['not by a value that begins after a line break', 'a\n', undefined, {}],
  ['not by a value that ends before a line break', '\na', undefined, {}],
  ['not by a time with a line', undefined, `${TIME}\n`, {}],
  ['not by a long one', 'x'.repeat(513), undefined, {}],
  ['by the longest', 'x'.repeat(512), undefined, { 'if-none-match': 'x'.repeat(512) }],
])('the next request for a file is conditional %s', (_, etag, lastModified, headers) => {
  expect(conditionOf(toValidator(etag, lastModified))).toEqual(headers);
});
