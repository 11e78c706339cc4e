import { expect, it } from 'vitest';
import { Fallbacks } from '../../../src/images/fallbacks.ts';
import { KnownPictures } from '../../../src/record/known-pictures.ts';

const MOVED = '7/1 moved______';

/** Pictures of media item 1 at two earlier URLs, in the order of the arguments. */
function latestOf(...rows: readonly (readonly [url: string, date: string])[]): string | undefined {
  const known = new KnownPictures();
  for (const [url, vehicleDate] of rows) {
    known.sources.set(`7/1 ${url}`, { validator: '', vehicleDate, hash: url });
  }
  return new Fallbacks(known, { has: () => true }).formerOf(MOVED);
}

it.each([
  [['first', '2026-03-01'], ['later', '2026-03-02'], '7/1 later'],
  [['later', '2026-03-02'], ['first', '2026-03-01'], '7/1 later'],
  [['a', '2026-03-01'], ['b', '2026-03-01'], '7/1 b'],
  [['b', '2026-03-01'], ['a', '2026-03-01'], '7/1 b'],
] as const)(
  'a moved picture falls back to the latest one of its item: %j, %j',
  (one, other, key) => {
    expect(latestOf(one, other)).toBe(key);
  },
);
