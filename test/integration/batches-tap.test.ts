import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { BatchRecord } from '../../src/contract/batch.ts';
import { fill, historyOf } from '../support/batch-fill.ts';
import { batchRecord } from '../support/batch-record.ts';
import { batchesHere, HASH_KEY } from '../support/batches.ts';
import { expectCatalog, Target } from '../support/singer.ts';

const ANN = 'ann@customers.example';
const anns = batchRecord({
  BatchId: 1,
  RecipientEmail: ANN,
  CustomerRatingAdditional: { stars: [1, 2] },
  CustomerRating: 4,
});
const others = [2, 3].map((BatchId) => batchRecord({ BatchId }));

/** A history and its tap, called like by Meltano. */
function history(records: BatchRecord[] = [anns, ...others]) {
  const { folder, store } = historyOf(records);
  const write = (name: string, content: unknown) => {
    const file = path.join(folder, `${name}.json`);
    writeFileSync(file, JSON.stringify(content));
    return file;
  };
  const ran = (options: Record<string, unknown> = {}, ...more: string[]) => {
    const { settings = {}, ...files } = options;
    const all = { config: { store: store.file, pii: 'full', ...(settings as object) }, ...files };
    const args = Object.entries(all).flatMap(([name, content]) =>
      content === undefined ? [] : [`--${name}`, write(name, content)],
    );
    return batchesHere(['tap', ...args, ...more], {
      cwd: folder,
      env: { BATCH_HASH_KEY: HASH_KEY },
    });
  };
  const lines = async (options?: Record<string, unknown>, ...more: string[]) => {
    const { code, stdout, stderr } = await ran(options, ...more);
    expect(code, stderr).toBe(0);
    return stdout.split('\n').slice(0, -1);
  };
  return { folder, store, ran, lines, write };
}

const bookmark = (change: number, erasure: number) => ({
  bookmarks: {
    batches: {
      change_seq: change,
      erasure_seq: erasure,
      last_at: expect.stringMatching(/^20\d\d-.*Z$/),
      pii: 'full',
    },
  },
});

test('the catalog and the messages follow the specification', async () => {
  const { lines, ran } = history();
  const [catalog = ''] = await lines({}, '--discover');
  expectCatalog(JSON.parse(catalog));
  const [stream] = JSON.parse(catalog).streams;
  expect(stream).toMatchObject({
    tap_stream_id: 'batches',
    key_properties: ['Account', 'BatchId'],
    replication_method: 'INCREMENTAL',
    replication_key: 'ChangeSeq',
  });

  const target = new Target();
  target.load(await lines());
  expect(target.records).toBe(3);
  expect(target.state).toEqual(bookmark(3, 0));
  expect(target.rows.get('["north",1]')).toMatchObject({
    RecipientEmail: ANN,
    CustomerRating: '4',
    CustomerRatingAdditional: '{"stars":[1,2]}',
    _erased: null,
  });
  // The catalog describes the records, and messages for people are on standard error.
  expect(Object.keys(target.rows.get('["north",1]') ?? {})).toEqual(
    Object.keys(stream.schema.properties),
  );
  expect((await ran()).stderr).toContain('3 records');
});

test('discovery needs no history, and shows the fields of the chosen treatment', async () => {
  const { lines } = history();
  const names = async (pii: string) => {
    const settings = { pii, store: '/nowhere/history.sqlite' };
    const [catalog = ''] = await lines({ settings }, '--discover');
    return Object.keys(JSON.parse(catalog).streams[0].schema.properties);
  };
  expect(await names('full')).toContain('RecipientEmail');
  expect(await names('hash')).toContain('RecipientEmailHash');
  expect((await names('none')).filter((name) => name.startsWith('Recipient'))).toEqual([]);
});

test('the incoming state decides the start, and no run is stored', async () => {
  const { store, lines } = history();
  const target = new Target();
  for (const state of [undefined, {}, { bookmarks: {} }]) {
    target.load(await lines({ state }));
    expect(target.state).toEqual(bookmark(3, 0));
  }
  expect(target.records).toBe(9);
  // A user can give the last line of a run instead of its value.
  expect(await lines({ state: { type: 'STATE', value: target.state } })).toHaveLength(2);
  fill(store, [batchRecord({ BatchId: 2, SocialClicks: 7 })], { at: '2026-02-02T06:00:00.000Z' });
  const changes = await lines({ state: target.state });
  target.load(changes);
  expect(changes).toHaveLength(3);
  expect(target.rows.get('["north",2]')).toMatchObject({ SocialClicks: 7, Version: 2 });
  expect(target.state).toEqual(bookmark(4, 0));
  target.load(await lines({ state: target.state }));
  expect(target.records).toBe(10);
  expect(store.db.prepare('SELECT * FROM export_run').all()).toEqual([]);
});

