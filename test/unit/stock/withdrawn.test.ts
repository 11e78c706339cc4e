import { expect, it } from 'vitest';
import { updateWithdrawn } from '../../../src/stock/withdrawn.ts';

const [MONDAY, TUESDAY] = ['2026-03-02T02:00:00.000Z', '2026-03-03T02:00:00.000Z'] as const;

it('withdrawn vehicles keep the time they went, and come in order', () => {
  const former = ['D', 'B'].map((vrm) => ({ vrm, since: MONDAY }));
  const gone = updateWithdrawn({
    former,
    before: ['C', 'B', 'A', 'E'],
    after: ['E'],
    now: TUESDAY,
  });
  expect(gone).toEqual([
    { vrm: 'A', since: TUESDAY },
    { vrm: 'B', since: MONDAY },
    { vrm: 'C', since: TUESDAY },
    { vrm: 'D', since: MONDAY },
  ]);
});
