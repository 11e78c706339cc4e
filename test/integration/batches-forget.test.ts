import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { prune } from '../../src/batches/erase.ts';
import type { ErasedTest } from '../../src/batches/model/persons.ts';
import { erasedTest } from '../../src/batches/store/erased-persons.ts';
import type { HistoryStore } from '../../src/batches/store/open.ts';
import type { BatchRecord } from '../../src/contract/batch.ts';
import { fill, historyOf } from '../support/batch-fill.ts';
import { batchRecord } from '../support/batch-record.ts';
import {
  batchesHere,
  DAY,
  HASH_KEY,
  iso,
  parseLines,
  pullWith,
  secret,
  startBench,
  tempFolder,
  tempStore,
} from '../support/batches.ts';

const SALLY = 'sally@dealer.example';
const ANN = 'ann@customers.example';
const sallys = batchRecord({
  BatchId: 1,
  SendingUserName: `Sally <${SALLY}>`,
  Title: 'For Ann',
  RecipientEmail: ANN,
});

const KEY = secret(HASH_KEY);
const DAY_5 = '2026-02-05T06:00:00.000Z';

const EXPORT = ['export', '--pii', 'full', '--since', 'last', '--output', '-'];
const SALESFORCE = [...EXPORT, '--profile', 'salesforce', '--format', 'csv'];

/** A history of one batch in two versions, which Sally sent to Ann. */
function sentBySally() {
  const { store, run, ...rest } = historyOf([
    { ...sallys, VideoPlayCount: 1 },
    batchRecord({ BatchId: 2 }),
  ]);
  fill(store, [{ ...sallys, VideoPlayCount: 2 }], { at: '2026-02-02T06:00:00.000Z' });
  store.db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  const traces = () => readFileSync(store.file, 'latin1').match(/sally/gi) ?? [];
  return { ...rest, store, run, traces };
}

test('the erasure of a sender removes only the sender, from all versions', async () => {
  const { store, run, traces } = sentBySally();
  expect(traces()).not.toEqual([]);
  const { code, stdout } = await run(['forget', '--email', SALLY]);
  expect(code).toBe(0);
  expect(stdout).toContain('erased: 0 batches with 0 versions');
  expect(stdout).toContain('only the sender erased: 1 batch, 0 quarantined records');
  expect(stdout).toContain('  north 1\n');
  expect(traces()).toEqual([]);
  const versions = store.db
    .prepare(
      `SELECT number, sending_user_name AS sender, recipient_email AS recipient, title,
         video_play_count AS plays FROM version WHERE batch_row = 1`,
    )
    .all();
  const kept = { sender: '', recipient: ANN, title: 'For Ann' };
  expect(versions).toEqual([
    { number: 1, ...kept, plays: 1 },
    { number: 2, ...kept, plays: 2 },
    { number: 3, ...kept, plays: 2 },
  ]);
  expect(await run(['status', '--check'])).toMatchObject({ code: 0 });
  expect((await run(['forget', '--email', SALLY])).code).toBe(8);
});

test('the erasure of a sender reaches each consumer, and contacts keep their recipients', async () => {
  const { run } = sentBySally();
  const contacts = [...EXPORT, '--profile', 'hubspot-contacts', '--format', 'ndjson'];
  const generic = [...EXPORT, '--format', 'ndjson'];
  for (const args of [SALESFORCE, contacts, generic]) await run(args);
  expect((await run(['forget', '--email', SALLY])).stdout).toContain('with --erasures');

  expect(parseLines((await run(generic)).stdout)).toEqual([
    expect.objectContaining({ BatchId: 1, SendingUserName: '', RecipientEmail: ANN }),
  ]);
  expect((await run(SALESFORCE)).stderr).toContain('1 erased batch waits for this consumer');
  const [heading = '', row = '', ...more] = (await run([...SALESFORCE, '--erasures'])).stdout
    .trim()
    .split('\r\n');
  expect(more).toEqual([]);
  const cells = row.split(',');
  const cell = (name: string) => cells[heading.split(',').indexOf(name)];
  expect(cell('Batch_Sending_User_Name__c')).toBe('#N/A');
  expect(cell('Batch_Recipient_Email__c')).toBe(ANN);
  const changes = await run(contacts);
  expect(changes).toMatchObject({ code: 0, stdout: '' });
  expect(changes.stderr).not.toContain('waits');
  expect((await run(['status'])).stdout).toContain('/contacts/erasures: 0 erasures waiting');
  expect((await run([...contacts, '--erasures'])).stdout).toBe('');
  // Nothing was erased.
  expect((await run(['forget', '--batch', '999'])).stdout).not.toContain('--erasures');
  // The later erasure of the recipient is exported again.
  await run(['forget', '--email', ANN]);
  expect((await run([...SALESFORCE, '--erasures'])).stdout).toContain('north-1,#N/A');
  expect((await run([...contacts, '--erasures'])).stdout).toContain('north-1');
});

