import { readFileSync } from 'node:fs';
import path from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { parse } from 'csv-parse/sync';
import Papa from 'papaparse';
import readXlsx from 'read-excel-file/node';
import { expect, test } from 'vitest';
import type { PiiMode } from '../../src/batches/export/columns.ts';
import type { ExportOptions } from '../../src/batches/export/export.ts';
import type { FormatName } from '../../src/batches/export/formats.ts';
import type { ProfileName } from '../../src/batches/export/profiles.ts';
import { historyOf } from '../support/batch-fill.ts';
import { batchRecord } from '../support/batch-record.ts';
import { exportTo, HASH_KEY, linesOf, secret, tempFolder } from '../support/batches.ts';
import { unzip } from '../support/zip.ts';

const NASTY = [
  '=HYPERLINK("http://evil.example","x")',
  ' \t=1+1',
  '\ufeff+1',
  '＝1+1',
  '@SUM(A1)',
  '-2+3',
  'fine; =cmd|calc',
  'line\r\n=1+1\nnext',
  'say "hello", friend',
  '#N/A',
  'Zoë – 日本語 🚗',
  'null\u0000byte \u0007',
  '',
];

const RECORDS = NASTY.map((Title, index) =>
  batchRecord({
    BatchId: index + 1,
    Title,
    SendingUserName: index % 2 === 0 ? 'O\'Neil, "Sam"' : '=Sam',
    RecipientEmail: index === 3 ? '' : `Person${index}@Customers.example`,
    RecipientMobile:
      index === 9
        ? '#N/A'
        : (['+447700900123', '+44 7700 900123', '07700 900123', '+44-7700-900123'][index % 4] ??
          ''),
    MarketingContactId: index % 2 === 0 ? 0 : 40 + index,
    DateSent: index === 0 ? null : '2026-01-05T10:05:00Z',
    LandingPageWatchCount: index,
    CustomerActionState: index === 5 ? 'accepted' : null,
    CustomerActionDate: index === 5 ? '2026-01-06T11:00:00+01:00' : index === 6 ? 'soon' : null,
    CustomerActionPrice: index === 5 ? 99.5 : 0,
    CustomerRating: index === 5 ? 4 : null,
    CustomerRatingAdditional: index === 5 ? { stars: [1, 2] } : null,
    ...(index === 5 && { Surprise: 'extra' }),
  }),
);

function filled(records = RECORDS) {
  const { folder, store } = historyOf(records);
  const write = async (
    format: FormatName,
    {
      profile = 'generic',
      mode = 'full',
      ...more
    }: { profile?: ProfileName; mode?: PiiMode } & Partial<ExportOptions> = {},
  ) => {
    const file = path.join(folder, `${profile}-${mode}.${format}`);
    const personal = { mode, hashKey: secret(HASH_KEY), callingCode: '44' };
    const result = await exportTo(store, file, { format, profile, personal, ...more });
    return { file, result };
  };
  return { store, write };
}

const STARTS_FORMULA = /^[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠]/u;
const PHONE = /^\+\d[\d ]*$/;

test.each(['generic', 'hubspot', 'salesforce', 'dataverse'] as const)(
  'CSV %s: two parsers agree, no cell is a formula, phone numbers are complete',
  async (profile) => {
    const { write } = filled();
    const { file } = await write('csv', { profile });
    const content = readFileSync(file, 'utf8');
    expect(content.startsWith('\ufeff')).toBe(profile === 'dataverse');
    const rows = parse(content, { bom: true, record_delimiter: '\r\n' }) as string[][];
    expect(
      Papa.parse(content.replace(/^\ufeff/, ''), { newline: '\r\n', skipEmptyLines: true }).data,
    ).toEqual(rows);
    expect(rows).toHaveLength(RECORDS.length + 1);
    const mobile = rows[0]?.findIndex((name) => /Recipient_?Mobile/i.test(name)) ?? -1;
    expect(rows.slice(1, 5).map((row) => row[mobile])).toEqual([
      '+447700900123',
      '+44 7700 900123',
      '07700 900123',
      '+447700900123',
    ]);
    for (const cell of rows.flat()) if (STARTS_FORMULA.test(cell)) expect(cell).toMatch(PHONE);
    // A spreadsheet that splits at semicolons or tabs instead finds no formula either.
    for (const delimiter of [';', '\t', '|']) {
      const split = Papa.parse<string[]>(content, { delimiter, newline: '\n' }).data.flat();
      for (const cell of split) if (STARTS_FORMULA.test(cell)) expect(cell).toMatch(PHONE);
    }
    expect(content).toContain('Zoë – 日本語 🚗');
  },
);

