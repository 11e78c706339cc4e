import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { fill, historyOf } from '../support/batch-fill.ts';
import { batchRecord } from '../support/batch-record.ts';

const sent = (BatchId: number, more: Partial<Parameters<typeof batchRecord>[0]> = {}) =>
  batchRecord({
    BatchId,
    DateCreated: `2026-01-${String((BatchId % 20) + 1).padStart(2, '0')}T10:00:00Z`,
    DateSent: '2026-01-22T10:00:00Z',
    RecipientEmail: 'ann@example.com',
    ...more,
  });

/** The history opened read-only, like in another program. */
function tables(records: Parameters<typeof historyOf>[0]) {
  const { store } = historyOf(records);
  const db = new DatabaseSync(store.file, { readOnly: true });
  return { store, all: (sql: string) => db.prepare(sql).all().map(Object.values) };
}

test('batches_current has one row per batch, with plain values instead of JSON', () => {
  const { store, all } = tables([sent(1), sent(2, { CustomerRating: 4 })]);
  fill(store, [sent(1, { VideoPlayCount: 3, CustomerActionState: 'accepted' })]);
  expect(
    all(`SELECT account, batch_id, versions, video_play_count, customer_action_state, customer_rating
      FROM batches_current ORDER BY batch_id`),
  ).toEqual([
    ['north', 1, 2, 3, 'accepted', null],
    ['north', 2, 1, 0, null, 4],
  ]);
});

test('funnel_weekly counts batches by the week of their creation, Monday to Sunday', () => {
  const { all } = tables([
    sent(1, { DateCreated: '2026-01-11T23:59:59Z' }),
    sent(2, {
      DateCreated: '2026-01-12T00:00:00Z',
      LandingPageWatchCount: 1,
      CustomerActionState: 'accepted',
    }),
    sent(3, { DateCreated: '2026-01-18T10:00:00Z', DateSent: null }),
  ]);
  expect(
    all('SELECT monday, created, sent, watched, acted FROM funnel_weekly ORDER BY monday'),
  ).toEqual([
    ['2026-01-05', 1, 1, 0, 0],
    ['2026-01-12', 2, 1, 1, 1],
  ]);
});
