import { createHash } from 'node:crypto';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { ExportOptions } from '../../src/batches/export/export.ts';
import { forget } from '../../src/batches/forget.ts';
import { deploySettings } from '../../src/config/deploy-settings.ts';
import { fill } from '../support/batch-fill.ts';
import { batchRecord } from '../support/batch-record.ts';
import { batchesHere, exportTo, parseLines, tempFolder, tempStore } from '../support/batches.ts';
import { openBucket, openCeph } from '../support/ceph.ts';
import { startCommand } from '../support/command.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { startFront } from '../support/front.ts';

const ceph = openCeph();
const proxy = await forAllTests(startFront(ceph.origin));
let buckets = 0;

const FOLDER = 'crm/changes-000000000001';

/** A history of five batches, and a separate bucket behind the proxy. */
async function world() {
  proxy.decide = () => undefined;
  proxy.log.length = 0;
  const bucket = `exports-${buckets++}`;
  const keys = await ceph.bucket(bucket);
  const env = {
    AWS_ACCESS_KEY_ID: keys.AWS_ACCESS_KEY_ID ?? '',
    AWS_SECRET_ACCESS_KEY: keys.AWS_SECRET_ACCESS_KEY ?? '',
    S3_ENDPOINT: proxy.url,
  };
  const folder = tempFolder();
  const store = tempStore(folder);
  const add = (id: number) =>
    fill(store, [batchRecord({ BatchId: id })], { at: `2026-02-0${id}T06:00:00.000Z` });
  for (const id of [1, 2, 3, 4, 5]) add(id);
  const { client, names } = openBucket({ ...keys, STORE_URL: `${ceph.origin}/${bucket}` });
  const contentOf = async (name: string) => (await client.get(name))?.bytes ?? Buffer.alloc(0);
  const manifestOf = async (name = FOLDER) =>
    JSON.parse((await contentOf(`${name}/manifest.json`)).toString());
  const args = (format = 'ndjson', to = bucket) => [
    ...['export', '--format', format, '--since', 'last', '--store', store.file],
    ...['--output', `s3://${to}/crm`],
  ];
  const settings = deploySettings('s3', { ...env, S3_BUCKET: bucket, S3_PREFIX: 'crm' });
  /** In parts of two rows. */
  const inParts = (more: Partial<ExportOptions> = {}) =>
    exportTo(store, '', { since: 'last', to: { bucket: settings, partRows: 2 }, ...more });
  const run = (more: string[] = []) => batchesHere([...args(), ...more], { cwd: folder, env });
  return {
    bucket,
    env,
    folder,
    store,
    add,
    client,
    names,
    contentOf,
    manifestOf,
    args,
    inParts,
    run,
  };
}

test('parts are named after their changes, and the manifest describes and follows them', async () => {
  const { bucket, names, contentOf, manifestOf, inParts, add } = await world();
  const address = `s3://${bucket}/${FOLDER}/manifest.json`;
  expect(await inParts()).toMatchObject({ rows: 5, file: address, range: { from: 0, to: 5 } });
  const parts = [
    '000000000001-000000000002',
    '000000000003-000000000004',
    '000000000005-000000000005',
  ];
  expect(await names()).toEqual([
    ...parts.map((name) => `${FOLDER}/${name}.ndjson`),
    `${FOLDER}/manifest.json`,
  ]);
  const puts = proxy.log.filter(({ method }) => method === 'PUT').map((put) => put.path);
  expect(puts).toHaveLength(4);
  expect(puts.at(-1)).toContain('manifest.json');
  const manifest = await manifestOf();
  expect(manifest).toMatchObject({ kind: 'now', after: 0, to: 5, rows: 5 });
  const rows = [];
  for (const { name, rows: count, bytes, sha256 } of manifest.parts) {
    const content = await contentOf(`${FOLDER}/${name}`);
    expect(content).toHaveLength(bytes);
    expect(createHash('sha256').update(content).digest('hex')).toBe(sha256);
    const lines = parseLines(content.toString());
    expect(lines).toHaveLength(count);
    rows.push(...lines);
  }
  expect(rows.map(({ BatchId }) => BatchId)).toEqual([1, 2, 3, 4, 5]);

  // Without changes, nothing is put. Then only changes, in a separate folder.
  expect(await inParts()).toMatchObject({ rows: 0, file: undefined });
  add(6);
  expect(await inParts()).toMatchObject({ rows: 1, range: { from: 5, to: 6 } });
  expect(await names('crm/changes-000000000006/')).toEqual([
    'crm/changes-000000000006/000000000006-000000000006.ndjson',
    'crm/changes-000000000006/manifest.json',
  ]);
});

test('erasures have separate folders and a separate manifest and are uploaded once', async () => {
  const { run, names, manifestOf, contentOf, store } = await world();
  expect((await run(['--pii', 'full'])).code).toBe(0);
  const erasures = () => run(['--pii', 'full', '--erasures']);
  expect((await erasures()).code).toBe(0);
  expect(await names()).toHaveLength(2);
  forget(store, { batchIds: [2, 4] });
  expect((await erasures()).code).toBe(0);
  const [folder = ''] = (await names()).filter((name) => name.includes('erasures'));
  const at = path.posix.dirname(folder);
  const { kind, rows, parts } = await manifestOf(at);
  expect({ kind, rows }).toEqual({ kind: 'erasures', rows: 2 });
  const lines = parseLines((await contentOf(`${at}/${parts[0].name}`)).toString());
  expect(lines.map(({ BatchId }) => BatchId)).toEqual([2, 4]);
  const put = await names();
  expect((await erasures()).code).toBe(0);
  expect(await names()).toEqual(put);
  // The same consumer, with all versions.
  expect((await run(['--pii', 'full', '--erasures', '--history'])).code).toBe(0);
  expect(await manifestOf(`${path.posix.dirname(at)}/history-erasures-000000000001`)).toMatchObject(
    {
      kind: 'history-erasures',
      rows: 2,
    },
  );
});

