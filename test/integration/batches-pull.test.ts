import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { pullAccount } from '../../src/batches/pull/pull.ts';
import type { HistoryStore } from '../../src/batches/store/open.ts';
import { statusOf } from '../../src/batches/store/status.ts';
import { batchRecord } from '../support/batch-record.ts';
import {
  BATCH_KEY,
  type Bench,
  batchesHere,
  configOf,
  DAY,
  rawConfig,
  runBatches,
  startBench,
  tempFolder,
  tempStore,
  writeConfig,
} from '../support/batches.ts';

const NOW = Date.parse('2026-03-01T06:00:00Z');
const iso = (time: number) => `${new Date(time).toISOString().slice(0, 19)}Z`;

const pullWith = (bench: Bench, store: HistoryStore, now: number, more: object = {}) =>
  pullAccount({
    store,
    service: bench.config.service,
    account: bench.account,
    now: () => now,
    ...more,
  });

const rawOf = (store: HistoryStore) =>
  store.db
    .prepare(
      'SELECT b.batch_id AS id, v.number, v.raw FROM version v JOIN batch b ON b.id = v.batch_row ORDER BY 1, 2',
    )
    .all();

const codes = (result: { findings: readonly { code: string; field: string | null }[] }) =>
  result.findings.map(({ code, field }) => (field ? `${code} ${field}` : code));

test('changes keep the former version, absence deletes nothing, oddities are told', async () => {
  let now = NOW;
  const bench = await startBench({ clock: () => now });
  const store = tempStore();
  const one = batchRecord({ BatchId: 1, DateCreated: iso(NOW - DAY), LandingPageWatchCount: 3 });
  const two = batchRecord({ BatchId: 2, DateCreated: iso(NOW - 2 * DAY) });
  bench.serve([one, two]);
  expect(await pullWith(bench, store, now)).toMatchObject({
    inserted: 2,
    changed: 0,
    findings: [],
  });
  now += DAY;
  bench.serve([{ ...one, LandingPageWatchCount: 2, CustomerRating: 5, Extra: true }]);
  const second = await pullWith(bench, store, now);
  expect(second).toMatchObject({ inserted: 0, changed: 1, unchanged: 0, holes: [] });
  expect(codes(second).sort()).toEqual([
    'absent-in-window',
    'count-fell LandingPageWatchCount',
    'field-new Extra',
    'type-first CustomerRating',
    // The missing one was the oldest that is known, so perhaps the answer does not reach so far.
    'window-shrunk',
  ]);
  now += DAY;
  bench.serve([{ ...one, LandingPageWatchCount: 2, CustomerRating: '5', Extra: true }]);
  expect(codes(await pullWith(bench, store, now))).toEqual(['type-first CustomerRating']);
  expect(rawOf(store).map(({ id, number }) => [id, number])).toEqual([
    [1, 1],
    [1, 2],
    [1, 3],
    [2, 1],
  ]);
  const [status] = statusOf(store.db).accounts;
  expect(status).toMatchObject({
    batches: 2,
    versions: 4,
    outOfWindow: 1,
    driftTotal: 6,
    pulls: 3,
  });
});

test('another order of keys, another spelling of a time, or a configured name is no change', async () => {
  const bench = await startBench({ clock: () => NOW });
  const store = tempStore();
  const record = batchRecord({ BatchId: 1, DateCreated: iso(NOW - DAY), SocialClicks: 4 });
  bench.serve([record]);
  await pullWith(bench, store, NOW);
  const { SocialClicks, ...rest } = Object.fromEntries(Object.entries(record).reverse());
  bench.serve([
    { ...rest, DateCreated: record.DateCreated.replace('Z', '.000Z'), NetClicks: SocialClicks },
  ]);
  const { service } = configOf(bench.service.baseUrl, { names: { socialClicks: 'NetClicks' } });
  const result = await pullWith(bench, store, NOW + 1000, { service });
  expect(result).toMatchObject({ changed: 0, unchanged: 1, inserted: 0 });
});

