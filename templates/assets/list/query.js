/* Amounts that visitors type: "under 15000", "15k", "bis 15.000 €", "up to 60,000 miles", "from 2018", "5-10k". */

/** Words for all languages. The words of the page's language are added. */
const LEAST = 'from, over, above, more than, at least, min';
const MOST = 'under, below, up to, less than, at most, max, to';
const LETTER = String.raw`[\p{L}\p{N}]`;

const oneOf = (list) =>
  list
    .split(',')
    .map((word) => word.trim().replace(/\s+/g, String.raw`\s+`))
    .join('|');

/** Two amounts with a dash or "to" between them, and the unit of both. */
const rangeOf = ({ least, most }) =>
  new RegExp(
    String.raw`(?<!${LETTER}|[-.,])(?:(?:${oneOf(`${least},${LEAST}`)})\.?\s+)?((?:[£€$]\s*)?\d[\d.,]*)\s*(?:k\s*)?(?:[-–]|${oneOf(`${most},to`)})\s*((?:[£€$]\s*)?\d[\d.,]*)(\s*(?:k|tsd|tys|km|mi\w*|mls)(?!${LETTER}))?(?!${LETTER}|-)`,
    'giu',
  );

/** An amount, optionally with a word before it, a currency, `k` or a unit. */
const formOf = ({ least, most }) =>
  new RegExp(
    String.raw`(?<!${LETTER})(?:(?:(?<least>${oneOf(`${least},${LEAST}`)})|(?<most>${oneOf(`${most},${MOST}`)}))\.?\s+)?` +
      String.raw`(?<sign>[£€$]\s*)?(?<number>\d{1,3}(?:[.,'’\s]\d{3})+|\d+(?:[.,]\d+)?)` +
      String.raw`(?<k>\s*(?:k|tsd|tys)\b\.?)?(?:\s*(?<money>[£€$]|(?:eur|euros?|gbp|chf|zł)(?!${LETTER}))|\s*(?<way>km|mi|mls|mil[ele]\w*|meilen|mijl|mil)(?!${LETTER}))?(?!${LETTER})`,
    'giu',
  );

/**
 * Splits a typed text into limits (`bounds`) and the text to search for (`rest`). A number stays text, because it
 * may be part of a name or a plate. With a `k` or a currency it is a maximum price.
 */
export function readQuery(typed, words) {
  const bounds = [];
  // Short numbers are parts of plates.
  const limits = typed.replace(rangeOf(words), (match, from, to, unit = '') =>
    unit || /\d{4}|\d[.,]\d{3}/.test(to) ? ` min ${from}${unit} max ${to}${unit}` : match,
  );
  const rest = limits.replace(formOf(words), (match, ...groups) => {
    const { least, most, sign, number, k, money, way } = groups.at(-1);
    const isGrouped = /^\d{1,3}([.,'’\s]\d{3})+$/.test(number);
    const plain = isGrouped ? number.replace(/\D/g, '') : number.replace(',', '.');
    const value = plain * (k ? 1000 : 1);
    const isBare = !(sign || k || money || way);
    const isYear = isBare && value > 1949 && value < 2101 && (least || value % 500);
    if (isBare && ((!least && !most) || value < 500)) return match;
    bounds.push({
      fact: way ? 'mileage' : isYear ? 'year' : 'price',
      currency: /[£€$]|zł/.exec(match)?.[0],
      least: Boolean(least),
      value,
    });
    return ' ';
  });
  return { rest, bounds };
}

/** Whether a row is within a limit. Rows without the amount, or with another currency, are not. */
export const keeps = (row, { fact, least, value, currency }) =>
  row.of(fact) > 0 &&
  (least ? row.of(fact) >= value : row.of(fact) <= value) &&
  row.of('priceTexts').includes(currency);