test('CSV keeps every value that is not a formula, and names unknown values by profile', async () => {
  const { write } = filled();
  const read = async (profile: ProfileName) =>
    parse(readFileSync((await write('csv', { profile })).file), {
      bom: true,
      columns: true,
    }) as Record<string, string>[];
  const generic = await read('generic');
  expect(generic[5]).toMatchObject({
    Account: 'north',
    BatchId: '6',
    CustomerActionPrice: '99.5',
    CustomerRating: '4',
    CustomerRatingAdditional: '{"stars":[1,2]}',
    ExtraFields: '{"Surprise":"extra"}',
    DateSent: '2026-01-05T10:05:00Z',
  });
  expect(generic[8]?.Title).toBe('say "hello", friend');
  const hubspot = await read('hubspot');
  expect(hubspot[5]).toMatchObject({
    batch_key: 'north-6',
    batch_date_sent: String(Date.UTC(2026, 0, 5, 10, 5)),
    batch_customer_action_date: String(Date.UTC(2026, 0, 6, 10)),
    batch_customer_action_price: '99.5',
  });
  expect(hubspot[0]).toMatchObject({
    batch_customer_action_price: '',
    batch_marketing_contact_id: '',
  });
  const salesforce = await read('salesforce');
  expect(salesforce[5]).toMatchObject({
    Batch_Key__c: 'north-6',
    Batch_Date_Sent__c: '2026-01-05T10:05:00.000Z',
    Batch_Customer_Action_Date__c: '2026-01-06T10:00:00.000Z',
  });
  // It would clear the fields.
  expect(salesforce[9]).toMatchObject({
    Batch_Title__c: "'#N/A",
    Batch_Recipient_Mobile__c: "'#N/A",
  });
  expect(Object.keys(salesforce[0] ?? {}).every((name) => name.length <= 43)).toBe(true);
  const dataverse = await read('dataverse');
  expect(dataverse[5]?.new_batchkey).toBe('north-6');
  expect((await write('csv', { profile: 'dataverse' })).result.remarks).toEqual([
    '1 value was left out of a date column, which accepts only times.',
  ]);
});

test('NDJSON: the generic profile keeps null, a CRM profile omits unknown values', async () => {
  const { write } = filled();
  const read = async (profile: ProfileName) => linesOf((await write('ndjson', { profile })).file);
  const [first, , , , , sixth] = await read('generic');
  expect(first).toMatchObject({ Title: NASTY[0], DateSent: null, CustomerRating: null });
  expect(sixth).toMatchObject({ CustomerRating: 4, CustomerRatingAdditional: { stars: [1, 2] } });
  const [crm] = await read('hubspot');
  expect(Object.values(crm)).not.toContain(null);
  expect(Object.values(crm)).not.toContain('');
  expect(crm).not.toHaveProperty('batch_date_sent');
  expect(crm).toMatchObject({ batch_key: 'north-1', batch_recipient_mobile: '+447700900123' });
});

/** The rows of a workbook. */
async function sheetOf(file: string) {
  const [sheet] = (await readXlsx(file)) as unknown as { data: unknown[][] }[];
  return sheet?.data ?? [];
}

test('an export without rows is valid in every format', async () => {
  const { write, store } = filled();
  store.db.exec('DELETE FROM version; DELETE FROM batch');
  const duck = await (await DuckDBInstance.create(':memory:')).connect();
  const { file } = await write('parquet');
  expect(
    (await duck.runAndReadAll(`SELECT count(*) AS rows FROM '${file}'`)).getRowObjectsJson(),
  ).toEqual([{ rows: '0' }]);
  duck.closeSync();
  expect(parse(readFileSync((await write('csv')).file))).toHaveLength(1);
  expect(await readXlsx((await write('xlsx')).file)).toBeDefined();
});

test('XLSX opens in another library: texts, dates of every profile, wide columns, a fixed header', async () => {
  const { write } = filled();
  for (const profile of ['generic', 'hubspot', 'salesforce', 'dataverse'] as const) {
    const { file } = await write('xlsx', { profile });
    const [header = [], ...rows] = await sheetOf(file);
    const column = (name: RegExp) =>
      header.findIndex((title) => name.test(String(title).replaceAll('_', '')));
    expect(rows).toHaveLength(RECORDS.length);
    expect(rows[0]?.[column(/RecipientMobile/i)]).toBe('+447700900123');
    expect(rows[5]?.[column(/ActionPrice$|ActionPricec$/i)]).toBe(99.5);
    for (const cell of rows.flat()) {
      if (typeof cell === 'string' && STARTS_FORMULA.test(cell)) expect(cell).toMatch(PHONE);
    }
    const sent = column(/DateSent/i);
    expect(rows[1]?.[sent]).toEqual(new Date('2026-01-05T10:05:00Z'));
    expect(rows[5]?.[column(/ActionDate/i)]).toEqual(new Date('2026-01-06T10:00:00Z'));

    const parts = unzip(readFileSync(file));
    const part = (name: string) => parts.get(name) ?? '';
    const xml = part('xl/worksheets/sheet1.xml');
    expect(xml).toMatch(/<pane [^>]*ySplit="1"[^>]*state="frozen"/);
    const widths = [...xml.matchAll(/<col [^>]*width="([\d.]+)"/g)].map(([, width]) =>
      Number(width),
    );
    expect(widths).toHaveLength(header.length);
    // A date that is wider than its column is shown as ####. A title is never cut.
    expect(widths[sent]).toBeGreaterThanOrEqual('2026-01-05 10:05:00'.length + 1);
    for (const [index, title] of header.entries()) {
      expect(widths[index]).toBeGreaterThan(String(title).length);
      expect(widths[index]).toBeLessThanOrEqual(60);
    }
    expect(part('xl/styles.xml')).toContain('formatCode="yyyy-mm-dd hh:mm:ss"');
  }
});