test('the erasure of a sender asks to write a report again, which names senders', async () => {
  const { run, folder } = sentBySally();
  await run(['export', '--format', 'csv', '--erasures', '--output', '-']);
  expect((await run(['forget', '--email', ANN])).stdout).not.toContain('report');
  const report = () => run(['report', '--output', `${folder}/report`]);
  await report();
  const text = () => readFileSync(`${folder}/report/index.html`, 'utf8');
  const { stdout } = await run(['forget', '--email', SALLY]);
  expect(stdout).toMatch(/the last report was \d.*: write it again, because it names senders/);
  await report();
  expect(text()).not.toContain('ally');
});

test('the erasure of a sender also covers quarantined records, and keeps their recipients', async () => {
  const { store, run, traces } = sentBySally();
  // Without the sender, both are equal.
  const broken = [sallys.SendingUserName, SALLY].map((SendingUserName) => {
    return { ...sallys, BatchId: 9, SendingUserName };
  });
  fill(store, [], { broken });
  const { stdout } = await run(['forget', '--email', SALLY]);
  expect(stdout).toContain('only the sender erased: 1 batch, 2 quarantined records.');
  expect(traces()).toEqual([]);
  const raws = store.db.prepare('SELECT raw FROM quarantine').all();
  expect(raws).toEqual([{ raw: expect.stringContaining(ANN) }]);
});

test('a sender without an address is erased by name, also in later pulls', async () => {
  const named = { ...sallys, SendingUserName: 'Sally  S.' };
  const { store, run } = historyOf([named, { ...named, BatchId: 2, SendingUserName: 'Sally' }]);
  const { code, stdout } = await run(['forget', '--sender', '-'], 'SALLY s.\n');
  expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('  north 1') });
  fill(store, [{ ...named, BatchId: 3 }], { at: DAY_5, isErased: erasedTest(store.db, KEY) });
  const sql = 'SELECT DISTINCT sending_user_name AS sender, recipient_email AS email FROM version';
  const found = store.db.prepare(sql).all();
  expect(found).toEqual(['', 'Sally'].map((sender) => ({ sender, email: ANN })));
});

test('an address of a sender and a recipient is erased from both fields', async () => {
  const { store, run, traces } = sentBySally();
  fill(store, [{ ...sallys, BatchId: 3, RecipientEmail: SALLY }]);
  const { stdout } = await run(['forget', '--email', SALLY]);
  expect(stdout).toContain('erased: 1 batch with 1 version');
  expect(stdout).toContain('only the sender erased: 1 batch');
  expect(traces()).toEqual([]);
});

