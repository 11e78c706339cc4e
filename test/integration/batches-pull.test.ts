import path from 'node:path';
import { expect, test } from 'vitest';
import {
  BATCH_KEY,
  batchesHere,
  DAY,
  iso,
  rawConfig,
  startBench,
  tempFolder,
  tempStore,
  writeConfig,
} from '../support/batches.ts';

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
  expect((await run()).code).toBe(0);
  expect((await batchesHere(['status', '--store', file], { cwd: folder })).stdout).toContain(
    'a pull requests at most 400',
  );
}, 120_000);
