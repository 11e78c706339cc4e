import { describe, expect, it } from 'vitest';
import { closeGaps } from '../../../src/batches/pull/coverage.ts';
import { ensureAccount, recordPull } from '../../../src/batches/store/accounts.ts';
import { insert } from '../../../src/batches/store/sql.ts';
import { DAY, tempStore } from '../../support/batches.ts';

const NOW = Date.parse('2026-03-01T06:00:00Z');
const iso = (daysAgo: number) => new Date(NOW - daysAgo * DAY).toISOString();

/** Stretches in days ago: `40-30 20-10`. */
const stretches = (text: string) =>
  text
    .split(' ')
    .filter(Boolean)
    .map((stretch) => {
      const [from = 0, until = 0] = stretch.split('-').map(Number);
      return { from: iso(from), until: iso(until) };
    });

/** A history with pulls over these stretches and these known holes. */
function history(covered: string, known = '') {
  const { db } = tempStore();
  const id = ensureAccount(db, { name: 'north', customerId: 'C-1', pathId: '7' });
  for (const { from, until } of stretches(covered)) {
    recordPull(db, 'north', until, { covered: { from, until } });
  }
  for (const { from, until } of stretches(known)) {
    const at = { from_at: from, until_at: until, recorded_at: iso(0) };
    insert(db, 'hole', { account_id: id, reason: 'old', ...at });
  }
  return {
    close: (answer?: string, plan = { needed: 3, days: 9 }) => {
      const { holes, filled } = closeGaps(db, id, stretches(answer ?? '')[0], {
        now: NOW,
        ...plan,
      });
      const plain = ({ from, until }: { from: string; until: string }) => ({ from, until });
      return { holes, filled: filled.map(plain) };
    },
    reasons: () =>
      db
        .prepare('SELECT reason FROM hole')
        .all()
        .map(({ reason }) => reason),
  };
}

describe('holes of a history', () => {
  it.each([
    ['a period without a pull', '', '30-20'],
    ['nothing that is known', '30-20', ''],
    ['the rest beside a known hole inside', '28-22', '30-28 22-20'],
    ['everything if known ones only touch it', '40-30 20-15', '30-20'],
    ['everything if known ones are elsewhere', '60-50 12-11', '30-20'],
  ])('are %s', (_, known, holes) => {
    const { close } = history('40-30 20-10 10-0', known);
    expect(close('10-0').holes).toEqual(stretches(holes));
  });

  it('do not exist before the first complete response or after an inconclusive one', () => {
    expect(history('40-30 20-0').close('25-0').holes).toEqual([]);
    expect(history('40-30 20-0').close('20-0').holes).toEqual(stretches('30-20'));
    expect(history('40-30 20-0').close().holes).toEqual([]);
  });

  it('are filled by one response that covers all of it, and only once', () => {
    const { close } = history('60-50 30-20 10-0', '30-20 50-49 31-20 30-19');
    expect(close().filled).toEqual(stretches('30-20'));
    expect(close().filled).toEqual([]);
  });

  it.each([
    [31, '31 days were needed, but a pull requests at most 9'],
    [9, `9 days were requested, but the response reached back only to ${iso(20)}`],
  ])('have a reason: %i days were needed, 9 were asked for', (needed, reason) => {
    const { close, reasons } = history('40-30 20-0');
    close('20-0', { needed, days: 9 });
    expect(reasons()).toEqual([reason]);
  });
});