test('XLSX: a time before the first Excel date stays readable text', async () => {
  const { write } = filled([batchRecord({ BatchId: 1, DateSent: '1753-01-01T00:00:00Z' })]);
  expect((await sheetOf((await write('xlsx')).file))[1]).toContain('1753-01-01T00:00:00.000Z');
});

test('XLSX reports values that do not fit', async () => {
  const { store, write } = filled([batchRecord({ BatchId: 1 })]);
  // Copies of one row inside the store are much faster than a hundred thousand records.
  store.db.exec(`
    DROP TRIGGER batch_added; DROP TRIGGER version_added;
    INSERT INTO batch (id, account_id, batch_id, current_seq, versions, hash, date_created,
        first_seen_at, last_seen_at, erased_at)
      WITH RECURSIVE n(i) AS (SELECT 11 UNION ALL SELECT i + 1 FROM n WHERE i < 100010)
      SELECT i, 1, i, i, 1, '', '2026-01-01', 'x', 'x', NULL FROM n`);
  const columns = store.db
    .prepare("SELECT 'v.' || name AS name FROM pragma_table_info('version') WHERE cid > 1")
    .all()
    .map(({ name }) => name);
  store.db.exec(
    `INSERT INTO version SELECT b.id, b.id, ${columns.join(', ')} FROM batch b, version v WHERE b.id > 10`,
  );
  await expect(write('xlsx')).rejects.toMatchObject({ code: 'export-too-many-rows', exitCode: 2 });
});

const PERSONAL = /Person\d|@Customers|7700|900123|O'Neil|hello|日本語|stars|Surprise/i;

test.each(['csv', 'ndjson'] as const)('--pii hash and none: no person in %s', async (format) => {
  // The type or the values of these fields are not known, so they may contain anything.
  const odd = batchRecord({
    BatchId: 99,
    CustomerActionState: 'Ring 07700 900123',
    CustomerActionPaymentOutcome: 447700900777,
    ProductType: 'for Person99@Customers.example',
  });
  const { write } = filled([...RECORDS, odd]);
  for (const mode of ['hash', 'none'] as const) {
    for (const profile of ['generic', 'hubspot', 'salesforce', 'dataverse'] as const) {
      const content = readFileSync((await write(format, { profile, mode })).file, 'utf8');
      expect(content).not.toMatch(PERSONAL);
      expect(content).not.toContain('ExtraFields');
      expect(content).not.toContain(HASH_KEY);
      expect(/Recipient_?Email_?Hash/i.test(content)).toBe(mode === 'hash');
    }
  }
});

test('equal persons have equal hashes in any spelling; another key gives other hashes', async () => {
  const { store } = filled([
    batchRecord({
      BatchId: 1,
      RecipientEmail: 'Ann@Example.com ',
      RecipientMobile: '07700 900123',
    }),
    batchRecord({
      BatchId: 2,
      RecipientEmail: 'ann@example.com',
      RecipientMobile: '+44 (0)7700-900123',
    }),
    batchRecord({ BatchId: 3 }),
  ]);
  const folder = tempFolder();
  const read = async (key: string) => {
    const file = path.join(folder, key);
    const personal = { mode: 'hash', hashKey: secret(key), callingCode: '44' } as const;
    await exportTo(store, file, { personal });
    return linesOf(file);
  };
  const [one, two, three] = await read(HASH_KEY);
  expect(one.RecipientEmailHash).toMatch(/^[0-9a-f]{64}$/);
  expect([two.RecipientEmailHash, two.RecipientMobileHash]).toEqual([
    one.RecipientEmailHash,
    one.RecipientMobileHash,
  ]);
  expect([three.RecipientEmailHash, three.RecipientMobileHash]).toEqual([null, null]);
  const [other] = await read(`${HASH_KEY}x`);
  expect(other.RecipientEmailHash).not.toBe(one.RecipientEmailHash);
});
