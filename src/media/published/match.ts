import { checkedAtEarliest, type Source } from '../plan.ts';
import type { Content } from '../recipes.ts';
import { hashedItem, hashedKey } from './groups.ts';
import type { ListRow, PublishedList } from './list-file.ts';

/** The service's clock, which made the dates, may be ahead of the builder's by this much. */
const CLOCKS_DIFFER = 3_600_000;

/** A source, and what the published list says of it. */
export interface Found {
  source: Source;
  row: ListRow;
  content: Content;
  /** Its groups were made by the recipes of today. */
  usable: readonly boolean[];
  /** What it is to be known by; see {@link formerKey}. */
  key: string;
  vehicleDate: string;
  checkedAt: number;
}

/**
 * When a list was made at the earliest: it knows of what was updated then. So a list needs no clock
 * of its own, and is the same whenever it is made.
 */
function madeAt({ vehicles }: PublishedList, now: number): number | undefined {
  let latest: number | undefined;
  for (const [date] of vehicles) {
    const time = Date.parse(date) - CLOCKS_DIFFER;
    // What lies in the future says nothing.
    if (time <= now && (latest === undefined || time > latest)) latest = time;
  }
  return latest;
}

/** A name for a picture that is known by its item alone, as `StandIns` looks for it. */
const formerKey = (key: string): string => `${key.slice(0, key.indexOf(' '))} published`;

/** What a list says of the sources that it knows, under their own address or a former one. */
export function* matches(
  list: PublishedList,
  tags: readonly string[],
  sources: readonly Source[],
  { revalidateAfter, now }: { revalidateAfter: number; now: number },
): Iterable<Found> {
  const byKey = new Map<string, [ListRow, string]>();
  const byItem = new Map<string, [ListRow, string]>();
  for (const [date, rows] of list.vehicles) {
    for (const row of rows) {
      byItem.set(row[0], [row, date]);
      byKey.set(row[1], [row, date]);
    }
  }
  const usable = list.groups.map((tag, place) => tag === tags[place]);
  const time = list.revalidateAfter === revalidateAfter ? madeAt(list, now) : undefined;
  for (const source of sources) {
    const exact = byKey.get(hashedKey(source.key));
    const found = exact ?? byItem.get(hashedItem(source.key));
    if (!found) continue;
    const [row, vehicleDate] = found;
    const [, , hash, width, height, , , , , stale] = row;
    const known = time !== undefined && !stale;
    yield {
      source,
      row,
      content: { hash, width, height },
      usable,
      key: exact ? source.key : formerKey(source.key),
      vehicleDate,
      checkedAt: known ? checkedAtEarliest(source.key, time, revalidateAfter) : 0,
    };
  }
}
