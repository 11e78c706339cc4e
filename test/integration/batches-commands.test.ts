import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { tellError } from '../../src/batches/cli/command.ts';
import { COMMANDS, readValues } from '../../src/batches/cli/commands.ts';
import { HELP, OVERVIEW } from '../../src/batches/cli/help.ts';
import { type SampleService, startSampleService } from '../../src/sample-service/index.ts';
import { HASH_KEY, tempFolder } from '../support/batches.ts';

let service: SampleService;

beforeAll(async () => {
  service = await startSampleService({ dealers: 1, vehicles: 1, images: 1 });
  vi.stubEnv('BATCH_API_KEY', service.batchKey);
  vi.stubEnv('BATCH_HASH_KEY', HASH_KEY);
  vi.stubEnv('CI', '');
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await service.close();
});

/** Runs one command within this process, as scripts/batches.ts does in its own. */
async function run(name: string, args: readonly string[], input = '') {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const said = { out: '', err: '' };
  stdout.on('data', (chunk) => {
    said.out += chunk;
  });
  stderr.on('data', (chunk) => {
    said.err += chunk;
  });
  const command = COMMANDS[name];
  if (!command) throw new Error(`no command ${name}`);
  const terminal = { stdin: Readable.from([input]), stdout, stderr } as never;
  const exitCode = await command.run(readValues(command, args), terminal);
  return { exitCode, ...said };
}

function world() {
  const folder = tempFolder();
  const config = path.join(folder, 'config.json');
  const [account] = service.data.accounts;
  writeFileSync(
    config,
    JSON.stringify({
      service: { baseUrl: service.baseUrl },
      site: { title: 'x', url: 'https://cars.example' },
      accounts: [
        {
          name: 'north',
          customerId: account?.customerId,
          pathId: account?.pathId,
          daysOfHistory: 30,
        },
      ],
    }),
  );
  const store = path.join(folder, 'history', 'h.sqlite');
  return { folder, common: ['--config', config, '--store', store] };
}

it('pulls, tells the state, exports, reports and forgets', async () => {
  const { folder, common } = world();
  expect((await run('status', common)).err).toContain('There is no history');
  const dry = await run('pull', [...common, '--dry-run']);
  expect(dry.exitCode).toBe(0);
  const pulled = await run('pull', common);
  expect(pulled.exitCode).toBe(0);
  expect(pulled.out + pulled.err).toMatch(/north/);

  const told = await run('status', [...common, '--json']);
  expect(told.err).not.toContain('There is no history');
  const status = JSON.parse(told.out);
  expect(JSON.stringify(status)).toContain('north');
  expect((await run('status', common)).out).toContain('north');

  const everything = [...common, '--format', 'ndjson', '--pii', 'full', '--output', '-'];
  const exported = await run('export', everything);
  const records = exported.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(records.length).toBeGreaterThan(0);
  const file = path.join(folder, 'out.csv');
  expect((await run('export', [...common, '--format', 'csv', '--output', file])).exitCode).toBe(0);
  expect(readFileSync(file, 'utf8').trim().split('\r\n')).toHaveLength(records.length + 1);

  const report = path.join(folder, 'report');
  expect((await run('report', [...common, '--output', report])).exitCode).toBe(0);
  expect(readdirSync(report)).toContain('index.html');

  const known =
    service.data.accounts[0]?.batches.filter(({ RecipientEmail }) => RecipientEmail) ?? [];
  const address = known.at(0)?.RecipientEmail ?? '';
  const forgotten = await run('forget', [...common, '--email', '-'], `${address}\n`);
  expect(forgotten.exitCode).toBe(0);
  const after = await run('export', everything);
  expect(after.out).not.toContain(address);
});

it('has help for every command, and words for every fault', async () => {
  for (const name of Object.keys(COMMANDS)) {
    expect(OVERVIEW).toContain(name);
    expect(HELP[name]).toContain(`--`);
  }
  expect(() => readValues(COMMANDS.pull as never, ['--nonsense'])).toThrowError();
  expect(tellError(new TypeError('secret words'), 'x', { debug: false }).message).not.toContain(
    'secret words',
  );
  const missing = await run('export', [...world().common, '--format', 'csv']).catch(
    (error) => error,
  );
  expect(missing).toMatchObject({ exitCode: 2 });
});
