import path from 'node:path';
import { expect, test } from 'vitest';
import { openStore } from '../../src/batches/store/open.ts';
import { statusOf } from '../../src/batches/store/status.ts';
import { startAnswerServer } from '../support/answer-server.ts';
import { historyOf } from '../support/batch-fill.ts';
import { batchRecord } from '../support/batch-record.ts';
import { BATCH_KEY, rawConfig, tempFolder, writeConfig } from '../support/batches.ts';
import { runHere } from '../support/run-here.ts';

/** Runs a command of the history, and interrupts it at its first request with this method. */
async function interrupted(
  args: readonly string[],
  env: Record<string, string>,
  cwd: string,
  { method = 'GET', meanwhile = () => {} } = {},
) {
  const controller = new AbortController();
  const { url } = await startAnswerServer((request, response) => {
    if (request.method !== method) return response.writeHead(404).end();
    meanwhile();
    return controller.abort();
  });
  writeConfig(cwd, rawConfig(url));
  return runHere(['batches', ...args], {
    cwd,
    env: { SITE_CONFIG: path.join(cwd, 'site.config.json'), S3_ENDPOINT: url, ...env },
    signal: controller.signal,
  });
}

const OUTCOME = { exitCode: 5, stderr: expect.stringContaining('[command-interrupted]') };

test('Ctrl-C ends a pull that waits for the service, and does not count as a failed pull', async () => {
  const folder = tempFolder();
  const file = path.join(folder, 'h.sqlite');
  const ran = await interrupted(['pull', '--store', file], { BATCH_API_KEY: BATCH_KEY }, folder);
  expect(ran).toMatchObject(OUTCOME);
  using store = openStore({ file, bases: [] });
  expect(statusOf(store.db).accounts).toEqual([]);
});

test('Ctrl-C ends an export that waits for a bucket, which does not block a pull', async () => {
  const { folder, store } = historyOf([batchRecord({ BatchId: 1 })]);
  using other = openStore({ file: store.file, bases: [] });
  other.db.exec('PRAGMA busy_timeout = 0');
  const meanwhile = () => expect(() => other.db.exec('BEGIN IMMEDIATE; ROLLBACK')).not.toThrow();
  const ran = await interrupted(
    [
      ...['export', '--format', 'ndjson', '--pii', 'none', '--since', 'last'],
      ...['--output', 's3://history/a', '--store', store.file],
    ],
    { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'a-secret-key' },
    folder,
    { method: 'PUT', meanwhile },
  );
  expect(ran).toMatchObject(OUTCOME);
});
