import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { prune } from '../../src/batches/erase.ts';
import { changedContacts } from '../../src/batches/export/contacts.ts';
import { forget } from '../../src/batches/forget.ts';
import type { HistoryStore } from '../../src/batches/store/open.ts';
import { statusOf } from '../../src/batches/store/status.ts';
import { Secret } from '../../src/config/secret.ts';
import type { BatchRecord } from '../../src/contract/batch.ts';
import { fill, historyOf } from '../support/batch-fill.ts';
import { batchRecord } from '../support/batch-record.ts';
import { exportTo, HASH_KEY, linesOf } from '../support/batches.ts';

const sent = (BatchId: number, RecipientEmail: string, more: Partial<BatchRecord> = {}) =>
  batchRecord({
    BatchId,
    RecipientEmail,
    DateCreated: `2026-01-${String(BatchId).padStart(2, '0')}T10:00:00Z`,
    DateSent: `2026-01-${String(BatchId).padStart(2, '0')}T11:00:00Z`,
    ...more,
  });

const ANN = [
  sent(1, 'ann@example.com', {
    ...{ VideoPlayCount: 2, CustomerActionState: 'declined', LandingPageWatchCount: 2 },
    LandingPageFirstWatched: '2026-01-02T10:00:00Z',
    LandingPageLastWatched: '2026-01-09T10:00:00Z',
  }),
  sent(4, ' Ann@Example.com ', {
    ...{ CustomerActionState: 'accepted', CustomerRating: 5, LandingPageWatchCount: 1 },
    LandingPageFirstWatched: '2026-01-05T10:00:00Z',
    LandingPageLastWatched: '2026-01-05T10:00:00Z',
  }),
];
const BOB = [sent(2, 'bob@example.com')];

const batchOf = (id: number, account: string) => ({
  batchIds: [id],
  account,
});

/** A history, and its exports of contacts. */
function contactsOf(records: readonly BatchRecord[]) {
  const { folder, store } = historyOf(records);
  let exports = 0;
  const contacts = async (more: Parameters<typeof exportTo>[2] = {}) => {
    const file = path.join(folder, `contacts-${++exports}.ndjson`);
    await exportTo(store, file, { profile: 'contacts', ...more });
    return linesOf(file);
  };
  return { store, contacts };
}

test('a full export reads contacts one by one, so that memory does not depend on their number', () => {
  const { store } = historyOf([...ANN, ...BOB]);
  let read = 0;
  const prepare = (sql: string) => {
    const statement = store.db.prepare(sql);
    return {
      setReturnArrays: () => statement.setReturnArrays(true),
      *iterate(...values: never[]) {
        for (const row of statement.iterate(...values)) {
          read++;
          yield row;
        }
      },
    };
  };
  const contacts = changedContacts({ prepare } as never, { from: 0, to: 10 });
  expect([contacts.next().value?.[0], read]).toEqual(['north-1', 1]);
  expect([[...contacts].length, read]).toEqual([1, 2]);
});

test('contacts has one row per recipient, of one account or of all', async () => {
  const { store, contacts } = contactsOf([...ANN, ...BOB]);
  fill(store, [sent(3, 'ann@example.com', { VideoPlayCount: 4 })], { account: 'south' });
  expect(await contacts()).toEqual([
    {
      ContactKey: 'north-1',
      Email: 'Ann@Example.com',
      Mobile: null,
      Batches: 3,
      LastSent: '2026-01-04T11:00:00Z',
      FirstWatched: '2026-01-02T10:00:00Z',
      LastWatched: '2026-01-09T10:00:00Z',
      Watches: 3,
      Plays: 6,
      Clicks: 0,
      Action: 'accepted',
      ActionDate: null,
      Rating: 5,
    },
    expect.objectContaining({ ContactKey: 'north-2', Email: 'bob@example.com', Batches: 1 }),
  ]);
  const south = await contacts({ account: 'south' });
  expect(south).toEqual([expect.objectContaining({ ContactKey: 'south-3', Batches: 1, Plays: 4 })]);
});

