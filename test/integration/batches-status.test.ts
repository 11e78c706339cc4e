import { expect, test } from 'vitest';
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
import { runHere } from '../support/run-here.ts';

const HOUR = 3_600_000;
const NOW = Date.now();

/** Two accounts, of which the service has the first. Commands run in a folder with their configuration. */
async function world() {
  const bench = await startBench();
  bench.serve([batchRecord({ BatchId: 1, DateCreated: new Date().toISOString() })]);
  const cwd = tempFolder();
  const raw = rawConfig(bench.service.baseUrl);
  const [north] = raw.accounts;
  const south = { ...north, name: 'south', customerId: 'C-2' };
  const accounts = [{ ...north }, south];
  const config = writeConfig(cwd, { ...raw, accounts });
  const run = (...args: string[]) =>
    batchesHere([...args, '--config', config], { cwd, env: { BATCH_API_KEY: BATCH_KEY } });
  const status = async (...args: string[]) =>
    JSON.parse((await run('status', '--json', ...args)).stdout);
  const correct = () => {
    const served = bench.service.data.accounts;
    served.push(...served.map((account) => ({ ...account, name: 'south', customerId: 'C-3' })));
    writeConfig(cwd, { ...raw, accounts: [north, { ...south, customerId: 'C-3' }] });
  };
  return { bench, run, status, correct };
}

test('an account that never responded is in the status, with the time and code of each attempt', async () => {
  const { run, status, correct } = await world();
  // Without a history, a check before a backup fails.
  expect((await run('status', '--check')).stderr).toContain('[store-missing]');
  const never = { pulls: 0, lastPull: null, batches: 0 };
  expect((await status()).accounts).toMatchObject([
    { account: 'north', ...never, lastAttempt: null, failedAttempts: 0 },
    { account: 'south', ...never, lastAttempt: null, failedAttempts: 0 },
  ]);
  for (const _ of [1, 2]) expect((await run('pull')).code).toBe(3);
  expect((await run('pull', '--dry-run')).code).toBe(3);
  const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);
  expect((await status()).accounts).toMatchObject([
    { account: 'north', pulls: 2, lastAttempt: { at, outcome: 'ok' }, failedAttempts: 0 },
    {
      account: 'south',
      ...never,
      lastAttempt: { at, outcome: 'batches-unknown-customer' },
      failedAttempts: 2,
    },
  ]);
  const text = (await run('status')).stdout;
  expect(text).not.toMatch(/C-[12]|5a3c91e0/);
  expect(text).toMatch(/south\n {2}last pull {6}never \(0 pulls\)\n {2}FAILED .*2 pulls since/);
  expect(text).toContain('batches-unknown-customer');

  // The mistyped customerId is not stored, so the corrected account works.
  correct();
  expect((await run('pull')).code).toBe(0);
  expect((await status()).accounts[1]).toMatchObject({ pulls: 1, failedAttempts: 0 });
  expect((await run('status', '--check')).stdout).toContain('no damage found');
});

test('--fail-older-than ends with 8 if an account was never pulled', async () => {
  const { run, correct } = await world();
  const stale = await run('status', '--fail-older-than', '26h');
  expect(stale).toMatchObject({ code: 8, stderr: expect.stringContaining('[pull-too-old]') });
  expect(stale.stderr).toMatch(/"north" was never pulled.*"south" was never pulled/);
  await run('pull');
  const half = await run('status', '--fail-older-than', '26h', '--json', '--quiet');
  expect(half.code).toBe(8);
  expect(half.stderr).not.toContain('north');
  expect(half.stderr).toContain('(the last pull failed: batches-unknown-customer)');
  expect(JSON.parse(half.stdout).accounts).toHaveLength(2);
  correct();
  await run('pull');
  expect(await run('status', '--fail-older-than', '26h')).toMatchObject({ code: 0, stderr: '' });
});

test.each([
  [1, '26h', 0],
  [25, '26h', 0],
  [27, '26h', 8],
  [27, '2d', 0],
  [240, '3d', 8],
  // A pull in the future comes from a wrong clock and does not hide the end of pulls.
  [-48, '26h', 8],
])('a pull %i hours ago with --fail-older-than %s ends with %i', async (hours, age, code) => {
  const folder = tempFolder();
  const store = tempStore(folder);
  const at = new Date(Date.now() - hours * HOUR).toISOString();
  fill(store, [batchRecord({ BatchId: 1 })], { at });
  const ran = await batchesHere(['status', '--fail-older-than', age, '--store', store.file], {
    cwd: folder,
  });
  expect(ran.code).toBe(code);
  expect(ran.stdout).toContain('north');
});

test('without a history and a configuration, no pull is confirmed', async () => {
  const cwd = tempFolder();
  const ran = await batchesHere(['status', '--fail-older-than', '1d'], { cwd });
  expect(ran).toMatchObject({ code: 8, stderr: expect.stringContaining('none was ever pulled') });
});

test('acknowledged drift is reported only once, new drift is reported', async () => {
  const folder = tempFolder();
  const store = tempStore(folder);
  const bench = await startBench({ clock: () => NOW });
  const served = (extra: object, count = 100) =>
    bench.serve(
      Array.from({ length: count }, (_, index) => ({
        ...batchRecord({ BatchId: index + 1, DateCreated: iso(NOW - DAY) }),
        ...extra,
      })),
    );
  const pull = async (now: number) => codesOf(await pullWith(bench, store, now));
  const run = async (...args: string[]) =>
    (await batchesHere([...args, '--store', store.file], { cwd: folder })).stdout;
  served({ Colour: 'red' });
  expect(await pull(NOW)).toEqual(['answer-round', 'field-new Colour']);
  // Exactly 100 batches may be correct for weeks.
  served({}, 100);
  expect(await pull(NOW + 1000)).toEqual(['field-gone Colour']);
  expect(await pull(NOW + 2000)).toEqual(['field-gone Colour']);
  expect(await run('drift', '--seen')).toContain('4 findings acknowledged');
  expect(await run('drift')).toBe('no new drift\n');
  expect(await run('status')).toMatch(/drift +none/);
  expect(await pull(NOW + 3000)).toEqual([]);
  served({ Size: 3 });
  expect(await pull(NOW + 4000)).toEqual(['field-new Size']);
  expect(await run('drift', '--account', 'north')).toContain('north field-new Size');
});

test('a configuration with only accounts needs no site, which site commands report', async () => {
  const folder = tempFolder();
  const bench = await startBench();
  const { site: _, ...raw } = rawConfig(bench.service.baseUrl);
  const config = writeConfig(folder, raw);
  const options = { cwd: folder, env: { BATCH_API_KEY: BATCH_KEY } };
  for (const command of ['pull', 'status', 'report', 'drift']) {
    const ran = await batchesHere([command, '--config', config], options);
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
  }
  const build = await runHere(['build', '--config', config], options);
  expect(build).toMatchObject({ exitCode: 2 });
  expect(build.stderr).toContain('site: is missing. It needs a title and a url');
  // Dealers have a site.
  const wrong = writeConfig(folder, { ...raw, dealers: [{ id: 1, name: 'D', slug: 'd' }] });
  expect(await batchesHere(['pull', '--config', wrong], options)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('site: is missing'),
  });
  for (const args of [
    ['prune', '--older-than', '24m'],
    ['drift'],
    ['export', '--format', 'csv'],
    ['status', '--check'],
  ]) {
    const ran = await batchesHere([...args, '--config', wrong], options);
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
  }
});
