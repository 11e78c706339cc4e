/** A count with its noun: `1 vehicle`, `2 vehicles`. */
export const countText = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;