test('a contact has all spellings of an address or number, and a text such as n/a is not a contact', async () => {
  const emails = ['JÖRG@müller.de', 'jörg@MÜLLER.de', 'Jörg@xn--mller-kva.de'];
  const phones = ['+44 (0)7700-900123', '0044 7700 900123', '＋44７７００９００１２３'];
  const { contacts } = contactsOf([
    ...emails.map((email, index) =>
      sent(1 + index, email, { RecipientMobile: index ? 'n/a' : '+447700900124' }),
    ),
    ...phones.map((RecipientMobile, index) =>
      sent(4 + index, index ? '' : '-', { RecipientMobile }),
    ),
    ...['n/a', 'N/A', '0'].map((RecipientMobile, index) =>
      sent(7 + index, '', { RecipientMobile }),
    ),
    sent(10, '', { RecipientMobile: '07700 900123' }),
  ]);
  const byEmail = { ContactKey: 'north-1', Batches: 3, Email: emails[2], Mobile: '+447700900124' };
  expect(await contacts()).toMatchObject([
    byEmail,
    { ContactKey: 'north-10', Batches: 1, Email: null, Mobile: '07700 900123' },
    { ContactKey: 'north-4', Batches: 3, Email: null, Mobile: phones[2] },
  ]);
  const personal = { mode: 'full', hashKey: undefined, callingCode: '44' } as const;
  expect(await contacts({ personal })).toMatchObject([
    byEmail,
    { ContactKey: 'north-4', Batches: 4, Email: null, Mobile: '07700 900123' },
  ]);
});

test('--since last exports exactly the contacts whose values changed', async () => {
  const { store, contacts } = contactsOf([...ANN, ...BOB]);
  const changed = async () =>
    (await contacts({ since: 'last' })).map(({ ContactKey }) => ContactKey);
  expect(await changed()).toEqual(['north-1', 'north-2']);
  expect(await changed()).toEqual([]);
  // A new version whose sums are the same: only the title changed.
  fill(store, [sent(2, 'bob@example.com', { Title: 'Another title' })]);
  expect(await changed()).toEqual([]);
  fill(store, [sent(2, 'bob@example.com', { Title: 'Another title', VideoPlayCount: 1 })]);
  expect(await changed()).toEqual(['north-2']);
  // An older batch of Bob moves to Ann, so both change.
  fill(store, [sent(5, 'bob@example.com')]);
  expect(await changed()).toEqual(['north-2']);
  fill(store, [sent(5, 'ann@example.com')]);
  expect(await changed()).toEqual(['north-1', 'north-2']);
});

test('a key without contacts is exported once without batches', async () => {
  const { store, contacts } = contactsOf([...ANN, ...BOB]);
  await contacts({ since: 'last' });
  const erased = { Batches: 0, LastSent: null, Plays: 0, Action: null };
  // The recipient of Bob's only batch is corrected.
  fill(store, [sent(2, 'ann@example.com')]);
  expect(await contacts({ since: 'last' })).toEqual([
    expect.objectContaining({ ContactKey: 'north-2', Email: 'bob@example.com', ...erased }),
    expect.objectContaining({ ContactKey: 'north-1', Batches: 3 }),
  ]);
  expect(await contacts({ since: 'last' })).toEqual([]);
  // Ann's first batch moves to a new contact, which uses its key from now on.
  fill(store, [sent(1, 'cora@example.com')]);
  const keys = (await contacts({ since: 'last' })).map(({ ContactKey, Email }) => [
    ContactKey,
    Email,
  ]);
  expect(keys).toEqual([
    ['north-1', 'cora@example.com'],
    ['north-2', 'Ann@Example.com'],
  ]);
  // Ann's key moves to Cora, who has an older one. Ann has another batch, so her address is not in that row.
  fill(store, [sent(2, 'cora@example.com')]);
  const moved = await contacts({ since: 'last' });
  expect(moved.map(({ ContactKey, Email, Batches }) => [ContactKey, Email, Batches])).toEqual([
    ['north-2', null, 0],
    ['north-1', 'cora@example.com', 2],
    ['north-4', 'Ann@Example.com', 1],
  ]);
});

test('an erased person is in no later export, and the erasures list the key of the contact', async () => {
  const { store, contacts } = contactsOf([...ANN, ...BOB]);
  await contacts({ since: 'last' });
  forget(store, { emails: ['ANN@example.com'] }, { hashKey: new Secret(HASH_KEY) });
  expect(await contacts()).toEqual([expect.objectContaining({ ContactKey: 'north-2' })]);
  const erased = await contacts({ since: 'last', erasures: true });
  expect(erased.map(({ ContactKey }) => ContactKey).sort()).toEqual(['north-1', 'north-4']);
  expect(erased[0]).toEqual({ ContactKey: expect.any(String), Email: null, Mobile: null });
});

