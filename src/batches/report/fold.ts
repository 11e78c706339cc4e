/** Sent and watched batches of one sender or kind of product. */
export interface Group {
  label: string;
  sent: number;
  watched: number;
}

/** A rate of fewer says more about chance, and perhaps about one customer, than about the group. */
export const SMALLEST_GROUP = 10;
const MOST_GROUPS = 12;

/**
 * The largest groups first; those that are too small, and those after the twelfth, become one. The
 * remainder is left out if even together it is too small.
 */
export function fold(groups: readonly Group[]): Group[] {
  const ordered = [...groups].sort(
    (a, b) => b.sent - a.sent || (a.label < b.label ? -1 : a.label > b.label ? 1 : 0),
  );
  const shown = ordered.filter(({ sent }) => sent >= SMALLEST_GROUP).slice(0, MOST_GROUPS);
  const rest = ordered.filter((group) => !shown.includes(group));
  const sent = rest.reduce((sum, group) => sum + group.sent, 0);
  const watched = rest.reduce((sum, group) => sum + group.watched, 0);
  if (sent < SMALLEST_GROUP) return shown;
  return [...shown, { label: `All others (${rest.length})`, sent, watched }];
}
