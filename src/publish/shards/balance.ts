/** What a dealer weighs in a plan. */
export interface Weight {
  id: number;
  vehicles: number;
  pictures: number;
}

export interface PlannedShard {
  /** For `--shard`. */
  shard: string;
  /** For artifacts and caches, whose names may hold no slash. */
  name: string;
  /** For `--dealers`. */
  dealers: string;
  vehicles: number;
  pictures: number;
}

interface Part {
  number: number;
  weight: number;
  of: Weight[];
}

/**
 * How much heavier than in a new plan the heaviest part may be before dealers move. A dealer that
 * moves costs all its pictures once, since the cache of its new part knows none of them.
 */
const TOLERANCE = 1.25;

// A dealer costs its requests and lists, too, so that empty ones are spread as well.
const weightOf = ({ pictures, vehicles }: Weight) => pictures + vehicles + 1;

const heaviest = (parts: readonly Part[]): Part =>
  parts.reduce((most, part) => (part.weight > most.weight ? part : most));

const lightest = (parts: readonly Part[]): Part =>
  parts.reduce((least, part) => (part.weight < least.weight ? part : least));

function give(part: Part, one: Weight): void {
  part.of.push(one);
  part.weight += weightOf(one);
}

const empty = (count: number): Part[] =>
  Array.from({ length: count }, (_, index) => ({ number: index + 1, weight: 0, of: [] }));

/** The largest first, each to the part that is lightest so far. */
function dealOut(parts: readonly Part[], weights: readonly Weight[]): void {
  for (const one of weights.toSorted((a, b) => weightOf(b) - weightOf(a) || a.id - b.id)) {
    give(lightest(parts), one);
  }
}

/** Moves dealers from the heaviest part to the lightest, until it is light enough or none fits. */
function even(parts: readonly Part[], limit: number): void {
  for (let from = heaviest(parts); from.weight > limit; from = heaviest(parts)) {
    const to = lightest(parts);
    const gap = from.weight - to.weight;
    const off = (one: Weight) => Math.abs(weightOf(one) - gap / 2);
    const [moved] = from.of
      .filter((one) => weightOf(one) < gap)
      .sort((a, b) => off(a) - off(b) || a.id - b.id);
    if (!moved) return;
    from.of = from.of.filter((one) => one !== moved);
    from.weight -= weightOf(moved);
    give(to, moved);
  }
}

/**
 * Deals dealers out to so many parts, the largest first and each to the part that is lightest so
 * far; such a part is at most a third heavier than the best possible (Graham, 1969).
 *
 * With a former plan of as many parts, in their order, dealers stay where they were, because there lie their
 * thumbnails and last good answers; new ones go to the lightest parts, and only as many move as
 * keep the parts about equal.
 *
 * @returns the heaviest part first, because CI starts jobs in this order.
 */
export function balance(
  weights: readonly Weight[],
  count: number,
  former: readonly Pick<PlannedShard, 'dealers'>[] = [],
): PlannedShard[] {
  const fresh = empty(count);
  dealOut(fresh, weights);
  let parts = fresh
    .sort((a, b) => b.weight - a.weight)
    .map((part, index) => ({ ...part, number: index + 1 }));
  if (former.length === count) {
    const numbers = new Map(
      former.flatMap(({ dealers }, index) => dealers.split(',').map((id) => [id, index] as const)),
    );
    const kept = empty(count);
    const added: Weight[] = [];
    for (const one of weights) {
      const part = kept[numbers.get(String(one.id)) ?? -1];
      if (part) give(part, one);
      else added.push(one);
    }
    dealOut(kept, added);
    even(kept, heaviest(parts).weight * TOLERANCE);
    parts = kept.sort((a, b) => b.weight - a.weight);
  }
  return parts.map(({ number, of }) => ({
    shard: `${number}/${count}`,
    name: `part-${number}-of-${count}`,
    dealers: of
      .map(({ id }) => id)
      .sort((a, b) => a - b)
      .join(','),
    vehicles: of.reduce((sum, { vehicles }) => sum + vehicles, 0),
    pictures: of.reduce((sum, { pictures }) => sum + pictures, 0),
  }));
}
