import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { BatchRecord } from '../../src/contract/batch.ts';
import { fill, historyOf } from '../support/batch-fill.ts';
import { batchRecord } from '../support/batch-record.ts';
import { exportTo, HASH_KEY, linesOf, parseLines } from '../support/batches.ts';

const ANN = 'ann@customers.example';
const anns = batchRecord({
  BatchId: 1,
  MarketingContactId: 51,
  Title: 'For Ann',
  RecipientEmail: ANN,
  RecipientMobile: '+447700900123',
  CustomerActionDescription: 'Ann will call',
  CustomerRating: 5,
  LandingPageWatchCount: 3,
});
const bobs = batchRecord({ BatchId: 2, RecipientEmail: 'bob@customers.example' });

/** A history of two people, and the command line on it. */
function history(more: Partial<BatchRecord> = {}) {
  const { run, ...rest } = historyOf([anns, bobs].map((one) => ({ ...one, ...more })));
  return {
    ...rest,
    run: async (...args: string[]) => {
      const ran = await run(args);
      expect(ran, ran.stderr).toMatchObject({ code: 0 });
      return ran;
    },
  };
}

const EXPORT = ['export', '--pii', 'full', '--since', 'last', '--output', '-'];
const SALESFORCE = [...EXPORT, '--profile', 'salesforce', '--format', 'csv'];

test('an export of erasures lists each erased batch once per consumer, in clear keys', async () => {
  const { run } = history();
  expect((await run(...SALESFORCE, '--erasures')).stderr).toContain('0 rows');
  await run(...SALESFORCE);
  expect((await run('forget', '--email', ANN)).stdout).toContain('with --erasures');

  const changes = await run(...SALESFORCE);
  expect(changes.stdout.trim().split('\r\n')).toHaveLength(1);
  expect(changes.stderr).toContain(
    '1 erased batch waits for this consumer: run the same command with --erasures.',
  );
  expect((await run('status')).stdout).toContain(
    'export salesforce/csv/full/*/now/erasures: 1 erasure waiting',
  );
  const [heading, ...rows] = (await run(...SALESFORCE, '--erasures')).stdout.trim().split('\r\n');
  expect(heading).toBe(
    'Batch_Key__c,Batch_Marketing_Contact_Id__c,Batch_Sending_User_Name__c,Batch_Title__c,Batch_Product_Type__c,Batch_Recipient_Email__c,Batch_Recipient_Mobile__c,Batch_Customer_Action_State__c,Batch_Customer_Action_Date__c,Batch_Customer_Action_Description__c,Batch_Customer_Action_Price_Suffix__c,Batch_Customer_Action_Payment_Outcome__c,Batch_Customer_Rating__c,Batch_Customer_Rating_Additional__c',
  );
  // The Bulk API ignores empty cells, and #N/A clears a field.
  expect(rows).toEqual([
    'north-1,#N/A,Sam Sender,#N/A,vehicle_walkaround,#N/A,#N/A,#N/A,#N/A,#N/A,#N/A,#N/A,5,#N/A',
  ]);
  expect((await run(...SALESFORCE, '--erasures')).stdout.trim()).toBe(heading);
  expect((await run(...SALESFORCE)).stderr).not.toContain('waits');
  // Another consumer has a separate position.
  const hubspot = [...EXPORT, '--profile', 'hubspot', '--format', 'ndjson', '--erasures'];
  expect(parseLines((await run(...hubspot)).stdout)).toEqual([
    expect.objectContaining({
      batch_key: 'north-1',
      // HubSpot's API clears a property on an empty string.
      batch_recipient_email: '',
      batch_title: '',
      batch_customer_rating: 5,
    }),
  ]);
});

