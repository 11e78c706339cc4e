import { expect, it } from 'vitest';
import { sharedFirstNight } from '../support/later-night.ts';
import { ROWS } from '../support/outcome-rows.ts';
import { liveOnKnownDisks } from '../support/outcomes.ts';

const first = await sharedFirstNight();

it.each(ROWS)('$name → exit $exitCode, with any stored state on the disk', (row) =>
  liveOnKnownDisks(first, row),
);

it('needs attention only with --strict', async () => {
  await using later = await first.later();
  later.service.faults.set({ route: 'media', dealerId: 7001, status: 403 });
  const codes = [];
  for (const strict of [false, true])
    codes.push((await later.night('cached', 24, { strict })).exitCode);
  expect(codes).toEqual([0, 8]);
});
