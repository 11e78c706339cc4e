/** Steps from one word to another: a letter more, less, another, or two swapped. */
function distance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  for (let i = 1; i <= a.length; i++) {
    const [last = [], beforeLast] = [rows[i - 1], rows[i - 2]];
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      const swapped = beforeLast && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row[j] = Math.min(
        (last[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (last[j - 1] ?? 0) + (same ? 0 : 1),
        swapped ? (beforeLast[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    rows.push(row);
  }
  return rows[a.length]?.[b.length] ?? 0;
}

/** Shorter names are part of too many other words. */
const SHORTEST_PART = 4;

/**
 * The known word that a mistyped one most likely means: a word that it begins, a word few steps
 * away, or the longest word that it contains. Undefined if none is near.
 */
export function closest(word: string, known: readonly string[]): string | undefined {
  const begun = known.filter((one) => word.length > 1 && one.startsWith(word));
  if (begun.length === 1) return begun[0];
  const [nearest] = known
    .map((one) => ({ one, steps: distance(word.toLowerCase(), one.toLowerCase()) }))
    .filter(
      ({ one, steps }) => steps <= Math.max(1, Math.floor(Math.min(one.length, word.length) / 3)),
    )
    .sort((a, b) => a.steps - b.steps);
  if (nearest) return nearest.one;
  const [part] = known
    .filter((one) => one.length >= SHORTEST_PART && word.toLowerCase().includes(one.toLowerCase()))
    .sort((a, b) => b.length - a.length);
  return part;
}

/** The suggestion for a mistyped word, as a sentence after a message: ` Did you mean card.njk?`. Empty without one. */
export function didYouMean(word: string, known: readonly string[]): string {
  const meant = closest(word, known);
  return meant === undefined ? '' : ` Did you mean ${meant}?`;
}
