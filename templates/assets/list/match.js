/* What people type, and what it finds. */
import { keeps, readQuery } from './query.js';

// Letters that Unicode takes for letters of their own; upper case makes ß to SS by itself.
const LETTERS = { Æ: 'AE', Œ: 'OE', Ø: 'O', Ł: 'L', Đ: 'D', Ð: 'D', Þ: 'TH' };

/** A function of one text that does its work once for each: most texts of a list stand in it many times. */
const once =
  (work, done = new Map()) =>
  (text) => {
    if (!done.has(text)) done.set(text, work(text));
    return done.get(text);
  };

const withoutMarks = once((text) =>
  text
    .normalize('NFKD')
    .toUpperCase()
    .replace(/[ÆŒØŁĐÐÞ]/g, (letter) => LETTERS[letter])
    .replace(/[^\p{L}\p{N}]/gu, ''),
);
/** What people type for a name: without accents, case, spaces and punctuation. Most plates need no more than the first. */
export const plain = (text) => {
  const bare = text.replaceAll(' ', '');
  return /^[A-Z0-9]*$/.test(bare) ? bare : withoutMarks(text);
};

/** With umlauts spelt out; others write those without their dots, so both are found. */
const speltOut = (text) => text.normalize('NFC').replace(/[äöüÄÖÜ]/g, (umlaut) => `${umlaut}e`);
export const bothWays = once((text) => {
  const spelt = speltOut(text);
  return spelt === text ? plain(text) : `${plain(text)} ${plain(spelt)}`;
});

/** Plates with what looks alike on them. */
export const alike = (text) => plain(text).replaceAll('O', '0').replaceAll('I', '1');

/** A word in the ways in which a row may have it. */
const formsOf = (word) => [plain(word), plain(speltOut(word)), alike(word)];

const has = (row, [word, umlauts, onPlate]) =>
  row.text.includes(word) || row.text.includes(umlauts) || row.plateText.includes(onPlate);

/** Whether one letter is another, missing, more, or has changed places with the next. */
export function isOneLetterOff(a, b) {
  if (Math.abs(a.length - b.length) > 1) return false;
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  const [here, there] = [a.slice(at), b.slice(at)];
  return (
    here.slice(1) === there.slice(1) ||
    here === there.slice(1) ||
    here.slice(1) === there ||
    (here[0] === there[1] && here[1] === there[0] && here.slice(2) === there.slice(2))
  );
}

/** Most words of a standard value, such as "plug in hybrid". */
const LONGEST = 3;

/**
 * Words that name standard values are taken out of `words`: "red" finds red vehicles, and not those of a model
 * with these letters. A row that says nothing of the fact is found by its other texts.
 */
function takeValues(words, known) {
  const tests = [];
  for (let at = 0; at < words.length; at++) {
    for (let length = LONGEST; length > 0; length--) {
      const some = words.slice(at, at + length);
      const named = some.length === length && known.get(plain(some.join('')));
      if (!named) continue;
      words.splice(at--, length);
      const forms = some.map(formsOf);
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
 * Rows that a text finds: within its bounds, with the values that it names, and with all the rest of it in one
 * or with each of its words. Where there is none, words of four letters and more are taken for known ones that
 * differ in one letter: `shown` is the text then.
 *
 * @param known standard values, by spelling.
 * @param language words before amounts in the language of the page.
 */
export function search(all, typed, { known, language }) {
  const { rest, bounds } = readQuery(typed, language);
  const words = rest.split(/\s+/).filter(plain);
  const tests = takeValues(words, known);
  const rows =
    bounds.length || tests.length
      ? all.filter(
          (row) => bounds.every((one) => keeps(row, one)) && tests.every((test) => test(row)),
        )
      : all;
  const joined = formsOf(words.join(''));
  const find = (wanted) => {
    const forms = wanted.map(formsOf);
    return rows.filter((row) => has(row, joined) || forms.every((form) => has(row, form)));
  };
  const found = find(words);
  if (found.length || !words.length) return { found };
  const spelt = new Map();
  for (const { names } of rows) {
    for (const word of names.join(' ').split(/\s+/)) spelt.set(word, plain(word));
  }
  const meant = words.map((word) => {
    const text = plain(word);
    if (text.length < 4) return word;
    const near = [...spelt].find(([, other]) => other.length > 2 && isOneLetterOff(text, other));
    return near && !rows.some((row) => has(row, formsOf(word))) ? near[0] : word;
  });
  const instead = find(meant);
  const shown = words.reduce((text, word, at) => text.replace(word, meant[at]), typed);
  return { found: instead, shown: instead.length ? shown : undefined };
}
