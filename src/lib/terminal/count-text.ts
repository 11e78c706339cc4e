/** A count with its noun: `1 vehicle`, `2 vehicles`. */
export const countText = (count: number, singular: string, plural = `${singular}s`): string =>
  `${count} ${count === 1 ? singular : plural}`;

/** `20,000`. */
export const numberText = (value: number): string => value.toLocaleString('en-GB');

/** The first of some names, and a count of the others: `A, B and 3 more`. */
export const firstOf = (names: readonly string[], limit: number): string =>
  names.length > limit
    ? `${names.slice(0, limit).join(', ')} and ${names.length - limit} more`
    : names.join(', ');
