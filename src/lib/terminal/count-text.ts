/** A count with its noun: `1 vehicle`, `2 vehicles`. */
export const countText = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;

/** The first of some names, and a count of the others: `A, B and 3 more`. */
export const firstOf = (names: readonly string[], most: number): string =>
  names.length > most
    ? `${names.slice(0, most).join(', ')} and ${names.length - most} more`
    : names.join(', ');
