import { describe, expect, it } from 'vitest';
import { refuseBroken } from '../../../src/batches/pull/answer.ts';
import { applyRecords, distinct } from '../../../src/batches/pull/apply.ts';
import { clockDrift } from '../../../src/batches/pull/clock.ts';
import { closeGaps } from '../../../src/batches/pull/holes.ts';
import { coverageOf, ensureAccount, gapsOf } from '../../../src/batches/store/accounts.ts';
import { insert, transaction } from '../../../src/batches/store/sql.ts';
import type { BatchRecord } from '../../../src/contract/batch.ts';
import { batchRecord } from '../../support/batch-record.ts';
import { configOf, DAY, tempStore } from '../../support/batches.ts';

const NOW = Date.parse('2026-03-01T06:00:00Z');
const HOUR = 3_600_000;
const iso = (time: number) => new Date(time).toISOString();
const day = (ago: number) => NOW - ago * DAY;

function world() {
  const store = tempStore();
  const [its] = configOf('https://service.example').accounts;
  if (!its) throw new Error('no account');
  return { store, db: store.db, account: its, id: ensureAccount(store.db, its) };
}

describe('holes of a history', () => {
  /** A history in which pulls covered these stretches, in days ago, and these holes are known. */
  function history(covered: [number, number][], known: [number, number][]) {
    const { store, db, id } = world();
    for (const [from, until] of covered) {
      insert(db, 'pull', {
        account_id: id,
        started_at: iso(day(until)),
        finished_at: iso(day(until)),
        days_asked: 1,
        covered_from: iso(day(from)),
        covered_until: iso(day(until)),
        ...{ received: 0, accepted: 0, quarantined: 0, inserted: 0, changed: 0, unchanged: 0 },
      });
    }
    for (const [from, until] of known) {
      const at = { from_at: iso(day(from)), until_at: iso(day(until)), recorded_at: iso(NOW) };
      insert(db, 'hole', { account_id: id, reason: 'old', ...at });
    }
    expect(coverageOf(db, id)).toHaveLength(covered.length);
    return {
      close: (answer: [number, number] | undefined, plan = { needed: 3, days: 9 }) => {
        const its = answer && { from: day(answer[0]), until: day(answer[1]) };
        const { holes, filled } = closeGaps({ store }, id, its, { now: NOW, ...plan });
        const inDays = (all: readonly { from: number; until: number }[]) =>
          all.map(({ from, until }) => [(NOW - from) / DAY, (NOW - until) / DAY]);
        return { holes: inDays(holes), filled: inDays(filled) };
      },
      reasons: () => gapsOf(db, id).map(({ reason }) => reason),
    };
  }

  it.each<[string, [number, number][], [number, number][]]>([
    ['is what no pull covered', [], [[30, 20]]],
    ['is not said twice', [[30, 20]], []],
    [
      'is what is left beside a known one in it',
      [[28, 22]],
      [
        [30, 28],
        [22, 20],
      ],
    ],
    ['is what a known one leaves at its start', [[40, 25]], [[25, 20]]],
    ['is what a known one leaves at its end', [[25, 15]], [[30, 25]]],
    [
      'is all of it where known ones only touch it',
      [
        [40, 30],
        [20, 15],
      ],
      [[30, 20]],
    ],
    [
      'is all of it where known ones are elsewhere',
      [
        [60, 50],
        [12, 11],
      ],
      [[30, 20]],
    ],
  ])('%s', (_, known, holes) => {
    const { close } = history(
      [
        [40, 30],
        [20, 10],
        [10, 0],
      ],
      known,
    );
    expect(close([10, 0]).holes).toEqual(holes);
  });

  it('is none before the answer reached so far, nor where an answer proves nothing', () => {
    const covered: [number, number][] = [
      [40, 30],
      [20, 0],
    ];
    expect(history(covered, []).close([25, 0]).holes).toEqual([]);
    expect(history(covered, []).close([20, 0]).holes).toEqual([[30, 20]]);
    expect(history(covered, []).close(undefined).holes).toEqual([]);
  });

  it('is filled by what covers all of it, from end to end, and only once', () => {
    const { close } = history(
      [
        [60, 50],
        [30, 20],
        [10, 0],
      ],
      [
        [30, 20],
        [50, 49],
        [31, 20],
        [30, 19],
      ],
    );
    expect(close(undefined).filled).toEqual([[30, 20]]);
    expect(close(undefined).filled).toEqual([]);
  });

  it('has its reason: the setting, or how far the answer reached', () => {
    const about = (plan: { needed: number; days: number }) => {
      const { close, reasons } = history(
        [
          [40, 30],
          [20, 0],
        ],
        [],
      );
      close([20, 0], plan);
      return reasons();
    };
    expect(about({ needed: 31, days: 9 })).toEqual([
      '31 days were needed, and a pull asks for at most 9',
    ]);
    for (const needed of [8, 9]) {
      expect(about({ needed, days: 9 })).toEqual([
        `9 days were asked for, and the answer reached back only to ${iso(day(20))}`,
      ]);
    }
  });
});

describe('times after this machine’s', () => {
  const at = iso(NOW);
  const created = (time: number) => batchRecord({ BatchId: 1, DateCreated: iso(time) });
  function told(corrected: string | undefined, records: BatchRecord[], newest?: number) {
    const { db, id } = world();
    const { records: known } = distinct(newest === undefined ? [] : [created(newest)]);
    const isErased = () => false;
    const write = () => applyRecords(known, { db, account: id, seenAt: at, isErased });
    transaction(db, write, { keep: true });
    try {
      return clockDrift(db, { at, corrected, records }).map(({ code, detail }) => [code, detail]);
    } catch (error) {
      return (error as { code: string }).code;
    }
  }
  const ahead = iso(NOW + DAY);
  const past = `the history held times up to ${ahead}: a clock was wrong at an earlier pull; they were set to this pull's`;

  it('are said where they were corrected, and no batch is so late', () => {
    expect(told(undefined, [])).toEqual([]);
    expect(told(iso(NOW + HOUR), [])).toEqual([]);
    expect(told(ahead, [])).toEqual([['clock-ahead', past]]);
    expect(told(ahead, [created(NOW)], NOW)).toEqual([['clock-ahead', past]]);
    expect(told(ahead, [created(NOW + HOUR)], NOW + HOUR)).toEqual([['clock-ahead', past]]);
  });

  it('are this machine’s fault where a batch of the answer or of the history is as late', () => {
    expect(told(ahead, [created(NOW + 2 * HOUR)])).toBe('clock-behind');
    expect(told(ahead, [], NOW + 2 * HOUR)).toBe('clock-behind');
    expect(told(undefined, [], NOW + 2 * HOUR)).toEqual([]);
    expect(told(undefined, [created(NOW + 2 * HOUR)])).toEqual([
      ['created-ahead', expect.stringMatching(/^1 batch /)],
    ]);
  });
});

describe('an answer with records that cannot be read', () => {
  it('says where the first of them is wrong', () => {
    const { store, account } = world();
    const why = (path: string) => {
      const quarantined = [{ code: 'contract-x', path, message: 'it is odd' }];
      try {
        const parsed = { received: 1, accepted: [], quarantined };
        refuseBroken({ store, account }, parsed as never, iso(NOW));
      } catch (error) {
        return (error as { why: string }).why;
      }
    };
    expect(why('[12].Data[3]')).toBe('The first of them: Data[3]: it is odd.');
    expect(why('Data[3].x')).toBe('The first of them: Data[3].x: it is odd.');
    expect(why('[12]')).toBe('The first of them: the record itself: it is odd.');
  });
});