test('status shows pending erasures of a consumer that never requested them', async () => {
  const { run } = history();
  await run(...EXPORT, '--format', 'ndjson');
  await run(...EXPORT, '--format', 'ndjson', '--stream', 'warehouse');
  await run(...EXPORT, '--format', 'ndjson', '--stream', 'counts', '--pii', 'none');
  await run('forget', '--email', ANN);
  const { stdout } = await run('status');
  // Without personal data, there is nothing to erase.
  expect(stdout).not.toContain('counts/now/erasures');
  expect(stdout).toContain('export generic/ndjson/full/*/now/erasures: 1 erasure waiting');
  expect(stdout).toContain('export warehouse/now/erasures: 1 erasure waiting');
  await run(...EXPORT, '--format', 'ndjson', '--history');
  await run(...EXPORT, '--format', 'ndjson', '--erasures');
  expect((await run(...EXPORT, '--format', 'ndjson', '--history')).stderr).toContain('1 erased');
  const { stdout: later } = await run('status');
  expect(later).toContain('export generic/ndjson/full/*/now/erasures: 0 erasures waiting');
  expect(later).toContain('export generic/ndjson/full/*/history/erasures: 1 erasure waiting');
  await run(...EXPORT, '--format', 'ndjson', '--history', '--erasures');
  expect((await run('status')).stdout).toContain('history/erasures: 0 erasures waiting');
});

test('status counts only the exported account for each consumer', async () => {
  const { store, run } = history();
  const since = [...EXPORT, '--format', 'ndjson'];
  await run(...since, '--account', 'north');
  await run(...since, '--account', 'north', '--stream', 'warehouse');
  await run(...since);
  fill(store, [batchRecord({ BatchId: 20 })], { account: 'south' });
  const { stdout } = await run('status');
  expect(stdout).toContain('export generic/ndjson/full/north/now: 0 changes waiting');
  expect(stdout).toContain('export warehouse/now: 0 changes waiting');
  expect(stdout).toContain('export generic/ndjson/full/*/now: 1 change waiting');
  await run('forget', '--batch', '20', '--account', 'south');
  const { stdout: later } = await run('status');
  expect(later).toContain('export warehouse/now/erasures: 0 erasures waiting');
  expect(later).toContain('export generic/ndjson/full/*/now/erasures: 1 erasure waiting');
});

test('forget reports complete exports with personal data, but not reports', async () => {
  const { folder, run } = history();
  const forget = async (batch: string) => (await run('forget', '--batch', batch)).stdout;
  await run('report', '--output', path.join(folder, 'report'));
  await run('export', '--format', 'ndjson', '--output', '-');
  expect(await forget('1')).not.toContain('the last export was');
  await run('export', '--format', 'ndjson', '--pii', 'full', '--output', '-');
  expect(await forget('2')).toContain('the last export was');
});

test('an export of erasures contains no value of the erased person in any form', async () => {
  const { folder, store, run } = history();
  await run('forget', '--email', ANN);
  for (const format of ['csv', 'ndjson', 'parquet', 'xlsx'] as const) {
    for (const mode of ['full', 'hash', 'none'] as const) {
      const file = path.join(folder, `${format}-${mode}`);
      const hashKey = { reveal: () => HASH_KEY } as never;
      const { rows } = await exportTo(store, file, {
        format,
        personal: { mode, hashKey },
        erasures: true,
      });
      expect(rows).toBe(1);
      expect(readFileSync(file, 'latin1')).not.toMatch(/ann@|for ann|will call|7700900123|bob@/i);
    }
  }
  const [erased] = linesOf(path.join(folder, 'ndjson-full'));
  expect(erased).toMatchObject({
    Account: 'north',
    BatchId: 1,
    _erased: expect.stringMatching(/^20\d\d-.*Z$/),
    RecipientEmail: null,
    MarketingContactId: null,
  });
});

/** ISO 8601 of the same time of day, the given number of days ago. */
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

