import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { prune } from '../../src/batches/erase.ts';
import { type ExportOptions, exportBatches } from '../../src/batches/export/export.ts';
import { type ForgetTarget, forget } from '../../src/batches/forget.ts';
import { identifiersIn, normaliseEmail, phoneTails } from '../../src/batches/model/persons.ts';
import { checkHistory } from '../../src/batches/store/check.ts';
import { erasedTest } from '../../src/batches/store/erased-persons.ts';
import { statusOf } from '../../src/batches/store/status.ts';
import { stateSchema, tap } from '../../src/batches/tap/tap.ts';
import type { BatchRecord } from '../../src/contract/batch.ts';
import { randomOf } from '../../src/sample-service/data/random.ts';
import { fill } from '../support/batch-fill.ts';
import { batchRecord } from '../support/batch-record.ts';
import { DAY, HASH_KEY, parseLines, secret, tempStore } from '../support/batches.ts';

const SEEDS = Number(process.env.BATCH_ERASURE_SEEDS ?? 12);
const FIRST_SEED = Number(process.env.BATCH_ERASURE_SEED ?? 21);

const PEOPLE = 6;
const BATCHES = 12;
const ACCOUNTS = ['north', 'south'] as const;
const SALLY = 'sally@dealer.example';

/** The spellings of an address and a number. */
const emailsOf = (person: number) =>
  [`p${person}@x.example`, `P${person}@X.example`, `p${person}+cars@x.example`] as const;
const mobilesOf = (person: number) =>
  person % 2 === 0
    ? [`+49 1711${person}2345600`, `01711${person}2345600`]
    : [`+45 1234560${person}`, `1234560${person}`, `0045 1234560${person}`];

interface Row extends Record<string, unknown> {
  Account: string;
  BatchId: number;
  ContactKey: string;
  Batches: number;
}
type Rows = Map<string, Row>;

const FULL = { mode: 'full', hashKey: undefined } as const;
const batchKey = ({ Account, BatchId }: Row) => `${Account}-${BatchId}`;

