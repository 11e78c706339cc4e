/** A seeded source of numbers. The same parts give the same sequence on every machine. */
export type Random = ReturnType<typeof randomOf>;

/** FNV-1a over UTF-16 units, mixed so that similar texts give very different numbers. 32 bits. */
export function hash32(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  }
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/**
 * A generator named by its parts (mulberry32). Each vehicle has a separate generator, so its data stays the
 * same if other vehicles are added before it.
 */
export function randomOf(...parts: readonly (string | number)[]) {
  let state = hash32(parts.join('\u0000'));
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  return {
    /** A number in [0, 1). */
    next,
    /** A whole number from `low` to `high`, both included. */
    int: (low: number, high: number) => low + Math.floor(next() * (high - low + 1)),
    between: (low: number, high: number) => low + next() * (high - low),
    chance: (probability: number) => next() < probability,
    /** One element of a list that is not empty. */
    pick: <T>(list: readonly T[]) => list[Math.floor(next() * list.length)] as T,
  };
}
