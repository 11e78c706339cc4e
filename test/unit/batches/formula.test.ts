import fc from 'fast-check';
import { expect, test } from 'vitest';
import { neutralise, neutralisePhone } from '../../../src/batches/export/formula.ts';

const FORMULA = /^[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠]/u;
/** Texts built from parts of attacks. */
const parts = [...'=+-@＝ \t\u200b\u00a0;|,"\'1A', '\r\n', 'cmd'];
const hostile = fc
  .array(fc.constantFrom(...parts), { maxLength: 12 })
  .map((chosen) => chosen.join(''));

test('no text starts a formula, even in programs with other separators', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const safe = neutralise(text);
      expect(safe).not.toMatch(FORMULA);
      for (const separator of [';', '|', '\t', /[;|\t\r\n]/]) {
        for (const part of safe.split(separator)) expect(part).not.toMatch(FORMULA);
      }
    }),
    { numRuns: 2000 },
  );
});

test('ordinary text is unchanged', () => {
  for (const text of ['Your video', 'a=b', 'x - y', 'me@example.com', '5+5', "it's; fine", '']) {
    expect(neutralise(text)).toBe(text);
  }
});

test.each([
  ['+447700900123', '+447700900123'],
  ['+44 7700 900123', '+44 7700 900123'],
  ['07700 900123', '07700 900123'],
  ['+44-7700-900123', '+447700900123'],
  ['+44 (0)7700.900/123', '+447700900123'],
  ["+1+cmd|'/C calc'!A0", "'+1+cmd|'/C calc'!A0"],
  ['-447700', "'-447700"],
  ['=447700', "'=447700"],
  [' +447700900123', "' +447700900123"],
])('a phone number %s becomes %s', (text, expected) => {
  expect(neutralisePhone(text)).toBe(expected);
});

test('handles a megabyte of tabs or digits in seconds', () => {
  expect(neutralise('\t'.repeat(1_000_000))).toMatch(/^'\t/);
  expect(neutralisePhone(`+${'1'.repeat(1_000_000)}x`)).toMatch(/^'\+1/);
});
