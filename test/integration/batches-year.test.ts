import path from 'node:path';
import { expect, test } from 'vitest';
import { canonicalRecord } from '../../src/batches/model/canonical.ts';
import { pullAccount } from '../../src/batches/pull/pull.ts';
import { checkHistory } from '../../src/batches/store/check.ts';
import { statusOf } from '../../src/batches/store/status.ts';
import type { BatchRecord } from '../../src/contract/batch.ts';
import { World } from '../support/batch-world.ts';
import {
  configOf,
  DAY,
  exportTo,
  linesOf,
  startBench,
  tempFolder,
  tempStore,
} from '../support/batches.ts';

const START = Date.parse('2025-01-06T05:00:00Z');

/** True history of one batch: each distinct state in the order of its appearance. */
interface Truth {
  states: string[];
  lastShown: number;
}

class Reckoning {
  readonly shown = new Map<number, Truth>();

  show(records: readonly BatchRecord[], at: number): void {
    for (const record of records) {
      const text = canonicalRecord(record);
      const truth = this.shown.get(record.BatchId) ?? { states: [], lastShown: at };
      if (truth.states.at(-1) !== text) truth.states.push(text);
      truth.lastShown = at;
      this.shown.set(record.BatchId, truth);
    }
  }
}

/** Whether a time is in a stretch extended by `more` milliseconds at both ends. */
const isWithin = (time: number, { from, until }: { from: string; until: string }, more: number) =>
  time > Date.parse(from) - more && time < Date.parse(until) + more;

test('a year of weekly pulls: history, holes and exports equal the truth', async () => {
  let now = START;
  const world = new World({ start: START - 40 * DAY, days: 410, perDay: 4, seed: 11 });
  const truth = new Reckoning();
  const folder = tempFolder();
  const store = tempStore(folder);
  const bench = await startBench({ clock: () => now, days: 21, maxDays: 60 });
  let names = {};
  const exported: { present: string[]; history: string[] } = { present: [], history: [] };
  const failures: number[] = [];
  const holes: { from: string; until: string }[] = [];

  const pullAt = async (week: number, { cap = 400, rename = false } = {}) => {
    now = START + week * 7 * DAY;
    const visible = world
      .at(now)
      .filter((record) => Date.parse(record.DateCreated) >= now - cap * DAY);
    bench.serve(
      visible.map((record) => {
        if (!rename) return record;
        const { SocialClicks, ...rest } = record;
        return { ...rest, NetworkClicks: SocialClicks };
      }),
    );
    const { service } = configOf(bench.service.baseUrl, { names });
    const result = await pullAccount({ store, service, account: bench.account, now: () => now });
    const asked = Number(bench.service.requests.list('batches').at(-1)?.query.daysOfHistory);
    expect(asked).toBe(result.days);
    const answered = visible.filter(
      (record) => Date.parse(record.DateCreated) >= now - asked * DAY,
    );
    truth.show(answered, now);
    holes.push(...result.holes);
    for (const { from } of result.filled) {
      holes.splice(
        holes.findIndex((hole) => hole.from === from),
        1,
      );
    }
    return result;
  };

  const exportAt = async (week: number) => {
    for (const kind of ['present', 'history'] as const) {
      const file = path.join(folder, `${kind}-${week}.ndjson`);
      await exportTo(store, file, { since: 'last', history: kind === 'history' });
      exported[kind].push(file);
    }
  };

  // Weeks without a pull: 10 (within the window), 20–23 (the window must widen), 33–44 (a hole).
  const missed = new Set([10, 20, 21, 22, 23, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44]);
  // The service returns fewer days than requested. The first two shorter windows still overlap. Week 49
  // leaves a hole that week 50 fills. Week 51 leaves a permanent hole.
  const shrunk = new Map([
    [46, 18],
    [47, 14],
    [48, 9],
    [49, 3],
    [51, 3],
  ]);
  for (let week = 0; week < 52; week++) {
    if (missed.has(week)) continue;
    if (week === 27) {
      // A field is renamed: records are unreadable until the configuration follows.
      await pullAt(week, { rename: true }).catch((error) => failures.push(error.exitCode));
      names = { socialClicks: 'NetworkClicks' };
    }
    const result = await pullAt(week, {
      rename: week >= 27,
      cap: shrunk.get(week) ?? 400,
    });
    if (week === 24) expect(result.days).toBeGreaterThanOrEqual(36);
    if (week % 3 === 0) await exportAt(week);
  }
  await exportAt(99);

  expect(failures).toEqual([5]);

  expect(checkHistory(store.db).damage).toEqual([]);

  // The history equals the shown versions exactly.
  const stored = new Map<number, Truth>();
  const rows = store.db
    .prepare(
      `SELECT b.batch_id, b.last_seen_at, v.raw FROM version v JOIN batch b ON b.id = v.batch_row
       ORDER BY b.batch_id, v.number`,
    )
    .all();
  for (const row of rows) {
    const id = Number(row.batch_id);
    const known = stored.get(id) ?? { states: [], lastShown: Date.parse(String(row.last_seen_at)) };
    known.states.push(String(row.raw));
    stored.set(id, known);
  }
  expect(stored.size).toBeGreaterThan(1000);
  expect(rows.length).toBeGreaterThan(1900);
  expect([...stored].sort(([a], [b]) => a - b)).toEqual([...truth.shown].sort(([a], [b]) => a - b));

  // Every batch that was never shown is in a recorded hole, and no other is.
  const begin = START - 21 * DAY;
  const lost = world.lives.filter(
    ({ id, created }) => created >= begin && created <= now && !truth.shown.has(id),
  );
  expect(lost.length).toBeGreaterThan(50);
  for (const { created } of lost) {
    expect(holes.some((hole) => isWithin(created, hole, 1000))).toBe(true);
  }
  for (const { id, created } of world.lives) {
    if (holes.some((hole) => isWithin(created, hole, -1000)))
      expect(truth.shown.has(id)).toBe(false);
  }
  expect(holes).toHaveLength(2);
  const recorded = statusOf(store.db).accounts[0]?.holes ?? [];
  expect(recorded.map(({ filled }) => filled !== null)).toEqual([false, true, false]);

  // Consecutive exports: each version once, in order. The last versions are the truth.
  const versions = exported.history.flatMap(linesOf);
  const all = store.db.prepare('SELECT change_seq FROM version ORDER BY change_seq').all();
  expect(versions.map(({ ChangeSeq }) => ChangeSeq)).toEqual(all.map((row) => row.change_seq));
  const loaded = new Map(
    exported.present.flatMap(linesOf).map((row) => [Number(row.BatchId), row]),
  );
  expect(loaded.size).toBe(truth.shown.size);
  for (const [id, { states }] of truth.shown) {
    const last = JSON.parse(states.at(-1) ?? '{}');
    const row = loaded.get(id);
    for (const field of [
      'Title',
      'LandingPageWatchCount',
      'SocialClicks',
      'RecipientMobile',
      'CustomerActionState',
    ]) {
      expect(row?.[field]).toEqual(last[field]);
    }
  }
});
