import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { canonicalRecord } from '../../src/batches/model/canonical.ts';
import type { BatchRecord } from '../../src/contract/batch.ts';
import { randomOf } from '../../src/sample-service/data/random.ts';
import { World } from '../support/batch-world.ts';
import {
  BATCH_KEY,
  DAY,
  rawConfig,
  runBatches,
  startBench,
  tempFolder,
  writeConfig,
} from '../support/batches.ts';

const KILLS = Number(process.env.BATCH_KILLS ?? 14);

interface Version {
  seq: number;
  batch: number;
  number: number;
  raw: string;
}

function versionsIn(file: string): Version[] {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    expect(db.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
    expect(db.prepare('PRAGMA foreign_key_check').all()).toEqual([]);
    return db
      .prepare(
        `SELECT v.change_seq AS seq, b.batch_id AS batch, v.number, v.raw
         FROM version v JOIN batch b ON b.id = v.batch_row ORDER BY v.change_seq`,
      )
      .all() as unknown as Version[];
  } finally {
    db.close();
  }
}

/** Exports under their final names, which a loader would read. */
function exportedSeqs(folder: string): number[] {
  return readdirSync(folder)
    .filter((name) => /^changes-\d+\.ndjson$/.test(name))
    .flatMap((name) => readFileSync(path.join(folder, name), 'utf8').split('\n').slice(0, -1))
    .map((line) => Number(JSON.parse(line).ChangeSeq))
    .sort((a, b) => a - b);
}

test(`${KILLS} SIGKILLs at random moments of pull and export lose and duplicate nothing`, async () => {
  const now = Date.now();
  const world = new World({ start: now - 30 * DAY, days: 30, perDay: 200, seed: 5 });
  const bench = await startBench({ clock: () => now, days: 40 });
  const folder = tempFolder();
  const config = writeConfig(folder, rawConfig(bench.service.baseUrl, { days: 40 }));
  const store = path.join(folder, 'history', 'h.sqlite');
  const common = ['--config', config, '--store', store];
  const env = { BATCH_API_KEY: BATCH_KEY };
  const seed = Number(process.env.BATCH_KILL_SEED ?? now);
  console.info(`BATCH_KILL_SEED=${seed}`);
  const random = randomOf(seed).next;

  const answer = (at: number): BatchRecord[] => {
    const records = world.at(at);
    bench.serve(records);
    return records;
  };
  const pull = (killAfter?: number) => runBatches(['pull', ...common], { env, killAfter });
  let exports = 0;
  const exportChanges = (killAfter?: number) => {
    const file = path.join(folder, `changes-${++exports}.ndjson`);
    const args = ['export', ...common, '--format', 'ndjson', '--history', '--since', 'last'];
    return runBatches([...args, '--pii', 'full', '--output', file], { killAfter });
  };
  let killed = 0;
  /** Duration of each command without a kill, the range of kill times. Milliseconds. */
  const alone = { pull: Number.POSITIVE_INFINITY, export: Number.POSITIVE_INFINITY };
  const killedAtRandom = async (
    what: keyof typeof alone,
    work: (killAfter?: number) => ReturnType<typeof runBatches>,
  ) => {
    const begin = performance.now();
    const ran = await work(60 + random() * alone[what] * 1.1);
    if (ran.signal === 'SIGKILL') killed++;
    // The shortest run, because a busy machine at the start would let later ones end before the kill.
    else alone[what] = Math.min(alone[what], performance.now() - begin);
    return ran;
  };
  answer(now - 5 * DAY);
  for (const [what, work] of [
    ['pull', pull],
    ['export', exportChanges],
  ] as const) {
    const begin = performance.now();
    expect((await work()).code).toBe(0);
    alone[what] = performance.now() - begin;
  }

  // A machine that becomes faster ends some commands before the kill. More rounds replace them.
  for (let round = 0; round < KILLS || killed <= KILLS / 3; round++) {
    const before = versionsIn(store).length;
    if (round % 2 === 0) {
      // A different time for each pull, so that a lost pull cannot hide behind an equal one.
      answer(now - 5 * DAY + (round + 1) * 5 * 3_600_000);
      const ran = await killedAtRandom('pull', pull);
      const after = versionsIn(store).length;
      // A pull is one transaction: all or nothing.
      if (ran.signal === 'SIGKILL' && after > before) expect(after).toBeGreaterThan(before + 10);
    } else {
      await killedAtRandom('export', exportChanges);
    }
    // In any case, the exported rows are a prefix of the stored rows without duplicates.
    const all = versionsIn(store).map(({ seq }) => seq);
    const exported = exportedSeqs(folder);
    expect(exported).toEqual(all.slice(0, exported.length));
  }
  const shown = answer(now);
  expect((await pull()).code).toBe(0);
  expect((await exportChanges()).code).toBe(0);
  const versions = versionsIn(store);
  expect(exportedSeqs(folder)).toEqual(versions.map(({ seq }) => seq));
  const last = new Map(versions.map(({ batch, raw }) => [batch, raw]));
  expect(last.size).toBe(shown.length);
  for (const record of shown) expect(last.get(record.BatchId)).toBe(canonicalRecord(record));
  // No version is duplicated: two consecutive versions always differ.
  const previous = new Map<number, string>();
  for (const { batch, number, raw } of versions) {
    expect(raw).not.toBe(previous.get(batch));
    if (number === 1) expect(previous.has(batch)).toBe(false);
    previous.set(batch, raw);
  }
  expect(await runBatches(['status', '--check', ...common], { env })).toMatchObject({ code: 0 });
  // No temporary file with personal data is left.
  expect(readdirSync(folder).filter((name) => name.includes('batches-tmp'))).toEqual([]);
});

test('a SIGKILL during the creation of a history does not break a later pull', async () => {
  const now = Date.now();
  const bench = await startBench({ clock: () => now });
  bench.serve(new World({ start: now - DAY, days: 1, perDay: 50, seed: 6 }).at(now));
  const folder = tempFolder();
  const config = writeConfig(folder, rawConfig(bench.service.baseUrl));
  const random = randomOf(now).next;
  const env = { BATCH_API_KEY: BATCH_KEY };
  const pull = (store: string, killAfter?: number) =>
    runBatches(['pull', '--config', config, '--store', store], { env, killAfter });
  const begin = performance.now();
  await pull(path.join(folder, 'timed', 'h.sqlite'));
  const pullTime = performance.now() - begin;
  for (let round = 0; round < Math.ceil(KILLS / 3); round++) {
    const store = path.join(folder, `history-${round}`, 'h.sqlite');
    await pull(store, 60 + random() * pullTime);
    expect(await pull(store)).toMatchObject({ code: 0, stderr: '' });
    expect(versionsIn(store).length).toBeGreaterThan(10);
  }
});
