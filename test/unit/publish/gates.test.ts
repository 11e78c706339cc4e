import { describe, expect, it } from 'vitest';
import { suspiciousLoss, tooManyQuarantined } from '../../../src/stock/refusals.ts';
import { withdrawnNow } from '../../../src/stock/withdrawn.ts';

const limits = { maxVehicleLoss: 0.3, minVehicleLoss: 5 };
const numbered = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => `V${from + index}`);

describe('loss gate', () => {
  it.each([
    ['nothing gone', numbered(20), numbered(20), false],
    ['a third of twenty gone', numbered(20), numbered(13, 7), true],
    ['thirty per cent exactly', numbered(20), numbered(14, 6), false],
    ['half of six: fewer than five', numbered(6), numbered(3), false],
    ['all of one gone', numbered(1), [], true],
    ['all swapped for as many others', numbered(20), numbered(20, 100), true],
    ['nothing before', [], numbered(3), false],
  ])('%s', (_, before, after, suspicious) => {
    expect(suspiciousLoss(before, after, limits) > 0).toBe(suspicious);
  });
});

describe('quarantine gate', () => {
  it.each([
    [10, 2, false],
    [10, 3, true],
    [0, 0, false],
    [1, 1, true],
  ])('%i received, %i quarantined', (received, quarantined, refused) => {
    expect(tooManyQuarantined({ received, quarantined }, { maxQuarantined: 0.2 })).toBe(refused);
  });
});

describe('withdrawn vehicles', () => {
  const day = 86_400_000;
  const first = '2026-01-01T00:00:00.000Z';
  const later = '2026-01-05T00:00:00.000Z';
  const after = (
    withdrawn: { vrm: string; since: string }[],
    before: string,
    listed: string,
    now: number,
  ) =>
    withdrawnNow(
      { withdrawn, vehicles: Array.from(before, (vrm) => ({ vrm })) },
      Array.from(listed, (vrm) => ({ vrm })),
      { now, withdrawnFor: 14 * day },
    );

  it('keep the time of their withdrawal, and return if they are listed again', () => {
    const withdrawn = after([], 'ABC', 'BC', Date.parse(first));
    expect(withdrawn).toEqual([{ vrm: 'A', since: first }]);
    expect(after(withdrawn, 'BC', 'AC', Date.parse(later))).toEqual([{ vrm: 'B', since: later }]);
  });

  it('expire after their time, and are kept while the clock is wrong', () => {
    const withdrawn = [{ vrm: 'A', since: later }];
    const shown = (now: number) => after(withdrawn, '', '', now).length;
    expect(shown(Date.parse(later) + 13 * day)).toBe(1);
    expect(shown(Date.parse(later) + 14 * day)).toBe(0);
    expect(shown(Date.parse(first))).toBe(1);
  });
});
