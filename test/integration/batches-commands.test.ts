import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { explainError } from '../../src/batches/commands/history.ts';
import { startSampleService } from '../../src/sample-service/server.ts';
import { HASH_KEY, rawConfig, tempFolder, writeConfig } from '../support/batches.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { runHere } from '../support/run-here.ts';

const service = await forAllTests(startSampleService({ dealers: 1, vehicles: 1, images: 1 }));

/** A folder with a configuration, in which commands run. */
function world() {
  const cwd = tempFolder();
  const { customerId = '', pathId = '' } = service.data.accounts[0] ?? {};
  const raw = rawConfig(service.baseUrl);
  writeConfig(cwd, {
    ...raw,
    accounts: raw.accounts.map((one) => ({ ...one, customerId, pathId })),
  });
  const env = { BATCH_API_KEY: service.batchKey, BATCH_HASH_KEY: HASH_KEY };
  return {
    cwd,
    run: (args: readonly string[]) =>
      runHere(['batches', ...args, '--config', 'site.config.json'], { cwd, env }),
  };
}

it('pulls into the default path, and warns of a new history even with --quiet', async () => {
  const { cwd, run } = world();
  expect((await run(['status'])).stderr).toContain('There is no history');
  const tried = await run(['pull', '--dry-run']);
  expect(tried).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/\d+ new/) });
  expect(readdirSync(cwd)).not.toContain('.batches');
  const pulled = await run(['pull']);
  expect(pulled).toMatchObject({ exitCode: 0, stderr: '' });
  expect(pulled.stdout).toMatch(/north/);
  // The default path in the working folder.
  expect(readdirSync(path.join(cwd, '.batches'))).toContain('history.sqlite');

  // With the disk, the marks of erased people are lost, which a scheduled pull must not hide.
  expect(await run(['pull', '--quiet'])).toEqual({ exitCode: 0, stdout: '', stderr: '' });
  rmSync(path.join(cwd, '.batches'), { recursive: true });
  expect(await run(['pull', '--quiet'])).toMatchObject({
    exitCode: 0,
    stdout: '',
    stderr: expect.stringMatching(/^created a new history: .*restore its backup/),
  });
});

it('reports an error of the history once, not for every account', async () => {
  const { cwd, run } = world();
  const raw = rawConfig(service.baseUrl);
  const [north] = raw.accounts;
  writeConfig(cwd, { ...raw, accounts: [north, { ...north, name: 'south', customerId: 'C-2' }] });
  mkdirSync(path.join(cwd, '.batches'), { mode: 0o700 });
  writeFileSync(path.join(cwd, '.batches', 'history.sqlite-pull-lock'), 'x', { mode: 0o600 });
  const { exitCode, stderr } = await run(['pull']);
  expect([exitCode, stderr.match(/\[.*\]/g)]).toEqual([2, ['[lock-foreign]']]);
});

it('prints data, and no summary, with --quiet', async () => {
  const { run } = world();
  await run(['pull']);
  for (const args of [['status'], ['drift'], ['report', '--format', 'json']]) {
    expect(await run([...args, '--quiet'])).toEqual(await run(args));
  }
  for (const args of [['report'], ['drift', '--seen'], ['prune', '--older-than', '24m']]) {
    expect((await run([...args, '--quiet'])).stdout).not.toMatch(/index|acknow|erase/);
  }
  const { stdout, stderr } = await run(['export', '--format', 'csv', '--output', '-', '--quiet']);
  expect([stdout.startsWith('Account,BatchId'), stderr]).toEqual([true, '']);
});

it.each<[args: readonly string[], reason: string]>([
  [['nonsense'], '[command-unknown]'],
  [['pull', '--nope'], '[argument-unknown]'],
  [['pull', '--days', '0'], '[argument-invalid]'],
  [['pull', '--days', '-1'], '[argument-invalid]'],
  [['pull', '--account', 'nobody'], '[argument-invalid]'],
  [['export'], '[argument-invalid]'],
  [['export', '--format', 'xlxs'], 'Did you mean xlsx?'],
  [['export', '--format', 'csv', '--since', 'soon'], '[argument-invalid]'],
  [['export', '--format', 'csv', '--since', '2999-01-01'], 'future'],
  [['export', '--format', 'csv'], '[store-missing]'],
  [['export', '--format', 'csv', '--since', '2026-02-30'], '[argument-invalid]'],
  [['export', '--format', 'csv', '--since', '2026-04-31T06:00:00+02:00'], '[argument-invalid]'],
  [['export', '--format', 'csv', '--stream', 'crm'], 'without --since last'],
  ...['', 'a/erasures', 'a/contacts'].map((stream): [string[], string] => [
    ['export', '--format', 'csv', '--since', 'last', `--stream=${stream}`],
    'other characters',
  ]),
  [['forget', '--email', 'ann@customers.example', '--account', 'north'], 'restricts only --batch'],
  [['forget'], '[argument-invalid]'],
  [['forget', '--batch', 'twelve'], '[argument-invalid]'],
  [['forget', '--batch', '1', '--drop-marks', '--dry-run'], 'shows nothing about --drop-marks'],
  [['forget', '--email', '-', '--mobile', '-'], '[argument-invalid]'],
  [['export', '--format', 'csv', '--profile', 'contacts', '--history'], 'have no versions.'],
  ...['24', '24 months', '0m', '2y', '-3d', '24M'].map((age): [string[], string] => [
    ['prune', `--older-than=${age}`],
    'It is neither months, days nor a date.',
  ]),
  [['prune', '--older-than', '2204-11-28'], 'This date is in the future.'],
  ...['', '26', 'h', '0h', '-1h', '1w', '26 hours', 'soon'].map((age): [string[], string] => [
    ['status', `--fail-older-than=${age}`],
    'such as 26h or 3d',
  ]),
])('refuses %j', async (args, reason) => {
  const ran = await world().run(args);
  expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
  expect(ran.stderr).toContain(reason);
});

it('does not repeat values that may be personal', async () => {
  for (const args of [
    ['forget', 'jane.doe@mail.example'],
    ['forget', '--jane.doe@mail.example'],
    ['forget', '--emial=jane.doe@mail.example'],
    ['forget', '--batch', 'jane.doe@mail.example'],
    ['export', '--format', 'jane.doe@mail.example'],
  ]) {
    const { exitCode, stderr } = await world().run(args);
    expect(exitCode).toBe(2);
    expect(stderr).not.toContain('jane');
  }
  const { message } = explainError(new TypeError('secret words'), 'x', false);
  expect(message).not.toContain('secret words');
});
