/** Weight of a dealer in a plan. */
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

interface Shard {
  number: number;
  weight: number;
  of: Weight[];
}

/**
 * How much heavier than in a new plan the heaviest shard may be before dealers move. A dealer that
 * moves costs all its pictures once, since the cache of its new shard knows none of them.
 */
const TOLERANCE = 1.25;

// A dealer costs its requests and lists, too, so that empty ones are spread as well.
const weightOf = ({ pictures, vehicles }: Weight) => pictures + vehicles + 1;

const heaviest = (shards: readonly Shard[]): Shard =>
  shards.reduce((most, shard) => (shard.weight > most.weight ? shard : most));

const lightest = (shards: readonly Shard[]): Shard =>
  shards.reduce((least, shard) => (shard.weight < least.weight ? shard : least));

function give(shard: Shard, one: Weight): void {
  shard.of.push(one);
  shard.weight += weightOf(one);
}

const empty = (count: number): Shard[] =>
  Array.from({ length: count }, (_, index) => ({ number: index + 1, weight: 0, of: [] }));

/** The largest first, each to the shard that is lightest so far. */
function dealOut(shards: readonly Shard[], weights: readonly Weight[]): void {
  for (const one of weights.toSorted((a, b) => weightOf(b) - weightOf(a) || a.id - b.id)) {
    give(lightest(shards), one);
  }
}

/** Moves dealers from the heaviest shard to the lightest, until it is light enough or none fits. */
function even(shards: readonly Shard[], limit: number): void {
  for (let from = heaviest(shards); from.weight > limit; from = heaviest(shards)) {
    const to = lightest(shards);
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
 * Deals dealers out to so many shards, the largest first and each to the shard that is lightest so
 * far; such a shard is at most a third heavier than the best possible (Graham, 1969).
 *
 * With a former plan of as many shards, in their order, dealers stay where they were, because there lie their
 * thumbnails and last good answers; new ones go to the lightest shards, and only as many move as
 * keep the shards about equal.
 *
 * @returns the heaviest shard first, because CI starts jobs in this order.
 */
export function balance(
  weights: readonly Weight[],
  count: number,
  former: readonly Pick<PlannedShard, 'dealers'>[] = [],
): PlannedShard[] {
  const fresh = empty(count);
  dealOut(fresh, weights);
  let shards = fresh
    .sort((a, b) => b.weight - a.weight)
    .map((shard, index) => ({ ...shard, number: index + 1 }));
  if (former.length === count) {
    const numbers = new Map(
      former.flatMap(({ dealers }, index) => dealers.split(',').map((id) => [id, index] as const)),
    );
    const kept = empty(count);
    const added: Weight[] = [];
    for (const one of weights) {
      const shard = kept[numbers.get(String(one.id)) ?? -1];
      if (shard) give(shard, one);
      else added.push(one);
    }
    dealOut(kept, added);
    even(kept, heaviest(shards).weight * TOLERANCE);
    shards = kept.sort((a, b) => b.weight - a.weight);
  }
  return shards.map(({ number, of }) => ({
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
