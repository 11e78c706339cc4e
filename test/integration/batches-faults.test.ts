import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { writeHistoryReport } from '../../src/batches/report/page.ts';
import { checkHistory } from '../../src/batches/store/check.ts';
import { type HistoryStore, openStore } from '../../src/batches/store/open.ts';
import { statusOf } from '../../src/batches/store/status.ts';
import { historyOf } from '../support/batch-fill.ts';
import { batchRecord } from '../support/batch-record.ts';
import {
  batchesHere,
  codesOf,
  DAY,
  exportTo,
  iso,
  pullWith,
  startBench,
  tempFolder,
  tempStore,
} from '../support/batches.ts';
import { smallDisk } from '../support/temp-folder.ts';

const NOW = Date.parse('2026-03-01T06:00:00Z');
const TEN_YEARS = 3652 * DAY;
const titles = (store: HistoryStore) =>
  store.db
    .prepare('SELECT title FROM batch b JOIN version v ON v.change_seq = b.current_seq')
    .all()
    .map(({ title }) => title);

test('a pull with the clock ten years ahead is reported, and later changes are stored again', async () => {
  let present = NOW;
  const bench = await startBench({ clock: () => present, maxDays: 40 });
  const store = tempStore();
  const record = batchRecord({ BatchId: 1, DateCreated: iso(NOW - DAY) });
  bench.serve([record]);
  await pullWith(bench, store, NOW);
  await pullWith(bench, store, NOW + TEN_YEARS);
  expect(statusOf(store.db).accounts[0]?.holes).toHaveLength(1);
  present += DAY;
  bench.serve([{ ...record, Title: 'changed' }]);
  const after = await pullWith(bench, store, present);
  expect(after).toMatchObject({ changed: 1, holes: [], days: 30 });
  expect(codesOf(after)).toEqual(['clock-ahead']);
  expect(titles(store)).toEqual(['changed']);
  const [status] = statusOf(store.db).accounts;
  expect(status).toMatchObject({
    lastPull: new Date(present).toISOString(),
    coveredUntil: new Date(present).toISOString(),
    holes: [],
  });
  expect(checkHistory(store.db).damage).toEqual([]);
  expect(codesOf(await pullWith(bench, store, present + 1000))).toEqual([]);

  // A real gap is still found: pulls with a wrong clock do not cover it.
  present += 60 * DAY;
  bench.serve([batchRecord({ BatchId: 2, DateCreated: iso(present - DAY) })]);
  expect((await pullWith(bench, store, present)).holes).toHaveLength(1);
});

test('a pull with a clock that is behind stores and corrects nothing', async () => {
  const bench = await startBench({ clock: () => NOW });
  const store = tempStore();
  const record = batchRecord({ BatchId: 1, DateCreated: iso(NOW - DAY) });
  bench.serve([record]);
  await pullWith(bench, store, NOW);
  for (const answer of [[{ ...record, Title: 'changed' }], []]) {
    bench.serve(answer);
    for (const now of [NOW - 100 * DAY, 0]) {
      await expect(pullWith(bench, store, now)).rejects.toMatchObject({
        code: 'clock-behind',
        exitCode: 2,
      });
    }
  }
  expect(titles(store)).toEqual(['Your video']);
  expect(statusOf(store.db).accounts[0]?.lastPull).toBe(new Date(NOW).toISOString());
  bench.serve([record]);
  const fresh = tempStore();
  expect(codesOf(await pullWith(bench, fresh, NOW - 100 * DAY))).toEqual([
    'created-ahead DateCreated',
  ]);
});

test('a file that is not a history is refused with unchanged permissions and bytes', async () => {
  const folder = tempFolder();
  const home = path.join(folder, 'home');
  mkdirSync(home, { mode: 0o700 });
  const database = path.join(home, 'theirs.sqlite');
  const otherDatabase = new DatabaseSync(database);
  otherDatabase.exec('PRAGMA journal_mode = WAL; CREATE TABLE t (x); INSERT INTO t VALUES (1)');
  for (const [name, content, code] of [
    ['empty.sqlite', '', 'store-empty'],
    ['notes.txt', 'x\n', 'store-foreign'],
    ['zeros.sqlite', '\0'.repeat(8192), 'store-foreign'],
    ['theirs.sqlite', undefined, 'store-foreign'],
  ] as const) {
    const file = path.join(home, name);
    if (content !== undefined) writeFileSync(file, content);
    chmodSync(file, 0o644);
    const before = readFileSync(file);
    const ran = await batchesHere(['status', '--store', file], { cwd: folder });
    expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining(`[${code}]`)]);
    expect(() => openStore({ file, bases: [] })).toThrowError(expect.objectContaining({ code }));
    expect([name, statSync(file).mode & 0o777]).toEqual([name, 0o644]);
    expect(readFileSync(file)).toEqual(before);
  }
  expect(otherDatabase.prepare('SELECT x FROM t').all()).toEqual([{ x: 1 }]);
  otherDatabase.close();
  // An empty, unrelated database without a table.
  const bare = path.join(home, 'bare.sqlite');
  const db = new DatabaseSync(bare);
  db.exec('PRAGMA journal_mode = WAL; PRAGMA user_version = 0; VACUUM');
  db.close();
  expect(statSync(bare).size).toBeGreaterThan(0);
  expect(() => openStore({ file: bare, bases: [] })).toThrowError(
    expect.objectContaining({ code: 'store-foreign' }),
  );
});

