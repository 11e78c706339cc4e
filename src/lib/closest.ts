/** Number of edits between two words: a letter added, removed, replaced, or two letters swapped. */
function distance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  for (let i = 1; i <= a.length; i++) {
    const [last = [], beforeLast] = [rows[i - 1], rows[i - 2]];
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      const isSwapped = beforeLast && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row[j] = Math.min(
        (last[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (last[j - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (beforeLast[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    rows.push(row);
  }
  return rows[a.length]?.[b.length] ?? 0;
}

/** Shorter names occur in too many other words. */
const SHORTEST_PART = 4;

/**
 * The known word that a mistyped word most likely means: a word that begins with it, a word with few edits, or
 * the longest word in it. Undefined if no word is similar.
 */
export function closest(word: string, known: readonly string[]): string | undefined {
  const longer = known.filter((name) => word.length > 1 && name.startsWith(word));
  if (longer.length === 1) return longer[0];
  const [nearest] = known
    .map((name) => ({ name, steps: distance(word.toLowerCase(), name.toLowerCase()) }))
    .filter(
      ({ name, steps }) => steps <= Math.max(1, Math.floor(Math.min(name.length, word.length) / 3)),
    )
    .sort((a, b) => a.steps - b.steps);
  if (nearest) return nearest.name;
  const [part] = known
    .filter(
      (name) => name.length >= SHORTEST_PART && word.toLowerCase().includes(name.toLowerCase()),
    )
    .sort((a, b) => b.length - a.length);
  return part;
}

/** The suggestion for a mistyped word, as a sentence after a message: ` Did you mean card.njk?`. Empty without one. */
export function didYouMean(word: string, known: readonly string[]): string {
  const suggestion = closest(word, known);
  return suggestion === undefined ? '' : ` Did you mean ${suggestion}?`;
}
