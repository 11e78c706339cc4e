import path from 'node:path';
import { describe, expect, it, test } from 'vitest';
import type { PullOptions } from '../../src/batches/pull/pull.ts';
import { statusOf } from '../../src/batches/store/status.ts';
import type { BatchRecord } from '../../src/contract/batch.ts';
import { failureOf } from '../support/answer-server.ts';
import { fill } from '../support/batch-fill.ts';
import { batchRecord } from '../support/batch-record.ts';
import {
  BATCH_KEY,
  batchesHere,
  codesOf,
  DAY,
  iso,
  pullWith,
  rawConfig,
  startBench,
  tempFolder,
  tempStore,
  writeConfig,
} from '../support/batches.ts';

const NOW = Date.parse('2026-03-01T06:00:00Z');
const batch = (id: number, daysAgo = 1, more: Partial<BatchRecord> = {}) =>
  batchRecord({ BatchId: id, DateCreated: iso(NOW - daysAgo * DAY), ...more });

/** A history, and a service with the response that a test chose. */
async function world(options: { days?: number; maxDays?: number } = {}) {
  // The service has the time of the pull, so that its response has the chosen records.
  let now = NOW;
  const bench = await startBench({ clock: () => now, ...options });
  const store = tempStore();
  return {
    store,
    db: store.db,
    account: bench.account,
    service: bench.config.service,
    daysAsked: () =>
      bench.service.requests.list('batches').map(({ query }) => Number(query.daysOfHistory)),
    /** Pulls this response the given number of days from now. */
    pull: async (answer: readonly unknown[], inDays = 0, more: Partial<PullOptions> = {}) => {
      bench.serve(answer);
      now = NOW + inDays * DAY;
      const result = await pullWith(bench, store, now, more);
      return { ...result, codes: codesOf(result) };
    },
  };
}
const count = (db: PullOptions['store']['db'], table: string) =>
  db.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n;

