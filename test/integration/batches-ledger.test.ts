import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import type { ExportOptions } from '../../src/batches/export/export.ts';
import { beginRun, recordWritten } from '../../src/batches/export/ledger.ts';
import { sha256 } from '../../src/batches/model/canonical.ts';
import type { HistoryStore } from '../../src/batches/store/open.ts';
import { fill, historyOf } from '../support/batch-fill.ts';
import { batchRecord } from '../support/batch-record.ts';
import {
  batchesHere,
  exportTo,
  HASH_KEY,
  linesOf,
  parseLines,
  secret,
  tempFolder,
  tempStore,
} from '../support/batches.ts';

const STREAM = 'generic/ndjson/none/*/now';

const NOBODY = { mode: 'none', hashKey: undefined } as const;
/** Exports the changes since the last export. */
const exportChanges = (store: HistoryStore, file: string, more: Partial<ExportOptions> = {}) =>
  exportTo(store, file, { personal: NOBODY, since: 'last', ...more });

const idsOf = (rows: { BatchId: number }[]) => rows.map(({ BatchId }) => BatchId);
const idsIn = (file: string) => idsOf(linesOf(file));

/** Two batches, and an export interrupted after it was recorded as pending. */
function interrupted() {
  const { folder, store } = historyOf([batchRecord({ BatchId: 1 }), batchRecord({ BatchId: 2 })]);
  const file = path.join(folder, 'changes.ndjson');
  const temporary = path.join(folder, '.changes.ndjson.0123456789ab.batches-tmp');
  const content = '{"BatchId":1}\n{"BatchId":2}\n';
  writeFileSync(temporary, content, { mode: 0o600 });
  const run = beginRun(store, { stream: STREAM, pii: 'none' }, file, temporary);
  recordWritten(store, run, { from: 0, to: 2, rows: 2, sha256: sha256(content) });
  fill(store, [batchRecord({ BatchId: 3 })], { at: '2026-02-02T06:00:00.000Z' });
  return { folder, store, file, temporary };
}

test.each<[string, (run: ReturnType<typeof interrupted>) => void, boolean, number[], number[]]>([
  ['killed before the file had its name', () => {}, false, [1, 2, 3], []],
  [
    'killed after the file had its name',
    ({ temporary, file }) => renameSync(temporary, file),
    true,
    [1, 2],
    [3],
  ],
  ['killed after a reader took the file', ({ temporary }) => rmSync(temporary), false, [3], []],
  [
    'on another machine, to which the history was moved',
    ({ temporary, store }) => {
      rmSync(temporary);
      store.db.prepare("UPDATE export_run SET folder = '1:1'").run();
    },
    false,
    [1, 2, 3],
    [],
  ],
])('%s: the same command exports each change once', async (_, happen, wasWritten, ids, next) => {
  const run = interrupted();
  const { store, file, temporary } = run;
  happen(run);
  expect(await exportChanges(store, file)).toMatchObject({ rows: ids.length, wasWritten });
  expect(idsIn(file)).toEqual(ids);
  expect(existsSync(temporary)).toBe(false);
  await exportChanges(store, `${file}.2`);
  expect(idsIn(`${file}.2`)).toEqual(next);
});

test('a stream refuses another account and another --pii, and has a separate position for contacts', async () => {
  const { store, run } = historyOf([
    batchRecord({ BatchId: 1, RecipientEmail: 'ann@customers.example' }),
  ]);
  fill(store, [batchRecord({ BatchId: 2 })], { account: 'south' });
  const args = ['export', '--format', 'ndjson', '--output', '-', '--since', 'last'];
  const crm = (...more: string[]) => run([...args, '--stream', 'crm', ...more]);
  const idsFor = async (account: string) =>
    idsOf(parseLines((await crm('--account', account)).stdout));
  expect(await idsFor('north')).toEqual([1]);
  expect(await idsFor('north')).toEqual([]);
  const { stderr: contacts } = await crm('--account', 'north', '--profile', 'contacts');
  expect(contacts).toContain('1 row');
  const full = ['--account', 'north', '--pii', 'full'];
  for (const others of [['--account', 'south'], [], full, [...full, '--erasures']]) {
    const { code, stderr } = await crm(...others);
    expect(code).toBe(2);
    expect(stderr).toContain('exports of this stream are of the account "north" with --pii none.');
  }
});