test('a batch that was only quarantined stays erased in later pulls', async () => {
  const bench = await startBench();
  const folder = tempFolder();
  const store = tempStore(folder);
  const now = Date.now();
  const ann9 = { ...sallys, BatchId: 9, DateCreated: iso(now - DAY) };
  const { SearchClicks: _, ...broken } = ann9;
  const good = batchRecord({ BatchId: 2, DateCreated: iso(now - DAY) });
  bench.serve([good, broken]);
  expect(await pullWith(bench, store, now)).toMatchObject({ quarantined: 1 });
  const run = (...args: string[]) =>
    batchesHere([...args, '--store', store.file], { cwd: folder, input: '' });
  const forget = () => run('forget', '--batch', '9');
  const { code, stdout } = await forget();
  expect(code).toBe(0);
  expect(stdout).toContain('1 quarantined record');
  expect(stdout).toContain('later pulls keep only counts and times');
  expect((await forget()).code).toBe(0);
  expect(parseLines((await run(...EXPORT, '--format', 'ndjson')).stdout)).toHaveLength(1);

  await pullWith(bench, store, now + 1000);
  expect(store.db.prepare('SELECT raw FROM quarantine').all()).toEqual([]);
  bench.serve([good, { ...ann9, VideoPlayCount: 7 }]);
  await pullWith(bench, store, now + 2000);
  expect(parseLines((await run(...EXPORT, '--format', 'ndjson')).stdout)).toEqual([
    expect.objectContaining({ BatchId: 9, VideoPlayCount: 7, RecipientEmail: '', Title: '' }),
  ]);
  store.db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  expect(readFileSync(store.file, 'latin1')).not.toMatch(/ann@|for ann/i);
  expect(await run('status', '--check')).toMatchObject({ code: 0 });
});

test('an erased sender is removed from versions and records without the address, also in later pulls', async () => {
  const { store, run, traces } = sentBySally();
  const named = { ...sallys, SendingUserName: 'Sally S.', VideoPlayCount: 3 };
  fill(store, [named], { at: '2026-02-03T06:00:00.000Z' });
  const pull = (at: string, record = named) =>
    fill(store, [record], { at, broken: [named], isErased: erasedTest(store.db, KEY) });
  pull('2026-02-04T06:00:00.000Z');
  const { stdout } = await run(['forget', '--email', SALLY]);
  expect(stdout).toContain('only the sender erased: 1 batch, 1 quarantined record.');
  expect(traces()).toEqual([]);
  expect(pull('2026-02-05T06:00:00.000Z')).toMatchObject({ unchanged: 1, scrubbed: 1 });
  const played = { ...named, VideoPlayCount: 4 };
  expect(pull('2026-02-06T06:00:00.000Z', played)).toMatchObject({ changed: 1, scrubbed: 1 });
  store.db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  expect(traces()).toEqual([]);
  const recipients = store.db.prepare('SELECT recipient_email AS email FROM version').all();
  expect(recipients.filter(({ email }) => email === ANN)).toHaveLength(5);
});

test('a pull that identifies an erased sender removes the name from earlier versions and records', async () => {
  const { store, run, traces } = sentBySally();
  const named = { ...sallys, BatchId: 3, SendingUserName: 'Sally S.' };
  fill(store, [named], { broken: [named] });
  await run(['forget', '--email', SALLY]);
  expect(traces()).toHaveLength(3);
  const isErased = erasedTest(store.db, KEY);
  for (const at of ['2026-02-05T06:00:00.000Z', '2026-02-06T06:00:00.000Z']) {
    const applied = fill(store, [{ ...sallys, BatchId: 3 }], { at, isErased });
    expect(applied).toMatchObject({ unchanged: 1, scrubbed: 1 });
  }
  store.db.exec('VACUUM; PRAGMA wal_checkpoint(TRUNCATE)');
  expect(traces()).toEqual([]);
});