test('prune erases the persons of old batches and notifies consumers', async () => {
  const { store, run } = history({ DateCreated: daysAgo(100) });
  const [old, recent] = [735, 725].map((age, index) =>
    batchRecord({
      BatchId: 10 + index,
      DateCreated: daysAgo(age),
      RecipientEmail: `${age}@customers.example`,
    }),
  );
  fill(store, [old, recent] as BatchRecord[], { at: daysAgo(32) });
  // The clock of this machine may be ahead.
  await expect(run('prune', '--older-than', '730d')).rejects.toThrow('[prune-clock]');
  const dated = ['prune', '--older-than', daysAgo(740).slice(0, 10), '--dry-run'];
  expect((await run(...dated)).stdout).toContain('would erase: 0 batches');
  fill(store, [], { at: daysAgo(1), broken: [{ ...old, BatchId: 12 } as BatchRecord] });
  const erased = () =>
    store.db.prepare('SELECT batch_id AS id FROM batch WHERE erased_at IS NOT NULL').all();
  const dry = await run('prune', '--older-than', '730d', '--dry-run');
  expect(dry.stdout).toContain('would erase: 1 batch with 1 version, 1 quarantined record');
  // A wrong clock is visible before anything is erased.
  expect(dry.stdout).toContain(`batches created before ${daysAgo(730).slice(0, 10)}T`);
  expect(erased()).toEqual([]);
  expect((await run('prune', '--older-than', '730d')).stdout).toContain('erased: 1 batch');
  expect(erased()).toEqual([{ id: 10 }]);
  expect(readFileSync(store.file, 'latin1')).not.toContain('735@customers');
  const exported = parseLines((await run(...EXPORT, '--format', 'ndjson', '--erasures')).stdout);
  expect(exported).toMatchObject([{ BatchId: 10 }]);
  // Later pulls keep only counts and times.
  fill(store, [
    batchRecord({ BatchId: 10, DateCreated: daysAgo(735), Title: 'Again', SocialClicks: 2 }),
  ]);
  expect(readFileSync(store.file, 'latin1')).not.toContain('Again');
  expect((await run('prune', '--older-than', '24m')).stdout).toContain('erased: 0 batches');
});

/** Runs `forget` on two batches. The first was changed, and each version names another person. */
function forgetIn(args: string[], input = '') {
  const first = batchRecord({ BatchId: 1, RecipientEmail: ANN });
  const { store, run } = historyOf([
    first,
    batchRecord({ BatchId: 2, RecipientMobile: '+447700900123' }),
  ]);
  fill(store, [{ ...first, RecipientEmail: 'bob@customers.example' }], {
    at: '2026-02-02T06:00:00.000Z',
  });
  return run(['forget', ...args], input);
}

test.each([
  [['--email', 'zoe.misspelt@customers.example'], 0, '1 of 1 values: --email number 1'],
  [['--mobile', '+441632960961'], 0, '1 of 1 values: --mobile number 1'],
  [['--batch', '77'], 0, '1 of 1 values: --batch number 1'],
  [
    ['--email', ANN, '--email', 'zoe@x.example', '--batch', '2'],
    2,
    '1 of 3 values: --email number 2',
  ],
  [['--email', '-'], 1, '1 of 3 values: --email number 2'],
])(
  'forget %j reports a value without a match and does not repeat it',
  async (args, erased, text) => {
    const ran = await forgetIn(args, `${ANN}\nzoe@x.example\nBOB@customers.example\n`);
    expect(ran).toMatchObject({ code: 8, stderr: expect.stringContaining('[forget-no-match]') });
    expect(ran.stderr).toContain(text);
    expect(ran.stdout).toContain(`erased: ${erased} batch`);
    expect(ran.stdout + ran.stderr).not.toMatch(/zoe|1632|ann@/);
  },
);

