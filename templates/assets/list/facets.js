import { plain } from './match.js';

const STEPS = [1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000];

/** Ranges of about five round steps that hold all prices: `[from, to]`. */
function ranges(prices) {
  const [low, high] = [Math.min(...prices), Math.max(...prices)];
  const step = STEPS.find((one) => (high - low) / one <= 6) ?? STEPS.at(-1);
  const found = [];
  for (let from = Math.floor(low / step) * step; from <= high; from += step) {
    if (prices.some((price) => price >= from && price < from + step))
      found.push([from, from + step]);
  }
  return found;
}

/**
 * What a list can be filtered by: `values` of each facet that has two or more, of which `chosen` are
 * wanted. A value's key is its text as people compare it.
 */
export function facetsOf(rows, names, { lang, video }) {
  const currency = rows.find((row) => row.currency)?.currency;
  const priced = rows.filter(({ price }) => price > 0);
  if (priced.length > 1 && priced.every((row) => row.currency === currency)) {
    const money = new Intl.NumberFormat(lang, {
      style: 'currency',
      currency,
      maximumFractionDigits: 0,
    });
    for (const [from, to] of ranges(priced.map(({ price }) => price))) {
      for (const row of priced) {
        if (row.price >= from && row.price < to) row.facets.price = money.formatRange(from, to);
      }
    }
  }
  for (const row of rows) if (row.videos) row.facets.video = video;
  const order = new Intl.Collator(lang, { numeric: true }).compare;
  return Object.entries(names).flatMap(([name, label]) => {
    const values = new Map();
    const sorted = name === 'price' ? rows.toSorted((a, b) => a.price - b.price) : rows;
    for (const { facets } of sorted) {
      const text = facets[name];
      if (text) values.set(plain(text), values.get(plain(text)) ?? text);
    }
    const isOne = name === 'video' && values.size === 1 && rows.some(({ videos }) => !videos);
    if (values.size < 2 && !isOne) return [];
    const all = [...values];
    if (name !== 'price') all.sort(([, a], [, b]) => (name === 'year' ? order(b, a) : order(a, b)));
    return { name, label, values: new Map(all), chosen: new Set() };
  });
}

/** Rows with a chosen value of every facet, and how many rows each value would have. */
export function filterRows(rows, facets) {
  const counts = new Map(facets.map((facet) => [facet, new Map()]));
  const found = rows.filter((row) => {
    const keys = facets.map(({ name }) => plain(row.facets[name] ?? ''));
    const missed = facets.filter(({ chosen }, at) => chosen.size > 0 && !chosen.has(keys[at]));
    facets.forEach((facet, at) => {
      // Other values of the facet that it misses would add it.
      if (missed.length > 1 || (missed.length === 1 && missed[0] !== facet)) return;
      const count = counts.get(facet);
      count.set(keys[at], (count.get(keys[at]) ?? 0) + 1);
    });
    return missed.length === 0;
  });
  return { found, counts };
}
