import { describe, expect, it } from 'vitest';
import { decodeText } from '../../../src/stock/decode.ts';

const TEXT = 'plate;make;price\nA1;Škoda;12.995 €\n';
const utf16 = (text: string) => Buffer.from(text, 'utf16le');

describe('a list is decoded as', () => {
  it.each([
    ['UTF-8', Buffer.from(`\ufeff${TEXT}`)],
    // Programs cut long texts within a character.
    ['UTF-8', Buffer.concat([Buffer.from('\xc5', 'latin1'), Buffer.from(TEXT)])],
    ['UTF-8', Buffer.concat([Buffer.from(`\ufeff${TEXT}`), Buffer.from('\xe2\x82', 'latin1')])],
    ['UTF-16LE', utf16(`\ufeff${TEXT}`)],
    ['UTF-16BE', utf16(`\ufeff${TEXT}`).swap16()],
    ['Windows-1252', Buffer.from('\xefplate\n', 'latin1'), 'ïplate\n'],
    ['Windows-1252', Buffer.from('caf\xe9 \xa4 5\x85\n', 'latin1'), 'café ¤ 5…\n'],
    ['ISO-8859-15', Buffer.from('gr\xfcn;12.995 \xa4\n', 'latin1'), 'grün;12.995 €\n'],
    ['ISO-8859-15', Buffer.from('\xa6koda\n', 'latin1'), 'Škoda\n'],
    // Š and € are control characters in Latin-1.
    ['Windows-1252', Buffer.from(TEXT.replace('Š', '\x8a').replace('€', '\x80'), 'latin1')],
  ])('%s', (encoding, bytes, text = TEXT) => {
    expect(decodeText(bytes, 'x.csv')).toEqual({ text, encoding });
  });

  it.each([
    ['pl-PL', 'Windows-1250', 'Bia\xb3y;\xaf\xf3\xb3ty', 'Biały;Żółty'],
    ['tr-TR', 'Windows-1254', 'Sar\xfd', 'Sarı'],
    ['de-DE', 'Windows-1252', 'Gr\xfcn\x85', 'Grün…'],
  ])('the 8-bit encoding of %s: %s', (locale, encoding, bytes, text) => {
    expect(decodeText(Buffer.from(bytes, 'latin1'), 'x.csv', locale)).toEqual({ text, encoding });
  });

  it.each([
    ['a spreadsheet', Buffer.from('PK\x03\x04\x14\0\x06\0', 'latin1')],
    ['UTF-16 without its mark', utf16(TEXT)],
    ['a broken UTF-8 that is marked', Buffer.from('\xef\xbb\xbfplate\nA\x8a', 'latin1')],
    ['half of a UTF-16 character', utf16(`\ufeff${TEXT}`).subarray(0, -1)],
  ])('nothing: %s', (_, bytes) => {
    expect(() => decodeText(bytes, 'x.csv')).toThrow(
      expect.objectContaining({ code: 'stock-file-encoding', exitCode: 2 }),
    );
  });
});
