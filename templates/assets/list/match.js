/* Matches typed texts with rows. */
import { keeps, readQuery } from './query.js';

// Letters that Unicode does not decompose. Upper case already converts ß to SS.
const LETTERS = { Æ: 'AE', Œ: 'OE', Ø: 'O', Ł: 'L', Đ: 'D', Ð: 'D', Þ: 'TH' };

/** Caches the results of a function of one text, because most texts of a list repeat. */
const once =
  (work, results = new Map()) =>
  (text) => {
    if (!results.has(text)) results.set(text, work(text));
    return results.get(text);
  };

const withoutMarks = once((text) =>
  text
    .normalize('NFKD')
    .toUpperCase()
    .replace(/[ÆŒØŁĐÐÞ]/g, (letter) => LETTERS[letter])
    .replace(/[^\p{L}\p{N}]/gu, ''),
);
/** A text without accents, case, spaces and punctuation. For most plates, the first step is enough. */
export const plain = (text) => {
  const bare = text.replaceAll(' ', '');
  return /^[A-Z0-9]*$/.test(bare) ? bare : withoutMarks(text);
};

/** With umlauts spelt out. Other visitors type them without dots, so both are found. */
const speltOut = (text) => text.normalize('NFC').replace(/[äöüÄÖÜ]/g, (umlaut) => `${umlaut}e`);
export const bothWays = once((text) => {
  const spelt = speltOut(text);
  return spelt === text ? plain(text) : `${plain(text)} ${plain(spelt)}`;
});

/** Unifies characters that look alike on plates. */
export const alike = (text) => plain(text).replaceAll('O', '0').replaceAll('I', '1');

/** Short names of makes that their full names do not contain, both ways. */
const NICKNAMES = { VW: 'VOLKSWAGEN', VOLKSWAGEN: 'VW' };

/** The possible spellings of a word in a row. */
const formsOf = (word) => [
  plain(word),
  NICKNAMES[plain(word)] ?? plain(speltOut(word)),
  alike(word),
];

const has = (row, [word, other, onPlate]) =>
  row.includes(word) ||
  row.includes(other) ||
  row.plateText.includes(onPlate) ||
  // Parts of stock numbers are in names of models, such as "320".
  row.of('stock') === onPlate ||
  row.of('year') === Number(word);

/** Whether one letter was replaced, removed, added or swapped with the next. */
export function isOneLetterOff(a, b) {
  if (Math.abs(a.length - b.length) > 1) return false;
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  const endA = a.slice(at);
  const endB = b.slice(at);
  return (
    endA.slice(1) === endB.slice(1) ||
    endA === endB.slice(1) ||
    endA.slice(1) === endB ||
    (endA[0] === endB[1] && endA[1] === endB[0] && endA.slice(2) === endB.slice(2))
  );
}

/** Maximum words of a standard value, such as "plug in hybrid". */
const LONGEST = 3;

/**
 * Removes the names of standard values from `words`. So "red" finds red vehicles, but not a model with these
 * letters. A row without the fact is matched by its other texts.
 */
function takeValues(words, known) {
  const tests = [];
  for (let at = 0; at < words.length; at++) {
    for (let length = LONGEST; length > 0; length--) {
      const phrase = words.slice(at, at + length);
      const named = phrase.length === length && known.get(plain(phrase.join('')));
      if (!named) continue;
      words.splice(at--, length);
      const forms = phrase.map(formsOf);
      tests.push((row) =>
        named.some(([fact, key]) =>
          row.of(fact) ? row.of(fact) === key : forms.every((form) => has(row, form)),
        ),
      );
      break;
    }
  }
  return tests;
}

/**
 * Rows that match a text: its limits, its standard values, and the remaining text as a whole or all its words. If
 * there is none, words of at least four letters are replaced by known words that differ in one letter, and other
 * words that no row has are left out, such as "for sale". `shown` is then the changed text.
 *
 * @param known standard values, by spelling.
 * @param language words before amounts in the language of the page.
 */
export function search(all, typed, { known, language }) {
  const { rest, bounds } = readQuery(typed, language);
  // A plate can look like an amount: "M-AB 1234" contains the German words for "from 1234".
  const onPlate = alike(typed);
  const named = bounds.length ? all.filter((row) => row.plateText === onPlate) : [];
  if (named.length) return { found: named };
  for (const bound of bounds) {
    const isUsed = all.some((row) => row.of('priceTexts').includes(bound.currency));
    if (!isUsed) bound.currency = '';
  }
  const words = rest.split(/\s+/).filter(plain);
  const tests = takeValues(words, known);
  const rows =
    bounds.length || tests.length
      ? all.filter(
          (row) => bounds.every((one) => keeps(row, one)) && tests.every((test) => test(row)),
        )
      : all;
  if (!words.length) return { found: rows };
  const joined = formsOf(words.join(''));
  const find = (searchWords) => {
    const forms = searchWords.map(formsOf);
    return rows.filter((row) => has(row, joined) || forms.every((form) => has(row, form)));
  };
  const found = find(words);
  if (found.length) return { found };
  const used = new Set(rows.flatMap(({ names }) => names.join(' ').split(/\s+/)));
  // "Mercedes-Benz" is usually searched for by its first part.
  const spelt = [...used].flatMap((word) => [word, ...word.split('-')]);
  const corrected = words.map((word) => {
    const text = plain(word);
    const isOf = (row) => has(row, formsOf(word));
    if (rows.some(isOf)) return word;
    const near = spelt.find((part) => plain(part)[2] && isOneLetterOff(text, plain(part)));
    if (near && text.length > 3) return near;
    return all.some(isOf) ? word : '';
  });
  const kept = corrected.filter(Boolean);
  // A number on its own is in many plates.
  if (rows === all && !kept.some((word) => plain(word).length > 2)) return { found };
  const similar = find(kept);
  const shown = words.reduce((text, word, at) => text.replace(word, corrected[at]), typed);
  return { found: similar, shown: similar.length ? shown.replace(/\s+/g, ' ').trim() : undefined };
}
