import { plain } from './match.js';

/** Maximum steps in a range. */
const STEPS = 12;
const ROUND = [100, 250, 500, 1e3, 2500, 5e3, 1e4, 25e3, 5e4, 1e5, 25e4, 5e5];

/** Round amounts from the lowest to the highest, or all years. */
function stepsOf(amounts, fact) {
  const low = Math.min(...amounts);
  const high = Math.max(...amounts);
  const step = fact === 'year' ? 1 : ROUND.find((candidate) => (high - low) / candidate < STEPS);
  const steps = [];
  if (low === high || !step) return steps;
  for (let at = Math.floor(low / step) || 1; (at - 1) * step < high; at++) steps.push(at * step);
  return steps;
}

/** The facets of an amount: lower and upper limit, or only the upper limit. */
function boundsOf(rows, fact, label, { lang, words }) {
  const measure = { price: 'currency', mileage: 'unit' }[fact];
  const rowsWithAmount = rows.filter((row) => row.of(fact) > 0);
  const [unit, another] = new Set(rowsWithAmount.map((row) => measure && row.of(measure)));
  // Amounts of several currencies or units cannot be compared.
  if (another !== undefined) return [];
  const styles = {
    price: { style: 'currency', currency: unit || 'EUR', maximumFractionDigits: 0 },
    mileage: { style: 'unit', unit: unit === 'mi' ? 'mile' : 'kilometer', unitDisplay: 'long' },
    year: { useGrouping: false },
  };
  const { format } = new Intl.NumberFormat(lang, styles[fact]);
  const steps = stepsOf(new Set(rowsWithAmount.map((row) => row.of(fact))), fact);
  if (!steps.length) return [];
  return (fact === 'mileage' ? ['to'] : ['from', 'to']).map((end) => {
    const textOf = (step) => words[end].replace('{value}', format(step));
    return {
      name: `${fact}-${end}`,
      label,
      any: words[end].replace('{value}', '…'),
      textOf,
      values: new Map(steps.map((step) => [`${step}`, textOf(step)])),
      chosen: new Set(),
      of: (row) => row.of(fact),
      has: (amount, key) => amount > 0 && (end === 'to' ? amount <= key : amount >= key),
    };
  });
}

/**
 * The filters of a list: the `values` of each facet with at least two, and the `chosen` ones. The key of a standard
 * value is its standard key. The key of another value is its comparable text.
 *
 * @param labels of the facets, by name.
 */
export function facetsOf({ rows, names }, labels, { lang, words }) {
  const order = new Intl.Collator(lang, { numeric: true }).compare;
  return Object.entries(labels).flatMap(([name, label]) => {
    if (['price', 'mileage', 'year'].includes(name)) {
      return boundsOf(rows, name, label, { lang, words });
    }
    const values = new Map();
    const keys = new Map();
    for (const text of new Set(rows.map((row) => row.of(name)))) {
      const key = plain(text);
      keys.set(text, key);
      if (!text || values.has(key)) continue;
      values.set(key, name === 'video' ? words.video : (names[name]?.[text]?.[0] ?? text));
    }
    // Only one value of videos has a name.
    if ((name === 'video' ? keys : values).size < 2) return [];
    return {
      name,
      label,
      values: new Map([...values].sort(([, a], [, b]) => order(a, b))),
      chosen: new Set(),
      of: (row) => keys.get(row.of(name)),
      has: (value, key) => value === key,
    };
  });
}

/** Removes a chosen value. Without a make, the chosen models would leave only a part of another make. */
export function unchoose({ name, chosen }, key, facets) {
  chosen.delete(key);
  if (name === 'make' && !chosen.size) {
    facets.find((other) => other.name === 'model')?.chosen.clear();
  }
}

/** Facets with chosen values that a row does not have. */
const missedBy = (row, facets) =>
  facets.filter(
    ({ chosen, of, has }) => chosen.size > 0 && ![...chosen].some((key) => has(of(row), key)),
  );

/** Rows with a chosen value of every facet. */
export const filterRows = (rows, facets) =>
  rows.filter((row) => missedBy(row, facets).length === 0);

/** A function that returns the number of rows for a value of a facet. */
export function countRows(rows, facets) {
  // By the values of the rows, which are read once.
  const totals = new Map(facets.map((facet) => [facet, new Map()]));
  for (const row of rows) {
    const [missed, another] = missedBy(row, facets);
    if (another) continue;
    // If a row misses only one facet, other values of this facet would add the row.
    for (const facet of missed ? [missed] : facets) {
      const total = totals.get(facet);
      const value = facet.of(row);
      total.set(value, (total.get(value) ?? 0) + 1);
    }
  }
  return (facet, key) =>
    facet.any
      ? [...totals.get(facet)].reduce((sum, [value, n]) => sum + (facet.has(value, key) && n), 0)
      : (totals.get(facet).get(key) ?? 0);
}
