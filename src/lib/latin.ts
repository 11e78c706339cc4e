/** Letters that Unicode normalisation does not decompose. */
const LETTERS: Readonly<Record<string, string>> = {
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ß: 'ss',
};

/** A text in lower case and without accents. Letters that are not Latin stay. */
export const plainLatin = (text: string): string =>
  text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[æœøłđðþß]/g, (letter) => LETTERS[letter] ?? '');

/** A text with at most 30 combining characters in a row (UAX 15, 13). To normalise a megabyte of them takes an hour. */
export const streamSafe = (text: string): string => text.replace(/(\p{M}{30})\p{M}+/gu, '$1');