/** A history, a service that changes at random, and consumers that load changes and erasures in any order. */
function startPlay(seed: number) {
  const random = randomOf(seed).next;
  const below = (count: number) => Math.floor(random() * count);
  const pick = <T>(values: readonly T[]) => values[below(values.length)] as T;
  const isTrue = (chance: number) => random() < chance;
  const store = tempStore();
  const { db } = store;
  const log = [`seed ${seed}`];
  const erased = new Set<string>();
  const served = new Map(ACCOUNTS.map((name) => [name, new Map<number, BatchRecord>()]));
  let now = Date.parse('2026-02-01T06:00:00Z');

  function anyRecord(BatchId: number): BatchRecord {
    const person = below(PEOPLE);
    return batchRecord({
      BatchId,
      DateCreated: `2026-01-${10 + BatchId}T10:00:00Z`,
      DateSent: '2026-01-28T10:00:00Z',
      RecipientEmail: isTrue(0.7) ? pick(emailsOf(person)) : '',
      RecipientMobile: isTrue(0.6) ? pick(mobilesOf(person)) : '',
      Title: isTrue(0.15) ? `for ${pick(emailsOf(below(PEOPLE)))}` : 'Hello',
      SendingUserName: pick(['Sam', 'Sally', `Sally <${SALLY}>`]),
      VideoPlayCount: below(4),
      CustomerRating: isTrue(0.1) ? { by: `p${below(PEOPLE)}@x.example` } : null,
    });
  }

  /** A pull that misses some records, and in which some break the contract. */
  function pull(): void {
    const account = pick(ACCOUNTS);
    const records = served.get(account) ?? new Map();
    for (let changes = 1 + below(4); changes > 0; changes--) {
      const id = 1 + below(BATCHES);
      records.set(id, anyRecord(id));
    }
    now += DAY;
    const at = new Date(now).toISOString();
    const isErased = erasedTest(db, secret(HASH_KEY));
    const received = [...records.values()].filter(() => isTrue(0.9));
    const broken = new Set(received.filter(() => isTrue(0.1)));
    fill(
      store,
      received.filter((record) => !broken.has(record)),
      { at, account, isErased, broken: [...broken] },
    );
    log.push(`pull of ${received.length} records of ${account}`);
  }

  function erasePerson(target: ForgetTarget): void {
    log.push(`forget ${JSON.stringify(target)}`);
    forget(store, target, { hashKey: secret(HASH_KEY) });
    for (const email of target.emails ?? []) erased.add(`email:${normaliseEmail(email)}`);
    for (const name of target.senders ?? []) erased.add(`sender:${name.trim().toLowerCase()}`);
    for (const tail of (target.mobiles ?? []).flatMap(phoneTails)) erased.add(`phone:${tail}`);
  }

  async function exported(options: Partial<ExportOptions>): Promise<Row[]> {
    const writable = new PassThrough();
    const common = { store, format: 'ndjson', profile: 'generic' } as const;
    const [, content] = await Promise.all([
      exportBatches({ ...common, personal: FULL, to: { writable }, ...options }).finally(() =>
        writable.end(),
      ),
      text(writable),
    ]);
    return parseLines(content);
  }

  /** Loads changes and erasures, in any order, as docs/batches.md describes. */
  async function load(options: Partial<ExportOptions>, apply: (row: Row, gone: boolean) => void) {
    const isFirst = isTrue(0.5);
    for (const erasures of [isFirst, !isFirst]) {
      for (const row of await exported({ since: 'last', erasures, ...options })) {
        apply(row, erasures);
      }
    }
  }

  const warehouse: Rows = new Map();
  const singer: Rows = new Map();
  const versions: Rows = new Map();
  const contacts: Rows = new Map();
  const northContacts: Rows = new Map();
  let state: unknown = {};
  const update = (rows: Rows, row: Row, version = '') =>
    rows.set(batchKey(row) + version, { ...rows.get(batchKey(row) + version), ...row });
  const loadContacts = (rows: Rows, account?: string) =>
    load({ profile: 'contacts', account }, (row, gone) => {
      if (gone) rows.delete(row.ContactKey);
      else rows.set(row.ContactKey, row);
    });
  const loads = [
    () => load({ stream: 'warehouse' }, (row) => update(warehouse, row)),
    () => load({ history: true }, (row) => update(versions, row, ` ${row.Version}`)),
    () => loadContacts(contacts),
    () => loadContacts(northContacts, 'north'),
    async () => {
      const writable = new PassThrough();
      const options = { store, personal: FULL, state: stateSchema.parse(state) };
      const [, content] = await Promise.all([
        tap(options, writable).finally(() => writable.end()),
        text(writable),
      ]);
      for (const { type, record, value } of parseLines(content)) {
        if (type === 'RECORD') update(singer, record);
        if (type === 'STATE') state = value;
      }
    },
  ];

  /** All consumers load, and must have the same as an export of everything, and nothing of an erased person. */
  async function verify(): Promise<void> {
    for (const loadOne of loads) await loadOne();
    const hint = log.join('\n');
    const raws = db.prepare('SELECT raw FROM version UNION ALL SELECT raw FROM quarantine').all();
    const everywhere = [warehouse, singer, versions, contacts, northContacts].flatMap((rows) => [
      ...rows.values(),
    ]);
    const traces = [...raws.map(({ raw }) => JSON.parse(String(raw))), ...everywhere].filter(
      ({ DateCreated: _, DateSent: __, ...content }) =>
        [...identifiersIn(content)].some((identifier) => erased.has(identifier)),
    );
    expect(traces, hint).toEqual([]);
    const byKey = (rows: Iterable<Row>) =>
      [...rows]
        .filter(({ Batches }) => Batches > 0)
        .map((row) => [row.ContactKey, row])
        .sort();
    expect(byKey(contacts.values()), hint).toEqual(byKey(await exported({ profile: 'contacts' })));
    const north = await exported({ profile: 'contacts', account: 'north' });
    expect(byKey(northContacts.values()), hint).toEqual(byKey(north));
    const current = (rows: Iterable<Row>) =>
      [...rows]
        .map(
          (row) =>
            `${batchKey(row)} ${row.ChangeSeq} ${row.Title ?? ''} ${row.RecipientEmail ?? ''} ${row.SendingUserName ?? ''}`,
        )
        .sort();
    const all = current(await exported({}));
    expect(current(warehouse.values()), hint).toEqual(all);
    expect(current(singer.values()), hint).toEqual(all);
    expect(current(versions.values()), hint).toEqual(current(await exported({ history: true })));
    expect(statusOf(db).streams.filter(({ changesWaiting }) => changesWaiting > 0)).toEqual([]);
    expect(checkHistory(db).damage).toEqual([]);
  }

  const person = () => below(PEOPLE);
  return {
    verify,
    async step(): Promise<void> {
      const chance = random();
      if (chance < 0.5) pull();
      else if (chance < 0.78) await pick(loads)();
      else if (chance < 0.83) erasePerson({ emails: [pick(emailsOf(person()))] });
      else if (chance < 0.87) erasePerson({ mobiles: [pick(mobilesOf(person()))] });
      else if (chance < 0.88) erasePerson({ emails: [SALLY] });
      else if (chance < 0.89) erasePerson({ senders: ['SAM '] });
      else if (chance < 0.93) erasePerson({ batchIds: [1 + below(BATCHES)] });
      else if (chance < 0.96) prune(store, { before: `2026-01-${10 + below(15)}`, dryRun: false });
      else await verify();
    },
  };
}

test.each(Array.from({ length: SEEDS }, (_, index) => FIRST_SEED + index))(
  'random pulls, erasures and loads leave nothing of an erased person with any consumer: seed %i',
  async (seed) => {
    const play = startPlay(seed);
    for (let steps = 40; steps > 0; steps--) await play.step();
    await play.verify();
  },
);
