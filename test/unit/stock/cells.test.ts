import { expect, test } from 'vitest';
import { LANGUAGES } from '../../../src/site/i18n/index.ts';
import { plainText, readYearMonth } from '../../../src/stock/cells.ts';

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

test('reads months by their names in all languages of the site, as spreadsheets and people write them', () => {
  for (const locale of ['en-GB', ...Object.keys(LANGUAGES)]) {
    for (let month = 1; month <= 12; month++) {
      const date = new Date(Date.UTC(2021, month - 1, 5));
      for (const style of ['long', 'short'] as const) {
        const parts = new Intl.DateTimeFormat(locale, {
          day: 'numeric',
          month: style,
          year: 'numeric',
          timeZone: 'UTC',
        }).formatToParts(date);
        const name = parts.find(({ type }) => type === 'month')?.value ?? '';
        for (const text of [`05-${name}-2021`, `5. ${name} 2021`, `${name} 21`, `${name}-21`]) {
          expect([text, readYearMonth(text, locale)]).toEqual([text, { year: 2021, month }]);
        }
      }
    }
  }
});

test.each([
  ['Mrz 21', 3],
  ['March 5, 2021', 3],
  ['05-MAY-2021 12:00:00 AM', 5],
])('reads the month of %s in an American list', (text, month) => {
  expect(readYearMonth(text, 'en-US')).toEqual({ year: 2021, month });
});

test.each(['2021 (71 reg)', '2021 (21)', '2021.0'])('reads the year of %s', (text) => {
  expect(readYearMonth(text, 'en-GB')).toEqual({ year: 2021 });
});

test.each(['21-Mar', 'soon 2021', 'Mar', '5 Mar'])('does not take %s for a month', (text) => {
  expect(readYearMonth(text, 'en-GB')).toBeUndefined();
});