test('six pulls at once, in processes of their own, double nothing', async () => {
  const bench = await startBench({ clock: () => NOW });
  bench.serve(
    Array.from({ length: 500 }, (_, id) =>
      batchRecord({ BatchId: id, DateCreated: iso(NOW - DAY) }),
    ),
  );
  const folder = tempFolder();
  const config = writeConfig(folder, rawConfig(bench.service.baseUrl));
  const file = path.join(folder, 'history', 'h.sqlite');
  const args = ['pull', '--config', config, '--store', file];
  const runs = await Promise.all(
    Array.from({ length: 6 }, () => runBatches(args, { env: { BATCH_API_KEY: BATCH_KEY } })),
  );
  expect(runs.map(({ code, stderr }) => [code, stderr])).toEqual(runs.map(() => [0, '']));
  const store = tempStore(folder);
  expect(statusOf(store.db).accounts[0]).toMatchObject({ batches: 500, versions: 500, pulls: 6 });
}, 120_000);

test('a dry run tells what would change and keeps nothing', async () => {
  const bench = await startBench({ clock: () => NOW });
  bench.serve([batchRecord({ BatchId: 1, DateCreated: iso(NOW - DAY) })]);
  const folder = tempFolder();
  const config = writeConfig(folder, rawConfig(bench.service.baseUrl));
  const file = path.join(folder, 'history', 'h.sqlite');
  const args = ['pull', '--dry-run', '--config', config, '--store', file];
  const ran = await batchesHere(args, { env: { BATCH_API_KEY: BATCH_KEY } });
  expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('1 new') });
  expect(existsSync(file)).toBe(false);
});

test('the name of an account cannot be given to another customer', async () => {
  const bench = await startBench({ clock: () => NOW });
  const store = tempStore();
  await pullWith(bench, store, NOW);
  const account = { ...bench.account, customerId: 'C-2' };
  await expect(pullWith(bench, store, NOW, { account })).rejects.toMatchObject({
    code: 'account-is-another',
  });
});

test('exit codes: what went wrong decides, and the message says what to check', async () => {
  const now = Date.now();
  const bench = await startBench({ clock: () => now, days: 3 });
  const folder = tempFolder();
  const raw = rawConfig(bench.service.baseUrl, { days: 3 });
  // A short deadline makes the pauses between tries short.
  raw.service.timeout = '5s';
  const config = writeConfig(folder, raw);
  const file = path.join(folder, 'history', 'h.sqlite');
  const run = (env: Record<string, string> = {}, args: string[] = []) =>
    batchesHere(['pull', '--config', config, '--store', file, ...args], {
      env: { BATCH_API_KEY: BATCH_KEY, ...env },
    });

  const form = await run({ BATCH_API_KEY: '5a3c91e0-7b42' });
  expect(form).toMatchObject({ code: 2, stderr: expect.stringContaining('8-4-4-4-12') });
  expect(bench.service.requests.list('batches')).toEqual([]);

  const [account] = bench.service.data.accounts;
  if (account) account.customerId = 'C-99';
  const unknown = await run();
  expect(unknown).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('CustomerID does not exist'),
  });
  expect(unknown.stderr).toContain('Check customerId');
  if (account) account.customerId = 'C-1';

  const body =
    '{"Success":false,"Message":"API key not in correct format (xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx)"}';
  bench.service.faults.set({ route: 'batches', status: 404, body, times: 1 });
  const refused = await run();
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('BATCH_API_KEY') });

  bench.service.faults.set({ route: 'batches', status: 503 });
  expect((await run()).code).toBe(4);
  bench.service.faults.clear();

  bench.serve([{ BatchId: 1 }]);
  bench.service.faults.set({ route: 'batches', body: '[{"BatchId":1}]', times: 1 });
  expect((await run()).code).toBe(5);

  bench.serve([]);
  expect((await run()).code).toBe(0);
  const store = tempStore(folder);
  store.db
    .prepare('UPDATE pull SET covered_from = ?, covered_until = ?')
    .run(iso(now - 500 * DAY), iso(now - 490 * DAY));
  const hole = await run();
  expect(hole).toMatchObject({ code: 7, stderr: expect.stringContaining('hole') });
  expect(hole.stdout).toContain('HOLE');
  expect((await run()).code).toBe(0);
  expect((await batchesHere(['status', '--store', file], { cwd: folder })).stdout).toContain(
    'a pull asks for at most 400',
  );
  for (const args of [
    ['nonsense'],
    ['pull', '--nope'],
    ['export', '--format', 'pdf'],
    ['pull', '--days', '-1'],
    [],
  ]) {
    const wrong = await batchesHere(args, { cwd: folder });
    expect(wrong).toMatchObject({ code: 2, stderr: expect.not.stringContaining('    at ') });
  }
}, 120_000);