test('a stream refuses another key or calling code, because hashes or contacts would differ', async () => {
  const { store } = historyOf([batchRecord({ BatchId: 1, RecipientMobile: '07700 900123' })]);
  const exported = (key: string, callingCode?: string) => {
    const personal = { mode: 'hash', hashKey: secret(key), callingCode } as const;
    return exportTo(store, `${store.file}.${Math.random()}`, { personal, since: 'last' });
  };
  for (const mode of ['full', 'none'] as const) {
    const contacts = (callingCode?: string) => {
      const personal = { mode, hashKey: undefined, callingCode };
      const options = { personal, profile: 'contacts', since: 'last' } as const;
      return exportTo(store, `${store.file}.${Math.random()}`, options);
    };
    expect(await contacts('44')).toMatchObject({ rows: 1 });
    await expect(contacts()).rejects.toThrow('--pii cannot be used');
    expect(await contacts('44')).toMatchObject({ rows: 0 });
  }
  expect(await exported(HASH_KEY, '44')).toMatchObject({ rows: 1 });
  await expect(exported(HASH_KEY)).rejects.toThrow('--pii cannot be used');
  await expect(exported(`${HASH_KEY}0`, '44')).rejects.toThrow('--pii cannot be used');
  expect(await exported(HASH_KEY, '44')).toMatchObject({ rows: 0 });
});

test('a closed standard output does not move a mark', async () => {
  const { store } = historyOf([batchRecord({ BatchId: 1 })]);
  const closed = new PassThrough();
  closed.destroy(new Error('EPIPE'));
  const exportInto = (writable: PassThrough) => exportChanges(store, '', { to: { writable } });
  await expect(exportInto(closed)).rejects.toMatchObject({
    code: 'export-reader-gone',
  });
  const read = async () => {
    const reader = new PassThrough();
    const exported = exportInto(reader).finally(() => reader.end());
    const [{ rows }, content] = await Promise.all([exported, text(reader)]);
    return [rows, idsOf(parseLines(content))];
  };
  expect(await read()).toEqual([1, [1]]);
  expect(await read()).toEqual([0, []]);
});

test('changes during an export belong to the next one', async () => {
  const { folder, store } = historyOf(
    Array.from({ length: 6000 }, (_, index) => batchRecord({ BatchId: index + 1 })),
  );
  const other = tempStore(folder);
  const slow = new PassThrough({ highWaterMark: 1024 });
  const first = exportChanges(store, '', { to: { writable: slow } }).finally(() => slow.end());
  await new Promise((resolve) => slow.once('readable', resolve));
  fill(other, [batchRecord({ BatchId: 1, Title: 'changed' }), batchRecord({ BatchId: 9000 })], {
    at: '2026-02-02T06:00:00.000Z',
  });
  const [{ rows }, content] = await Promise.all([first, text(slow)]);
  expect(rows).toBe(6000);
  expect(parseLines(content)).toHaveLength(6000);
  const file = path.join(folder, 'next.ndjson');
  await exportChanges(store, file);
  expect(idsIn(file).sort()).toEqual([1, 9000]);
});

test('--since-change and --since with a time repeat an export without moving a mark', async () => {
  const folder = tempFolder();
  const store = tempStore(folder);
  for (const id of [1, 2, 3]) {
    fill(store, [batchRecord({ BatchId: id })], { at: `2026-02-0${id}T06:00:00.000Z` });
    if (id < 3) await exportChanges(store, path.join(folder, `${id}.ndjson`));
  }
  const run = (...args: string[]) =>
    batchesHere(['export', '--format', 'ndjson', '--store', store.file, ...args], { cwd: folder });
  for (const start of [
    ['--since-change', '1'],
    ['--since', '2026-02-01T06:00:00Z'],
  ]) {
    const ran = await run(...start, '--output', '-');
    expect(ran).toMatchObject({ code: 0, stderr: expect.stringContaining('(changes 2 to 3)') });
    expect(parseLines(ran.stdout).map(({ BatchId }) => BatchId)).toEqual([2, 3]);
  }
  expect(idsIn((await exportChanges(store, path.join(folder, '3.ndjson'))).file ?? '')).toEqual([
    3,
  ]);

  expect(parseLines((await run('--since-change', '3', '--output', '-')).stdout)).toEqual([]);
  for (const [args, message] of [
    [['--since-change', '4'], 'The last one is 3.'],
    [['--since-change', '1', '--since', 'last'], 'It excludes --since.'],
  ] as const) {
    expect(await run(...args)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  }
});