test.each(['-wal', '-journal'])('a new history is refused beside a leftover log %s', (suffix) => {
  const { folder, store } = historyOf([batchRecord({ BatchId: 1 })]);
  const log = readFileSync(`${store.file}-wal`);
  expect(log.length).toBeGreaterThan(0);
  store[Symbol.dispose]();
  const other = path.join(folder, 'other');
  mkdirSync(other, { mode: 0o700 });
  const deleted = path.join(other, 'h.sqlite');
  writeFileSync(deleted + suffix, log, { mode: 0o600 });
  expect(() => openStore({ file: deleted, bases: [] })).toThrowError(
    expect.objectContaining({ code: 'store-torn', exitCode: 2 }),
  );
  expect(readFileSync(deleted + suffix)).toEqual(log);
  expect(existsSync(deleted)).toBe(false);
});

test('after a killed command, status --check completes the file for a backup', async () => {
  const { folder, store } = historyOf([batchRecord({ BatchId: 1 })]);
  const killed = path.join(folder, 'killed', 'h.sqlite');
  const backup = path.join(folder, 'backup', 'h.sqlite');
  for (const suffix of ['', '-wal']) cpSync(store.file + suffix, killed + suffix);
  const status = (file: string) => batchesHere(['status', '--check', '--store', file]);
  expect((await status(killed)).stdout).toContain('batches        1 ');
  cpSync(killed, backup);
  expect((await status(backup)).stdout).toContain('batches        1 ');
});

test('status --check fails if the disk has no space to complete the file for a backup', async () => {
  const { folder, store } = historyOf(
    Array.from({ length: 800 }, (_, BatchId) => batchRecord({ BatchId })),
  );
  const disk = path.join(folder, 'disk');
  mkdirSync(disk, { mode: 0o700 });
  using mounted = smallDisk(disk, 1500);
  if (!mounted) return expect(process.getuid?.()).not.toBe(0);
  const file = path.join(disk, 'h.sqlite');
  for (const suffix of ['', '-wal']) cpSync(store.file + suffix, file + suffix);
  const status = () => batchesHere(['status', '--check', '--store', file]);
  const full = { code: 1, stderr: expect.stringContaining('[store-disk-full]') };
  expect(await status()).toMatchObject(full);
  // Not even the index of the log fits.
  rmSync(`${file}-shm`, { force: true });
  const rest = path.join(disk, 'rest');
  expect(() => writeFileSync(rest, Buffer.alloc(1_500_000))).toThrow('ENOSPC');
  expect(await status()).toMatchObject(full);
  return undefined;
});

test('a new history is complete, reported and leaves no temporary file', () => {
  const folder = tempFolder();
  const file = path.join(folder, 'history', 'h.sqlite');
  const first = openStore({ file, bases: [] });
  expect(first.begun).toBe(true);
  first[Symbol.dispose]();
  expect(statSync(file).size).toBeGreaterThan(4096);
  expect(readdirSync(path.dirname(file)).sort()).toEqual([
    '.gitignore',
    'h.sqlite',
    'h.sqlite-export-lock',
  ]);
  const second = openStore({ file, bases: [] });
  expect(second.begun).toBe(false);
  second[Symbol.dispose]();
});

test('a new history is complete or missing if the disk is full', () => {
  const folder = tempFolder();
  using mounted = smallDisk(folder, 600);
  if (!mounted) return expect(process.getuid?.()).not.toBe(0);
  const rest = path.join(folder, 'rest');
  const results = Array.from({ length: 20 }, (_, step) => {
    const home = path.join(folder, String(step));
    mkdirSync(home, { mode: 0o700 });
    writeFileSync(rest, Buffer.alloc((560 - step * 16) * 1024));
    const open = () => openStore({ file: path.join(home, 'h.sqlite'), bases: [] });
    let isFull = false;
    try {
      open()[Symbol.dispose]();
    } catch (error) {
      isFull = true;
      expect(error).toMatchObject({ code: 'store-disk-full' });
      expect(readdirSync(home)).toEqual(['h.sqlite-export-lock']);
    }
    rmSync(rest);
    using store = open();
    expect(store.begun).toBe(isFull);
    expect(checkHistory(store.db).damage).toEqual([]);
    rmSync(home, { recursive: true });
    return isFull;
  });
  expect(new Set(results)).toEqual(new Set([true, false]));
  return undefined;
});