test('an erasure comes as a record with _erased, once', async () => {
  const { folder, store, lines } = history();
  const target = new Target();
  target.load(await lines());
  const forgotten = await batchesHere(['forget', '--email', ANN, '--store', store.file], {
    cwd: folder,
    env: { BATCH_HASH_KEY: HASH_KEY },
  });
  expect(forgotten.code).toBe(0);
  target.load(await lines({ state: target.state }));
  expect(target.records).toBe(4);
  expect(target.state).toEqual(bookmark(3, 1));
  expect(JSON.stringify([...target.rows.values()])).not.toContain(ANN);
  expect(target.rows.get('["north",1]')).toMatchObject({
    _erased: expect.stringMatching(/^20\d\d-.*Z$/),
    RecipientEmail: '',
    CustomerRating: '4',
  });
  // A new pipeline gets each batch once, the erased one with its time.
  const fresh = new Target();
  fresh.load(await lines());
  expect(fresh.records).toBe(3);
  expect(fresh.rows.get('["north",1]')?._erased).toMatch(/^20/);
  expect(fresh.state).toEqual(bookmark(3, 1));
});

test.each(['change', 'erasure'])(
  'refuses a history that was restored from a copy before a %s, also if it has the number again',
  async (kind) => {
    const advance = async ({ folder, store }: ReturnType<typeof history>, at: string) => {
      if (kind === 'change') return fill(store, [batchRecord({ BatchId: 4 })], { at });
      const args = ['forget', '--batch', '1', '--store', store.file];
      expect((await batchesHere(args, { cwd: folder })).code).toBe(0);
    };
    const lost = history();
    await advance(lost, '2026-02-02T06:00:00.000Z');
    const target = new Target();
    target.load(await lost.lines());
    const { state } = target;
    expect((await lost.ran({ state })).code).toBe(0);
    const restored = history();
    const refusal = { code: 2, stdout: '', stderr: expect.stringContaining('[tap-state-ahead]') };
    expect(await restored.ran({ state })).toMatchObject(refusal);
    await advance(restored, '2026-02-05T06:00:00.000Z');
    expect(await restored.ran({ state })).toMatchObject(refusal);
  },
);

test('a load interrupted anywhere is completed from its last state', async () => {
  const many = Array.from({ length: 10_050 }, (_, index) => batchRecord({ BatchId: index + 1 }));
  const { lines } = history(many);
  const all = await lines();
  const states = all.flatMap((text, index) => (text.startsWith('{"type":"STATE"') ? [index] : []));
  expect(states).toEqual([10_001, 10_052]);
  // Directly before the first state, and shortly after it.
  for (const end of [10_001, 10_020]) {
    const target = new Target();
    target.load(all.slice(0, end));
    const { rows } = target;
    // All records covered by the state were written before it.
    const reached = target.state?.bookmarks.batches?.change_seq ?? 0;
    expect(reached).toBe(end < 10_002 ? 0 : 10_000);
    expect(rows.size).toBeGreaterThanOrEqual(reached);
    target.load(await lines({ state: target.state }));
    expect(rows.size).toBe(10_050);
    expect(target.state).toEqual(bookmark(10_050, 0));
  }
});

test('the catalog selects the fields, but never removes the keys', async () => {
  const { lines } = history();
  const [text = ''] = await lines({}, '--discover');
  const choose = (selected: boolean, names: readonly (string | undefined)[]) => {
    const catalog = JSON.parse(text);
    for (const { breadcrumb, metadata } of catalog.streams[0].metadata) {
      if (names.includes(breadcrumb[1])) metadata.selected = selected;
    }
    return catalog;
  };
  const chosen = async (catalog: unknown) => {
    const [schema = '{}', record = '{}'] = await lines({ catalog });
    const names = Object.keys(JSON.parse(schema).schema.properties);
    expect(Object.keys(JSON.parse(record).record)).toEqual(names);
    return names;
  };
  const all = await chosen(JSON.parse(text));
  const left = ['RecipientEmail', 'BatchId', 'ChangeSeq'];
  expect(await chosen(choose(false, left))).toEqual(all.filter((name) => name !== left[0]));
  const only = { ...JSON.parse(text).streams[0], metadata: [{ breadcrumb: [], metadata: {} }] };
  only.metadata[0].metadata = { selected: true };
  expect(await chosen({ streams: [only] })).toEqual(['Account', 'BatchId', 'ChangeSeq']);

  for (const catalog of [choose(false, [undefined]), { streams: [] }]) {
    expect(await lines({ catalog })).toEqual([]);
  }
});

test('refuses unusable input, with nothing on standard output', async () => {
  const { ran } = history();
  const batches = {
    change_seq: 2,
    erasure_seq: 0,
    last_at: '2026-02-01T06:00:00.000Z',
    pii: 'full',
  };
  const state = { bookmarks: { batches } };
  const cases: [Record<string, unknown>, string][] = [
    [{ state: { bookmarks: { batches: { ...batches, change_seq: 99 } } } }, '[tap-state-ahead]'],
    [{ state, settings: { pii: 'none' } }, 'had another pii, account'],
    [{ state, settings: { account: 'north' } }, 'had another pii, account'],
    [
      { state: { bookmarks: { batches: { change_seq: 'secret' } } } },
      'bookmarks.batches.change_seq',
    ],
    [{ state: { streams: [] } }, 'bookmarks is missing'],
    [{ catalog: [] }, '--catalog cannot be used'],
    [{ settings: { api_key: 'secret' } }, 'it has unknown names: api_key'],
    [{ settings: { account: 'south' } }, 'Known are: north.'],
    [{ settings: { store: 'none.sqlite' } }, '[store-missing]'],
  ];
  for (const [options, message] of cases) {
    const { code, stdout, stderr } = await ran(options);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('secret');
  }
});