test('the profiles of CRMs use standard fields for address and number, and custom fields for sums', async () => {
  const { folder, store } = historyOf([
    ...ANN,
    sent(6, '', { RecipientMobile: '+44 7700 900123' }),
  ]);
  const header = async (
    profile: 'hubspot-contacts' | 'salesforce-leads',
    mode: 'full' | 'none',
  ) => {
    const file = path.join(folder, `${profile}-${mode}.csv`);
    await exportTo(store, file, { profile, format: 'csv', personal: { mode, hashKey: undefined } });
    return readFileSync(file, 'utf8').split(/\r?\n/)[0];
  };
  expect(await header('hubspot-contacts', 'full')).toBe(
    'video_contact_key,email,phone,video_batches,video_last_sent,video_first_watched,video_last_watched,video_watches,video_plays,video_clicks,video_action,video_action_date,video_rating',
  );
  expect(await header('salesforce-leads', 'full')).toMatch(
    /^Video_Contact_Key__c,Email,Phone,Video_Batches__c,/,
  );
  expect(await header('salesforce-leads', 'none')).toMatch(
    /^Video_Contact_Key__c,Video_Batches__c,/,
  );
});

test('with a calling code, an erased batch changes the contact that has another spelling of its number', async () => {
  const { store, contacts } = contactsOf([
    sent(1, '', { RecipientMobile: '07700 900123' }),
    sent(2, '', { RecipientMobile: '+44 7700 900123' }),
  ]);
  const personal = { mode: 'full', hashKey: undefined, callingCode: '44' } as const;
  const changed = () => contacts({ since: 'last', personal });
  expect(await changed()).toMatchObject([{ ContactKey: 'north-1', Batches: 2 }]);
  forget(store, batchOf(1, 'north'));
  expect(await changed()).toMatchObject([{ ContactKey: 'north-2', Batches: 1 }]);
  expect(await changed()).toEqual([]);
});

test.each([
  ['forget', (store: HistoryStore) => forget(store, batchOf(1, 'north'))],
  ['prune', (store: HistoryStore) => prune(store, { before: '2026-01-02', dryRun: false })],
  [
    // It corrects the recipient to an erased person.
    'a pull',
    (store: HistoryStore) =>
      fill(store, [sent(1, 'carl@example.com')], {
        at: '2026-02-02T06:00:00.000Z',
        isErased: ({ RecipientEmail }) => RecipientEmail === 'carl@example.com',
      }),
  ],
])('%s of one batch of a contact exports its other batches once', async (_, erase) => {
  const { store, contacts } = contactsOf([...ANN, ...BOB]);
  fill(store, [sent(3, 'ann@example.com', { VideoPlayCount: 4 })], { account: 'south' });
  const streams = [{}, { account: 'north' }, { account: 'south' }];
  const changed = async () => {
    const each = [];
    for (const stream of streams) each.push(await contacts({ since: 'last', ...stream }));
    return each.map((rows) => rows.map(({ ContactKey, Batches }) => [ContactKey, Batches]));
  };
  expect(await changed()).toEqual([
    [
      ['north-1', 3],
      ['north-2', 1],
    ],
    [
      ['north-1', 2],
      ['north-2', 1],
    ],
    [['south-3', 1]],
  ]);
  erase(store);
  const stream = statusOf(store.db).streams.find(({ name }) => name.endsWith('/*/contacts'));
  expect(stream?.changesWaiting).toBeGreaterThan(0);
  expect(await contacts({ since: 'last', erasures: true })).toEqual([
    expect.objectContaining({ ContactKey: 'north-1' }),
  ]);
  // Ann's first remaining batch determines the key. The account "south" lost nothing.
  expect(await changed()).toEqual([[['south-3', 2]], [['north-4', 1]], []]);
  expect(await changed()).toEqual([[], [], []]);
  fill(store, [sent(5, 'bob@example.com')]);
  expect(await changed()).toEqual([[['north-2', 2]], [['north-2', 2]], []]);
});
