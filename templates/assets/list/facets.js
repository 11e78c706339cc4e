import { plain } from './match.js';

const STEPS = [1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000];

/** Gives all rows with a price the text of its range, of about five round ones. Texts from the lowest. */
function priceTexts(rows, lang) {
  const priced = rows.filter(({ price }) => price > 0);
  const currency = priced[0]?.currency;
  if (!currency || priced.some((row) => row.currency !== currency)) return [];
  const prices = priced.map(({ price }) => price);
  const all = Math.max(...prices) - Math.min(...prices);
  const step = STEPS.find((one) => all / one <= 6) ?? STEPS.at(-1);
  const money = new Intl.NumberFormat(lang, {
    style: 'currency',
    currency,
    maximumFractionDigits: 0,
  });
  const place = (price) => Math.floor(price / step);
  const places = [...new Set(prices.map(place))].sort((a, b) => a - b);
  const texts = new Map(places.map((at) => [at, money.formatRange(at * step, (at + 1) * step)]));
  for (const row of priced) row.facets.price = texts.get(place(row.price));
  return texts.values();
}

/**
 * What a list can be filtered by: `values` of each facet that has two or more, of which `chosen` are
 * wanted. A value's key is its text as people compare it.
 */
export function facetsOf(rows, names, { lang, video }) {
  const prices = priceTexts(rows, lang);
  for (const row of rows) row.facets.video = row.videos ? video : '';
  const order = new Intl.Collator(lang, { numeric: true }).compare;
  return Object.entries(names).flatMap(([name, label]) => {
    const texts = name === 'price' ? prices : new Set(rows.map(({ facets }) => facets[name]));
    const values = new Map();
    for (const text of texts) if (text && !values.has(plain(text))) values.set(plain(text), text);
    const isOne = name === 'video' && values.size === 1 && rows.some(({ videos }) => !videos);
    if (values.size < 2 && !isOne) return [];
    const all = [...values];
    if (name !== 'price') all.sort(([, a], [, b]) => (name === 'year' ? order(b, a) : order(a, b)));
    return { name, label, values: new Map(all), chosen: new Set() };
  });
}

const keyOf = (row, { name }) => plain(row.facets[name] ?? '');

/** Facets of which a row has none of the chosen values. */
const missedBy = (row, facets) =>
  facets.filter((facet) => facet.chosen.size > 0 && !facet.chosen.has(keyOf(row, facet)));

/** Rows with a chosen value of every facet. */
export const filterRows = (rows, facets) =>
  rows.filter((row) => missedBy(row, facets).length === 0);

/** How many rows each value of each facet would have. */
export function countRows(rows, facets) {
  const counts = new Map(facets.map((facet) => [facet, new Map()]));
  for (const row of rows) {
    const [missed, another] = missedBy(row, facets);
    if (another) continue;
    // Other values of the one facet that it misses would add it.
    for (const facet of missed ? [missed] : facets) {
      const [count, key] = [counts.get(facet), keyOf(row, facet)];
      count.set(key, (count.get(key) ?? 0) + 1);
    }
  }
  return counts;
}
