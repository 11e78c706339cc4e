import { describe, expect, it } from 'vitest';
import { stillShown, withoutFuture } from '../../../src/stock/withdrawn.ts';

const DAY = 86_400_000;
const NOW = '2026-03-20T00:00:00.000Z';

describe('withdrawn pages', () => {
  it('are shown for as long as it is configured', () => {
    const withdrawn = [
      { vrm: 'OLD', since: '2026-03-01T00:00:00.000Z' },
      { vrm: 'NEW', since: '2026-03-19T00:00:00.000Z' },
    ];
    const shown = stillShown(withdrawn, { now: Date.parse(NOW), withdrawnFor: 14 * DAY });
    expect(shown.map(({ vrm }) => vrm)).toEqual(['NEW']);
  });

  it('count from now where a wrong clock dated them in the future', () => {
    const past = { vrm: 'PAST', since: '2026-03-01T00:00:00.000Z' };
    const future = { vrm: 'FUTURE', since: '2036-03-01T00:00:00.000Z' };
    expect(withoutFuture([past, future], Date.parse(NOW))).toEqual({
      withdrawn: [past, { vrm: 'FUTURE', since: NOW }],
      inFuture: 1,
    });
  });
});