describe('a pull', () => {
  it('stores new and changed batches and only confirms the others', async () => {
    const { db, pull, daysAsked } = await world();
    const at = new Date(NOW).toISOString();
    expect(await pull([batch(1), batch(2)])).toMatchObject({
      account: 'north',
      days: 30,
      widened: false,
      received: 2,
      quarantined: 0,
      recovered: 0,
      inserted: 2,
      changed: 0,
      unchanged: 0,
      scrubbed: 0,
      findings: [],
      holes: [],
      filled: [],
    });
    expect(db.prepare('SELECT * FROM pull').get()).toMatchObject({
      at,
      failure: null,
      covered_from: new Date(NOW - 30 * DAY).toISOString(),
      covered_until: at,
    });
    const second = await pull([batch(1, 1, { Title: 'New' }), batch(2), batch(3)], 1);
    expect(second).toMatchObject({ inserted: 1, changed: 1, unchanged: 1 });
    expect([count(db, 'batch'), count(db, 'version'), count(db, 'pull')]).toEqual([3, 4, 2]);
    const seen = db.prepare('SELECT DISTINCT last_seen_at AS at FROM batch').all();
    expect(seen).toEqual([{ at: new Date(NOW + DAY).toISOString() }]);
    expect(daysAsked()).toEqual([30, 30]);
  });

  it('treats another key order, time spelling or configured name as unchanged', async () => {
    const { pull, service } = await world();
    const record = batch(1, 1, { SocialClicks: 4 });
    await pull([record]);
    const { SocialClicks, ...rest } = Object.fromEntries(Object.entries(record).reverse());
    const again = { ...rest, DateCreated: record.DateCreated.replace('Z', '.000Z') };
    const fieldNames = { ...service.fieldNames, socialClicks: 'NetClicks' };
    const result = await pull([{ ...again, NetClicks: SocialClicks }], 0.1, {
      service: { ...service, fieldNames },
    });
    expect(result).toMatchObject({ changed: 0, unchanged: 1, inserted: 0 });
  });

  it('keeps fields that a response omits, and reports new fields and types once', async () => {
    const { db, pull } = await world();
    await pull([batch(1, 1, { Title: 'One' }), batch(2)]);
    const changed = { ...batch(1, 1, { Title: 'One', CustomerRating: 5 }), Extra: true };
    expect((await pull([changed], 1)).codes).toEqual([
      'absent-in-window',
      'type-first CustomerRating',
      'field-new Extra',
    ]);
    expect((await pull([{ ...changed, CustomerRating: '5' }], 2)).codes).toEqual([
      'type-first CustomerRating',
    ]);
    expect(statusOf(db).accounts).toMatchObject([
      { batches: 2, versions: 4, outOfWindow: 1, driftTotal: 4, pulls: 3 },
    ]);
  });

  it('refuses the name of an account of another customer', async () => {
    const { account, pull } = await world();
    await pull([]);
    const error = await failureOf(pull([], 1, { account: { ...account, customerId: 'C-2' } }));
    expect(error.code).toBe('account-is-another');
    // A copied line, or a new name: every batch would count twice.
    const renamed = await failureOf(pull([], 1, { account: { ...account, name: 'south' } }));
    expect(renamed.message).toContain('"north" and "south" have the same customerId and pathId');
  });

  it('in a dry run reports the same and stores nothing', async () => {
    const { db, pull } = await world();
    expect(await pull([batch(1)], 0, { dryRun: true })).toMatchObject({ inserted: 1 });
    expect([count(db, 'batch'), count(db, 'pull'), count(db, 'account')]).toEqual([0, 0, 0]);
  });

  it('reports batches missing from its window, except on its first day', async () => {
    const { pull } = await world();
    await pull([batch(1, 29.5), batch(2, 20), batch(3, 10)]);
    expect((await pull([batch(2, 20), batch(3, 10)])).findings).toEqual([]);
    const { findings } = await pull([batch(3, 10)], 1);
    expect(findings).toEqual([
      expect.objectContaining({
        code: 'absent-in-window',
        detail: '1 of 2 known batches of the window are missing',
      }),
      expect.objectContaining({
        code: 'window-shrunk',
        detail: '30 days requested, 11.0 received',
      }),
    ]);
  });

  it('does not report a known batch as missing if its record breaks the contract', async () => {
    const { pull } = await world();
    await pull([batch(1, 20), batch(2, 10), batch(3, 5)]);
    const broken = { ...batch(1, 20), RecipientEmail: null };
    expect((await pull([broken, batch(2, 10), batch(3, 5)], 1)).codes).toEqual([
      'quarantined RecipientEmail',
    ]);
  });

  it('stores the latest record of a batch that is repeated, oldest batches first', async () => {
    const { db, pull } = await world();
    const viewed = [3, 0, 5, 1].map((VideoPlayCount) => batch(8, 2, { VideoPlayCount }));
    const one = batch(1, 2, { Title: 'A' });
    const other = batch(1, 2, { Title: 'B' });
    const first = await pull([batch(9, 3), one, other, ...viewed]);
    expect(first).toMatchObject({ inserted: 3, codes: ['duplicate-batch'] });
    expect(first.findings[0]?.detail).toMatch(/^4 records /);
    const stored = db.prepare(
      'SELECT batch_id AS id, video_play_count AS plays FROM batches_current',
    );
    const plays = stored.all().map(({ id, plays }) => [id, plays]);
    expect(plays).toEqual([
      [9, 0],
      [1, 0],
      [8, 5],
    ]);
    const again = await pull([batch(9, 3), other, one, ...viewed.toReversed()], 1);
    expect(again).toMatchObject({ unchanged: 3 });
  });

  it('reports each kind of implausible change once', async () => {
    const { pull } = await world();
    const counts = { SocialClicks: 5, VideoPlayCount: 5 };
    await pull([batch(1, 1, counts), batch(2, 1, counts), batch(3)]);
    const fewer = { SocialClicks: 4, VideoPlayCount: 6 };
    const { codes, findings } = await pull(
      [batch(1, 1, fewer), batch(2, 1, fewer), batch(3, 2)],
      1,
    );
    expect(codes).toEqual(['creation-changed DateCreated', 'count-fell SocialClicks']);
    expect(findings.map(({ detail }) => detail.slice(0, 9))).toEqual(['1 batch h', '2 batches']);
  });
});

