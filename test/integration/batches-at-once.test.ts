import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { forget } from '../../src/batches/forget.ts';
import { pullAccount } from '../../src/batches/pull/pull.ts';
import { startAnswerServer } from '../support/answer-server.ts';
import { batchRecord } from '../support/batch-record.ts';
import {
  BATCH_KEY,
  configOf,
  DAY,
  HASH_KEY,
  rawConfig,
  runBatches,
  secret,
  tempFolder,
  tempStore,
  writeConfig,
} from '../support/batches.ts';

const created = `${new Date(Date.now() - DAY).toISOString().slice(0, 19)}Z`;

/** A service that responds to request n with `answers[n]`, at any later time. */
async function startService(
  answers: readonly ((send: (title: string) => void) => void)[],
): Promise<string> {
  const { url, asked } = await startAnswerServer((_, response) => {
    const send = (title: string) =>
      response.end(
        JSON.stringify([batchRecord({ BatchId: 1, DateCreated: created, Title: title })]),
      );
    answers[asked.length - 1]?.(send);
  });
  return url;
}

test('two pulls at once: the older response cannot overwrite the newer one, in any order', async () => {
  let version = 0;
  const second = Promise.withResolvers<void>();
  const stored = Promise.withResolvers<void>();
  // The response to the first request has the data at its sending time, after the second request (or never,
  // because the second pull waits). The response to the second request has the data at its request time, but
  // arrives after the first is stored.
  const baseUrl = await startService([
    (send) =>
      void Promise.race([second.promise, pause(4000)]).then(() => send(`state ${++version}`)),
    (send) => {
      const title = `state ${++version}`;
      second.resolve();
      void stored.promise.then(() => send(title));
    },
  ]);
  const folder = tempFolder();
  const config = writeConfig(folder, rawConfig(baseUrl));
  const file = path.join(folder, 'history', 'h.sqlite');
  const pull = () =>
    runBatches(['pull', '--config', config, '--store', file], {
      env: { BATCH_API_KEY: BATCH_KEY },
    });
  const runs = [pull(), pull()];
  await Promise.race(runs);
  stored.resolve();
  expect((await Promise.all(runs)).map(({ code, stderr }) => [code, stderr])).toEqual([
    [0, ''],
    [0, ''],
  ]);
  expect(version).toBe(2);
  const store = tempStore(folder);
  const title = store.db
    .prepare('SELECT title FROM batch b JOIN version v ON v.change_seq = b.current_seq')
    .get();
  expect(title).toEqual({ title: 'state 2' });
});

test('a person erased during a response does not return with it', async () => {
  const asked = Promise.withResolvers<(title: string) => void>();
  const baseUrl = await startService([asked.resolve]);
  const store = tempStore();
  const { service, accounts } = configOf(baseUrl);
  const [account] = accounts;
  if (!account) throw new Error('no account');
  const hashKey = secret(HASH_KEY);
  const pulled = pullAccount({ store, service, account, hashKey });
  const send = await asked.promise;
  forget(store, { emails: ['ann@example.com'] }, { hashKey });
  send('For ann@example.com');
  expect(await pulled).toMatchObject({ inserted: 1, scrubbed: 1 });
  expect(store.db.prepare('SELECT title, raw FROM version').get()).toMatchObject({
    title: '',
    raw: expect.not.stringContaining('ann@example.com'),
  });
});