/** Runs the export as a process and kills it at the first request that matches `at`, or at its retry. */
async function killed(
  { args, env, folder }: Awaited<ReturnType<typeof world>>,
  at: string,
  fault: '503' | 'cut-answer',
) {
  const { child, ended } = startCommand('batches', args('parquet'), env, { cwd: folder });
  let isRetry = false;
  proxy.decide = (_, method, url) => {
    if (method !== 'PUT' || !url.includes(at)) return undefined;
    // The retry after a lost response shows that the object is already in the bucket.
    if (fault === '503' || isRetry) child.kill('SIGKILL');
    isRetry = true;
    return fault;
  };
  await ended;
  expect(child.signalCode).toBe('SIGKILL');
  proxy.decide = () => undefined;
}

test('a run killed before its manifest is repeated with the same names and bytes', async () => {
  const setup = await world();
  const { names, contentOf, manifestOf, store, folder, env, args, add, client } = setup;
  const part = `${FOLDER}/000000000001-000000000005.parquet`;
  await killed(setup, 'manifest.json', '503');
  expect(await names()).toEqual([part]);
  const bytes = await contentOf(part);
  expect(store.db.prepare("SELECT * FROM export_run WHERE state = 'done'").all()).toEqual([]);

  const again = () => batchesHere(args('parquet'), { cwd: folder, env });
  const ran = await again();
  expect(ran, ran.stderr).toMatchObject({ code: 0 });
  expect(ran.stderr).toContain(`${FOLDER}/manifest.json (changes 1 to 5)`);
  expect(await names()).toEqual([part, `${FOLDER}/manifest.json`]);
  expect((await contentOf(part)).equals(bytes)).toBe(true);

  // Changes of a later pull are added to a repeated run, and other files of the killed run are deleted.
  add(6);
  await killed(setup, 'manifest.json', '503');
  add(7);
  expect((await again()).code).toBe(0);
  const next = 'crm/changes-000000000006';
  expect(await names(next)).toEqual([
    `${next}/000000000006-000000000007.parquet`,
    `${next}/manifest.json`,
  ]);
  expect(await manifestOf(next)).toMatchObject({ after: 5, to: 7, rows: 2 });
  expect((await client.get(part))?.bytes).toHaveLength(bytes.length);
});

test('a run killed after its manifest counts and is not repeated', async () => {
  const setup = await world();
  const { names, contentOf, folder, env, args, add } = setup;
  await killed(setup, 'manifest.json', 'cut-answer');
  const manifest = `${FOLDER}/manifest.json`;
  const before = await contentOf(manifest);
  add(6);
  const ran = await batchesHere(args('parquet'), { cwd: folder, env });
  expect(ran).toMatchObject({ code: 0, stderr: expect.stringContaining('already wrote it') });
  expect((await contentOf(manifest)).equals(before)).toBe(true);
  expect((await batchesHere(args('parquet'), { cwd: folder, env })).code).toBe(0);
  expect(await names('crm/changes-000000000006/')).toHaveLength(2);
});

test('retries after faults, and a lost response to the manifest does not repeat the export', async () => {
  const { run, manifestOf } = await world();
  proxy.decide = (number, method) =>
    method === 'PUT' && number % 2 === 0 ? 'cut-request' : undefined;
  let lost = false;
  const { decide } = proxy;
  proxy.decide = (number, method, url) => {
    if (lost || method !== 'PUT' || !url.includes('manifest')) return decide(number, method, url);
    lost = true;
    return 'cut-answer';
  };
  const ran = await run();
  expect(ran, ran.stderr).toMatchObject({ code: 0 });
  expect(await manifestOf()).toMatchObject({ rows: 5 });
});

test('an export of another history is not replaced, unless forced', async () => {
  const { inParts, run, names, contentOf, store } = await world();
  await inParts();
  const before = await contentOf(`${FOLDER}/manifest.json`);
  // Like an older copy of the history.
  store.db.exec('DELETE FROM export_run');
  expect(await run(['--pii', 'full'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('[export-output-exists]'),
  });
  expect((await contentOf(`${FOLDER}/manifest.json`)).equals(before)).toBe(true);
  expect((await run(['--pii', 'full', '--force'])).code).toBe(0);
  expect(await names()).toEqual([
    `${FOLDER}/000000000001-000000000005.ndjson`,
    `${FOLDER}/manifest.json`,
  ]);
});

test('reports a refusal without a key and moves no position', async () => {
  const { args, env, folder, store, bucket } = await world();
  const cases = [
    [args('ndjson', 'no-such-bucket'), env, 3, '[export-s3-refused]'],
    [args(), { ...env, AWS_SECRET_ACCESS_KEY: 'wrong' }, 3, '[export-s3-refused]'],
    [args(), { ...env, AWS_SECRET_ACCESS_KEY: '' }, 2, '[deploy-settings]'],
    [args(), { ...env, S3_BUCKET: bucket }, 2, '[place-not-private]'],
    [args('csv'), env, 2, 'Only NDJSON and Parquet'],
  ] as const;
  for (const [given, variables, code, message] of cases) {
    const ran = await batchesHere(given, { cwd: folder, env: variables });
    expect(ran).toMatchObject({ code, stderr: expect.stringContaining(message) });
    expect(ran.stderr).not.toContain(env.AWS_SECRET_ACCESS_KEY);
  }
  expect(store.db.prepare("SELECT * FROM export_run WHERE state = 'done'").all()).toEqual([]);
});