test.each([
  ['email', '<ann@customers.example>'],
  ['email', 'Ann, ann@customers.example'],
  ['email', 'ann@customers.example;'],
  ['email', 'ann'],
  ['mobile', '900123'],
  ['mobile', '+447700900123;07700900999'],
])(
  'a value that is not only an address or number is named by its position, and nothing is erased: %s %j',
  async (option, value) => {
    const known = { email: 'bob@customers.example', mobile: '+447700900123' }[option];
    // Old programs for the Mac end lines with \r.
    const ran = await forgetIn([`--${option}`, '-'], `${known}\r${value}\n`);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    const digits = value.length > 15 ? 'has more than 15' : 'has fewer than seven';
    const problem = option === 'email' ? 'is not a plain e-mail address' : digits;
    expect(ran.stderr).toContain(`--${option} number 2 ${problem}`);
    expect(ran.stderr).not.toContain('ann@customers');
  },
);

test('a dry run lists the batches to erase, and erases and stores nothing', async () => {
  const { store, run } = historyOf([anns, bobs]);
  const content = () => JSON.stringify(store.db.prepare('SELECT * FROM version, batch').all());
  const before = content();
  const args = ['forget', '--mobile', '07700 900123', '--email', 'zoe@customers.example'];
  const dry = await run([...args, '--dry-run']);
  expect(dry.stdout).toBe(
    'would erase: 1 batch with 1 version, 0 quarantined records (dry run: nothing was erased)\n  north 1\n',
  );
  expect(dry).toMatchObject({ code: 8, stderr: expect.not.stringContaining('later pulls') });
  expect(content()).toBe(before);
  expect(store.db.prepare('SELECT mark FROM erased_person').all()).toEqual([]);
  expect((await run(args)).stdout).toContain('erased: 1 batch with 1 version');
});

test('forget finds a person in any version of a batch, also if another value erases it', async () => {
  const args = ['--email', 'bob@customers.example', '--email', 'ann@customers.example'];
  expect(await forgetIn([...args, '--batch', '1'])).toMatchObject({ code: 0, stderr: '' });
  expect(await forgetIn(['--mobile', '07700 900123'])).toMatchObject({ code: 0, stderr: '' });
});

test.each(['', '\n \n'])('standard input %j has no value, so nothing is erased', async (input) => {
  const { store, run } = historyOf([anns]);
  const ran = await run(['forget', '--batch', '1', '--email', '-'], input);
  expect(ran).toMatchObject({ code: 2, stdout: '' });
  expect(ran.stderr).toContain('Standard input was empty. Nothing was erased.');
  expect(store.db.prepare('SELECT raw FROM version').get()?.raw).toContain(ANN);
});

test.each([
  ['the recipient', { RecipientMobile: '+44 7700 900123', CustomerActionState: 447700900123 }, []],
  // These numbers could be times.
  ['the recipient', { RecipientMobile: '+1 202 555 0123', CustomerActionState: 2025550123 }, []],
  ['the caller', { CustomerActionState: 2025550123 }, ['--mobile', '+12025550123']],
])(
  'a telephone number of %s that is stored as the number %j is erased',
  async (_, fields, args) => {
    const outcome = 1_767_607_200;
    const record = batchRecord({ BatchId: 1, CustomerActionPaymentOutcome: outcome, ...fields });
    const { store, run } = historyOf([record]);
    const target = args.length > 0 ? args : ['--batch', '1'];
    expect(await run(['forget', ...target])).toMatchObject({ code: 0 });
    const bytes = readFileSync(store.file, 'latin1');
    expect(bytes).not.toMatch(/7700900123|2025550123/);
    expect(bytes).toContain(`"CustomerActionPaymentOutcome":${outcome}`);
  },
);

test('an erasure that is repeated after an incomplete one is listed again', async () => {
  const { store, run } = history();
  await run('forget', '--batch', '1');
  await run(...SALESFORCE);
  await run(...SALESFORCE, '--erasures');
  // As if the erasure had left a telephone number that is stored as a number.
  store.db.exec(`UPDATE version SET raw = json_set(raw, '$.CustomerActionState', 447700900123)
    WHERE batch_row = 1;
    UPDATE batch SET hash = '' WHERE id = 1`);
  await run('forget', '--mobile', '07700 900123');
  expect((await run(...SALESFORCE, '--erasures')).stdout).toContain('north-1');
});