test.each<[string, (store: HistoryStore, first: BatchRecord, isErased: ErasedTest) => void]>([
  ['new', (store, first, isErased) => fill(store, [first], { at: DAY_5, isErased })],
  [
    'new and of an erased recipient',
    (store, first, isErased) =>
      fill(store, [first], {
        at: DAY_5,
        isErased: (fields) => isErased(fields) || fields.RecipientEmail === ANN,
      }),
  ],
  [
    'known without the sender',
    (store, first, isErased) => {
      fill(store, [{ ...first, SendingUserName: '' }], { at: '2026-02-04T06:00:00.000Z' });
      fill(store, [first], { at: DAY_5, isErased });
    },
  ],
  [
    'quarantined',
    (store, first, isErased) => fill(store, [], { at: DAY_5, broken: [first], isErased }),
  ],
])(
  'a batch that is %s after the erasure of its sender keeps out the name in later pulls',
  async (_, pullFirst) => {
    const { store, run, traces } = sentBySally();
    await run(['forget', '--email', SALLY]);
    const isErased = erasedTest(store.db, KEY);
    const first = { ...sallys, BatchId: 5 };
    pullFirst(store, first, isErased);
    const named = { ...first, SendingUserName: 'Sally S.', VideoPlayCount: 4 };
    fill(store, [named], { at: '2026-02-06T06:00:00.000Z', broken: [named], isErased });
    store.db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    expect(traces()).toEqual([]);
    const current = `SELECT sending_user_name AS sender, video_play_count AS plays
      FROM batches_current WHERE batch_id = 5`;
    expect(store.db.prepare(current).all()).toEqual([{ sender: '', plays: 4 }]);
    const raws = store.db.prepare('SELECT raw FROM quarantine WHERE last_seen_at > ?').all(DAY_5);
    for (const { raw } of raws) expect(raw).toContain(ANN);
    expect(await run(['status', '--check'])).toMatchObject({ code: 0 });
  },
);

test('a batch whose unreadable record names an erased recipient stays without the recipient', async () => {
  const { store, run } = sentBySally();
  await run(['forget', '--email', ANN]);
  const isErased = erasedTest(store.db, KEY);
  const fifth = { ...sallys, BatchId: 5 };
  fill(store, [], { at: DAY_5, broken: [fifth], isErased });
  fill(store, [{ ...fifth, RecipientEmail: '' }], { at: '2026-02-06T06:00:00.000Z', isErased });
  const current = 'SELECT title, recipient_email AS email FROM batches_current WHERE batch_id = 5';
  expect(store.db.prepare(current).all()).toEqual([{ title: '', email: '' }]);
  expect(await run(['status', '--check'])).toMatchObject({ code: 0 });
});

test.each<[string, (store: HistoryStore, anns: BatchRecord) => unknown]>([
  [
    'a pull',
    (store, anns) =>
      fill(store, [anns], {
        at: '2026-02-06T06:00:00.000Z',
        isErased: ({ RecipientEmail }) => RecipientEmail === ANN,
      }),
  ],
  ['prune', (store) => prune(store, { before: '2026-01-06T00:00:00.000Z', dryRun: false })],
])('%s that erases the recipient of a batch removes its quarantined records', (_, erase) => {
  const first = batchRecord({ BatchId: 1, DateCreated: '2026-01-05T10:00:00Z' });
  const { store } = historyOf([first]);
  fill(store, [], { broken: [{ ...first, Title: 'For Ann' }] });
  erase(store, { ...first, RecipientEmail: ANN });
  expect(store.db.prepare('SELECT raw FROM quarantine').all()).toEqual([]);
});

test('the recipient of a quarantined record is erased from all versions and records of the batch', async () => {
  const { store, run } = sentBySally();
  const bobs = batchRecord({ BatchId: 2, Title: 'For Bob' });
  const broken = [bobs, { ...bobs, RecipientEmail: 'bob@customers.example' }];
  fill(store, [bobs], { at: '2026-02-03T06:00:00.000Z', broken });
  const { stdout } = await run(['forget', '--email', 'bob@customers.example']);
  expect(stdout).toContain('erased: 1 batch with 2 versions, 2 quarantined records');
  expect(readFileSync(store.file, 'latin1')).not.toMatch(/bob/i);
});

test.each([null, '', [7]])(
  'a quarantined record with the BatchId %j is erased, others stay',
  async (id) => {
    const { store, run } = sentBySally();
    const BatchId = id as never;
    const isErased = erasedTest(store.db, KEY);
    fill(store, [], { broken: [{ ...sallys, BatchId, SendingUserName: '' }] });
    expect((await run(['forget', '--email', ANN])).stdout).toContain('1 quarantined record');
    expect(store.db.prepare('SELECT raw FROM quarantine').all()).toEqual([]);
    fill(store, [], { broken: [batchRecord({ BatchId, Title: 'For Bob' })], isErased });
    expect(store.db.prepare('SELECT raw FROM quarantine').all()).toHaveLength(1);
  },
);