test('an unrelated file at the path of a lock is unchanged and reported', async () => {
  const { folder, store } = historyOf([batchRecord({ BatchId: 1 })]);
  for (const [name, work] of [
    ['export', () => writeHistoryReport(store, { folder: path.join(folder, 'r') })],
    [
      'pull',
      async () => pullWith(await startBench(), store, Date.parse('2026-02-03T06:00:00.000Z')),
    ],
  ] as const) {
    const lock = `${store.file}-${name}-lock`;
    writeFileSync(lock, 'x\n', { mode: 0o600 });
    await expect(work()).rejects.toMatchObject({ code: 'lock-foreign', exitCode: 2 });
    expect(readFileSync(lock, 'utf8')).toBe('x\n');
  }
});

const PEOPLE = ['Ann', 'Bob', 'Cleo', 'Dan'].map((name, index) =>
  batchRecord({
    BatchId: 70_001 + index,
    Title: `A video for ${name}, about a car`,
    CustomerRatingAdditional: { words: `very clear, says ${name}` },
  }),
);

/** Alters bytes of a closed history, like a faulty disk, at every occurrence of `text`. */
function alter(file: string, text: string, places = Number.POSITIVE_INFINITY): void {
  const bytes = readFileSync(file);
  let altered = 0;
  for (let at = bytes.indexOf(text); at !== -1 && altered < places; altered++) {
    bytes.write('~'.repeat(text.length), at, 'latin1');
    at = bytes.indexOf(text, at + 1);
  }
  expect(altered).toBeGreaterThan(0);
  writeFileSync(file, bytes);
}

test.each([
  // 15 bytes in one of two occurrences of the text: a column and the raw record.
  ['a text', 'video for Bob, ', 1, /DAMAGED version: 1 row \(north 70002\)/],
  ['a value of unknown type', 'very clear, say', 1, /DAMAGED version: 1 row \(north 7000/],
  ['the time of a change', '2026-02-01T06:', 99, /DAMAGED pull: 1 row \(row 1\)/],
  ['whose account it is', 'C-north', 1, /DAMAGED account: 1 row \(row 1\)/],
  ['how far an export came', 'generic/csv/non', 1, /DAMAGED export_run: 1 row \(row 1\)/],
])('status --check finds 15 altered bytes: %s', async (_, text, places, expected) => {
  const { folder, store } = historyOf(PEOPLE);
  const personal = { mode: 'none', hashKey: undefined } as const;
  const file = path.join(folder, 'out.csv');
  await exportTo(store, file, { format: 'csv', personal, since: 'last' });
  store[Symbol.dispose]();
  const args = ['status', '--check', '--store', store.file];
  const undamaged = await batchesHere(args, { cwd: folder });
  expect(undamaged).toMatchObject({ code: 0, stdout: expect.stringContaining('no damage found') });
  alter(store.file, text, places);
  const ran = await batchesHere(args, { cwd: folder });
  expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('store-corrupt') });
  expect(ran.stdout).toMatch(expected);
  expect(ran.stdout + ran.stderr).not.toMatch(/video for|says/);
  const json = JSON.parse((await batchesHere([...args, '--json'], { cwd: folder })).stdout);
  expect(json.check.damage.length).toBeGreaterThan(0);
});

test('damaged rows are not a bug, and an erasure reports that they may contain the person', async () => {
  const { store, run } = historyOf(PEOPLE);
  store[Symbol.dispose]();
  for (const [text, code] of [
    ['very clear, say', 'forget-remains'],
    // A record that is not JSON.
    ['"SocialClicks":', 'store-corrupt'],
  ] as const) {
    alter(store.file, text, 1);
    const ran = await run(['forget', '--batch', '70002']);
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining(`[${code}]`) });
  }
});

test('a check finds a deleted version, without JavaScript in a query, which needs memory for all rows', () => {
  const { store } = historyOf(PEOPLE);
  store.db.function('row_checksum', (_) => expect.unreachable());
  expect(checkHistory(store.db)).toMatchObject({ damage: [] });
  store.db.exec('DELETE FROM version WHERE change_seq = 2');
  const damage = [{ table: 'version', rows: 1, first: ['north 70002'] }];
  expect(checkHistory(store.db)).toMatchObject({ damage });
});

test('a history of a newer version is refused', () => {
  const store = tempStore();
  store.db.exec('PRAGMA user_version = 2');
  store[Symbol.dispose]();
  expect(() => openStore({ file: store.file, bases: [] })).toThrowError(
    expect.objectContaining({ code: 'store-newer', exitCode: 2 }),
  );
});