describe('an unreadable record', () => {
  const good = [1, 2, 3].map((id) => batch(id));
  const { SearchClicks: _, ...renamed } = batch(4);

  it('is quarantined once and read once the configuration allows it', async () => {
    const { db, pull, service } = await world();
    // Sums of such counts would be inexact.
    const huge = batch(5, 1, { VideoPlayCount: 2 ** 31 });
    const first = await pull([...good, { ...renamed, FindClicks: 7 }, huge]);
    expect(first).toMatchObject({ received: 5, inserted: 3, quarantined: 2 });
    expect(first.codes).toEqual(['quarantined SearchClicks', 'quarantined VideoPlayCount']);
    db.exec("DELETE FROM quarantine WHERE json_extract(raw, '$.BatchId') = 5");
    await pull([...good, { ...renamed, FindClicks: 7 }], 1);
    const quarantined = db.prepare('SELECT raw, last_seen_at FROM quarantine').all();
    expect(quarantined).toEqual([
      {
        raw: JSON.stringify({ ...renamed, FindClicks: 7 }),
        last_seen_at: new Date(NOW + DAY).toISOString(),
      },
    ]);
    const fieldNames = { ...service.fieldNames, searchClicks: 'FindClicks' };
    const again = await pull([], 2, { service: { ...service, fieldNames } });
    expect(again).toMatchObject({ recovered: 1 });
    expect([count(db, 'quarantine'), count(db, 'batch')]).toEqual([0, 4]);
    const seen = db.prepare('SELECT last_seen_at AS at FROM batch WHERE batch_id = 4').get();
    expect(seen?.at).toBe(new Date(NOW + DAY).toISOString());
    // Exports of later changes include it.
    const changed = db.prepare('SELECT changed_at AS at FROM batches_current WHERE batch_id = 4');
    expect(changed.get()?.at).toBe(new Date(NOW + 2 * DAY).toISOString());
  });

  it('stops the pull if most records are unreadable, and the ledger has the reason', async () => {
    const { db, pull } = await world();
    const broken = (BatchId: number) => ({ BatchId, DateCreated: iso(NOW) });
    expect(await pull([batch(1), broken(2)])).toMatchObject({ inserted: 1 });
    const stop = async (more: Partial<PullOptions> = {}) =>
      failureOf(pull([batch(5), broken(2), broken(3)], 1, more));
    expect(await stop({ dryRun: true })).toMatchObject({
      code: 'batches-contract-broken',
      exitCode: 5,
    });
    expect(db.prepare("SELECT * FROM drift WHERE code = 'contract-broken'").all()).toEqual([]);
    const error = await stop();
    expect(error.message).toContain('"north" breaks the contract: 2 of 3');
    expect(error.why).toMatch(/^The first problem: [A-Z]\w+: /);
    const ledger = db.prepare("SELECT detail FROM drift WHERE code = 'contract-broken'").all();
    expect(ledger).toEqual([{ detail: '2 of 3 records cannot be read' }]);
    expect([count(db, 'batch'), count(db, 'pull')]).toEqual([1, 1]);
  });
});

test('a quarantined record never overwrites a later version', () => {
  const store = tempStore();
  const apply = (at: string, Title: string) => fill(store, [batch(1, 1, { Title })], { at });
  apply('2026-03-03T02:00:00.000Z', 'Later');
  expect(apply('2026-03-02T02:00:00.000Z', 'Old')).toMatchObject({ unchanged: 0, changed: 0 });
  expect(apply('2026-03-03T02:00:00.000Z', 'New')).toMatchObject({ unchanged: 0, changed: 1 });
});

describe('missed pulls', () => {
  it('stay missed if a response is inconclusive', async () => {
    const { db, pull } = await world({ days: 30 });
    await pull([batch(1)]);
    const empty = await pull([], 1);
    expect(empty).toMatchObject({ codes: ['answer-empty'], holes: [] });
    // The only known batch is missing from the last response.
    expect(statusOf(db).accounts).toMatchObject([{ batches: 1, outOfWindow: 1 }]);
    const last = db.prepare('SELECT covered_from, covered_until FROM pull ORDER BY id DESC').get();
    expect(last).toEqual({ covered_from: null, covered_until: null });
  });
});

it('a clock of the service is reported if it is far ahead; an hour is tolerated', async () => {
  const { pull } = await world();
  expect((await pull([batch(1, -1 / 24)])).codes).toEqual([]);
  const { findings } = await pull([batch(1, -1 / 24), batch(2, -2 / 24)], 0.0001);
  expect(findings).toEqual([
    { code: 'created-ahead', field: 'DateCreated', detail: expect.stringMatching(/^1 batch /) },
  ]);
});

test('the exit code follows the cause, and the message names the next check', async () => {
  const now = Date.now();
  const bench = await startBench({ clock: () => now, days: 3 });
  const folder = tempFolder();
  const raw = rawConfig(bench.service.baseUrl, { days: 3 });
  // A short deadline shortens the pauses between attempts.
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
  const records = [1, 2, 2].map((BatchId) => batchRecord({ BatchId, DateCreated: iso(now - DAY) }));
  bench.serve(records);
  expect(await run({}, ['--quiet'])).toMatchObject({
    code: 0,
    stdout: '',
    stderr: 'north: drift duplicate-batch: 1 record shares its BatchId with another\n',
  });
  expect((await batchesHere(['status', '--store', file], { cwd: folder })).stdout).toContain(
    'a pull requests at most 400',
  );
});
