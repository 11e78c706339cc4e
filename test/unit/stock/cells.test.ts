import { expect, test } from 'vitest';
import { plainText } from '../../../src/stock/cells.ts';

test.each([
  ['a<script>b</script>c<STYLE x="1">d</style >e', 'ace'],
  ['a<script>b<script>c</script>d', 'ad'],
  ['<a href="x">1 < 2</a>', '1 < 2'],
])('%s is the text %s', (html, text) => {
  expect(plainText(html)).toBe(text);
});

// A search from each bracket to the end of the cell would take half an hour.
test.each(['<script', '<script></script', '<a', '<br '])(
  'reads a megabyte of %s in seconds',
  (html) => {
    plainText(html.repeat(1_000_000 / html.length));
  },
);
