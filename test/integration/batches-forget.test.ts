import { expect, test } from 'vitest';
import { fill } from '../support/batch-fill.ts';
import { batchRecord } from '../support/batch-record.ts';
import { batchesHere, HASH_KEY, tempFolder, tempStore } from '../support/batches.ts';

/** A history of two batches: the first was changed, and each of its versions names another person. */
function filled() {
  const folder = tempFolder();
  const store = tempStore(folder);
  const first = batchRecord({ BatchId: 1, RecipientEmail: 'ann@customers.example' });
  fill(store, [first, batchRecord({ BatchId: 2, RecipientMobile: '+447700900123' })]);
  fill(store, [{ ...first, RecipientEmail: 'bob@customers.example' }], {
    at: '2026-02-02T06:00:00.000Z',
  });
  return (args: string[], input = '') =>
    batchesHere(['forget', ...args, '--store', store.file], {
      cwd: folder,
      input,
      env: { BATCH_HASH_KEY: HASH_KEY },
    });
}

test.each([
  [['--email', 'zoe.misspelt@customers.example'], '1 of 1 values: --email number 1'],
  [['--mobile', '+441632960961'], '1 of 1 values: --mobile number 1'],
  [['--batch', '77'], '1 of 1 values: --batch number 1'],
  [
    ['--email', 'ann@customers.example', '--email', 'zoe@customers.example', '--batch', '2'],
    '1 of 3 values: --email number 2',
  ],
])('forget %j reports a value that matches nothing, and does not repeat it', async (args, text) => {
  const ran = await filled()(args);
  expect(ran).toMatchObject({ code: 8, stderr: expect.stringContaining('[forget-no-match]') });
  expect(ran.stderr).toContain(text);
  expect(ran.stdout + ran.stderr).not.toMatch(/zoe|1632|ann@/);
});

test('values of standard input are counted, and the others are erased', async () => {
  const forget = filled();
  const input = 'ann@customers.example\nzoe@customers.example\nBOB@customers.example\n';
  const ran = await forget(['--email', '-'], input);
  expect(ran.code).toBe(8);
  expect(ran.stderr).toContain('1 of 3 values: --email number 2');
  expect(ran.stdout).toContain('erased: 1 batch, 2 versions');
});

test('a person in any version of a batch is a match, also one that another value erases', async () => {
  const args = ['--email', 'bob@customers.example', '--email', 'ann@customers.example'];
  expect(await filled()([...args, '--batch', '1'])).toMatchObject({ code: 0, stderr: '' });
  expect(await filled()(['--mobile', '07700 900123'])).toMatchObject({ code: 0, stderr: '' });
});
