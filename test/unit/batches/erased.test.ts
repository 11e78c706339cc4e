import { describe, expect, it } from 'vitest';
import { applyRecords, distinct, saveQuarantined } from '../../../src/batches/pull/apply.ts';
import { ensureAccount } from '../../../src/batches/store/accounts.ts';
import { transaction } from '../../../src/batches/store/sql.ts';
import { versionWriter } from '../../../src/batches/store/versions.ts';
import type { BatchRecord } from '../../../src/contract/batch.ts';
import { batchRecord } from '../../support/batch-record.ts';
import { configOf, tempStore } from '../../support/batches.ts';

const [MONDAY, TUESDAY, WEDNESDAY] = [
  '2026-03-02T02:00:00.000Z',
  '2026-03-03T02:00:00.000Z',
  '2026-03-04T02:00:00.000Z',
] as const;
const ANN = 'ann@example.com';
const batch = (id: number, more: Partial<BatchRecord> = {}) =>
  batchRecord({ BatchId: id, RecipientEmail: ANN, ...more });

function world() {
  const { db } = tempStore();
  const [its] = configOf('https://service.example').accounts;
  if (!its) throw new Error('no account');
  const account = ensureAccount(db, its);
  return {
    db,
    account,
    apply: (seenAt: string, records: BatchRecord[], erased?: string) =>
      transaction(
        db,
        () => {
          const isErased = ({ RecipientEmail }: BatchRecord) => RecipientEmail === erased;
          return applyRecords(distinct(records).records, { db, account, seenAt, isErased });
        },
        { keep: true },
      ),
    erasedAt: (id: number) => versionWriter(db, account).find(id)?.erased_at,
    raws: () =>
      db
        .prepare('SELECT raw FROM version ORDER BY change_seq')
        .all()
        .map(({ raw }) => String(raw)),
  };
}

describe('a batch of an erased person', () => {
  it('is stored without the person, and so again', () => {
    const { apply, raws, erasedAt } = world();
    expect(apply(MONDAY, [batch(1)], ANN)).toMatchObject({ inserted: 1, scrubbed: 1 });
    expect(raws().join()).not.toContain(ANN);
    expect(erasedAt(1)).toBe(MONDAY);
    expect(apply(TUESDAY, [batch(1)], ANN)).toMatchObject({ unchanged: 1, scrubbed: 1 });
    expect(erasedAt(1)).toBe(MONDAY);
  });

  it('that was stored before loses the person in all its versions', () => {
    const { apply, raws, erasedAt } = world();
    expect(
      apply(MONDAY, [batch(1), batch(2, { RecipientEmail: 'bob@example.com' })]),
    ).toMatchObject({ inserted: 2, scrubbed: 0 });
    apply(TUESDAY, [batch(1, { VideoPlayCount: 90 })]);
    expect([erasedAt(1), erasedAt(2)]).toEqual([null, null]);
    const its = apply(WEDNESDAY, [batch(1, { VideoPlayCount: 90 })], ANN);
    expect(its).toMatchObject({ unchanged: 1, changed: 0, scrubbed: 1 });
    expect(raws()).toHaveLength(3);
    expect(raws().join()).not.toContain(ANN);
    expect(raws().join()).toContain('bob@example.com');
    expect([erasedAt(1), erasedAt(2)]).toEqual([WEDNESDAY, null]);
  });

  it('stays without the person where a later record does not tell who it was', () => {
    const { apply, raws } = world();
    apply(MONDAY, [batch(1)], ANN);
    const later = batch(1, { RecipientEmail: 'ann@other.example', VideoPlayCount: 90 });
    expect(apply(TUESDAY, [later], ANN)).toMatchObject({ changed: 1, scrubbed: 1 });
    expect(raws()).toHaveLength(2);
    expect(raws().join()).not.toMatch(/ann@/);
  });
});

describe('records of an answer', () => {
  it('are not written over what was seen later; of the same time they are', () => {
    const { apply } = world();
    apply(TUESDAY, [batch(1)]);
    const none = { inserted: 0, changed: 0, unchanged: 0 };
    expect(apply(MONDAY, [batch(1, { Title: 'Old' })])).toMatchObject({ ...none, outdated: 1 });
    expect(apply(TUESDAY, [batch(1, { Title: 'New' })])).toMatchObject({ changed: 1, outdated: 0 });
  });

  it('come by their creation, then by their number, however they were sent', () => {
    const sent = [batch(12), batch(3), batch(7), batch(5)];
    for (const records of [sent, sent.toReversed()]) {
      expect(distinct(records).records.map(({ record }) => record.BatchId)).toEqual([3, 5, 7, 12]);
    }
    const [one, other] = [batch(1, { Title: 'A' }), batch(1, { Title: 'B' })];
    const taken = [
      [one, other, one],
      [other, one, one],
    ].map((all) => distinct(all));
    expect(taken.map(({ records }) => records[0]?.record.Title)).toEqual(['B', 'B']);
    expect(taken.map(({ duplicates }) => duplicates)).toEqual([2, 2]);
  });

  it('are kept as they came where they cannot be read, whatever their place', () => {
    const { db, account } = world();
    const body = Array.from({ length: 12 }, (_, index) => ({ index }));
    const kept = { code: 'contract-x', message: 'x' };
    saveQuarantined(
      [
        { ...kept, path: '[11].Data[0]' },
        { ...kept, path: '[2]' },
      ] as never,
      body,
      { db, account, seenAt: MONDAY },
    );
    expect(db.prepare('SELECT path, raw FROM quarantine ORDER BY id').all()).toEqual([
      { path: 'Data[0]', raw: '{"index":11}' },
      { path: '', raw: '{"index":2}' },
    ]);
  });
});
