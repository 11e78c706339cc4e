import { expect, it } from 'vitest';
import { sharedFirstNight } from '../support/later-night.ts';
import { ROWS } from '../support/outcome-rows.ts';
import { liveAlone } from '../support/outcomes.ts';

/** Results of nights on an empty disk while the published site is unreachable. */

const first = await sharedFirstNight();

/** One row for each result on this disk. */
const DISTINCT = new Map(ROWS.toReversed().map((row) => [JSON.stringify(row.alone), row]));

it.each([...DISTINCT.values()])('$name → exit $alone.exitCode', (row) => liveAlone(first, row));

it.each([503, 403])('with --first, a dealer without a response is left out: %i', async (status) => {
  await using later = await first.later();
  later.service.faults.set({ route: 'media', dealerId: 7001, status });
  const { exitCode, report } = await later.night('alone', 24, { first: true, strict: true });
  expect(exitCode).toBe(8);
  expect(report.dealers.map(({ state }) => state)).toEqual(['left-out', 'fresh']);
  expect(report.attention).toMatchObject([{ dealer: 7001, code: 'stock-left-out' }]);
});
