import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { beginRun } from '../../src/batches/export/ledger.ts';
import { planOutput, writeOutput } from '../../src/batches/export/output.ts';
import { fill, historyOf } from '../support/batch-fill.ts';
import { batchRecord } from '../support/batch-record.ts';
import { BATCH_KEY, batchesHere, rawConfig, runBatches, writeConfig } from '../support/batches.ts';
import { refusing } from '../support/refusing.ts';

const CSV = ['export', '--format', 'csv'];
const THEIRS = 'Customers of ours, kept by hand since 2009\n';

/** A history, and a folder with user files at the paths that a command may write. */
function filled() {
  const { folder, store, run } = historyOf([batchRecord({ BatchId: 1 })]);
  const file = path.join(folder, 'theirs', 'customers.csv');
  const page = path.join(folder, 'theirs', 'index.html');
  mkdirSync(path.dirname(file));
  for (const userFile of [file, page]) writeFileSync(userFile, THEIRS);
  symlinkSync(file, path.join(folder, 'link.csv'));
  return { folder, store, file, page, run: (...args: string[]) => run(args) };
}

test('an export only replaces files that it wrote, unless forced', async () => {
  const { file, store, run } = filled();
  const args = [...CSV, '--output', file];
  const refused = await run(...args);
  expect(refused).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('[export-output-foreign]'),
  });
  expect(readFileSync(file, 'utf8')).toBe(THEIRS);
  expect(readdirSync(path.dirname(file)).sort()).toEqual(['customers.csv', 'index.html']);

  expect((await run(...args, '--force')).code).toBe(0);
  const ours = readFileSync(file, 'utf8');
  expect(ours).toContain('BatchId');
  // It replaces its own file silently, also with other content.
  fill(store, [batchRecord({ BatchId: 2 })], { at: '2026-02-02T06:00:00.000Z' });
  {
    // On Windows, Excel has it open.
    using _open = refusing('renameSync', (_, to) => to === file);
    const stderr = expect.stringContaining('close programs that have the file open, such as Excel');
    expect(await run(...args)).toMatchObject({ code: 2, stderr });
    expect(readFileSync(file, 'utf8')).toBe(ours);
  }
  expect((await run(...args)).code).toBe(0);
  expect(readFileSync(file, 'utf8')).not.toBe(ours);
  // A file that was edited since belongs to the user.
  writeFileSync(file, `${ours}a note of mine\r\n`);
  expect((await run(...args)).code).toBe(2);
  expect(readFileSync(file, 'utf8')).toContain('a note of mine');
});

test('an empty file from mktemp is replaced; a file of changes never is', async () => {
  const { folder, run } = filled();
  const empty = path.join(folder, 'empty.csv');
  writeFileSync(empty, '');
  expect((await run(...CSV, '--output', empty)).code).toBe(0);
  const changes = path.join(folder, 'changes.csv');
  const args = [...CSV, '--since', 'last', '--output', changes];
  expect((await run(...args)).code).toBe(0);
  const forced = await run(...args, '--force');
  expect(forced).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('export-output-exists'),
  });
});

test('a report never replaces an unrelated page, unless forced', async () => {
  const { page, run } = filled();
  const args = ['report', '--output', path.dirname(page)];
  expect(await run(...args)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('[export-output-foreign]'),
  });
  expect(readFileSync(page, 'utf8')).toBe(THEIRS);
  expect((await run(...args, '--force')).code).toBe(0);
  expect((await run(...args)).code).toBe(0);
  expect(readFileSync(page, 'utf8')).toContain('How customers watch');
  expect(readFileSync(path.join(path.dirname(page), 'customers.csv'), 'utf8')).toBe(THEIRS);
});

test('a failed export leaves no temporary file', async () => {
  const { folder, store } = filled();
  const planned = planOutput(store, path.join(folder, 'out.csv'), {});
  const chunks = function* () {
    yield 'personal';
    throw new Error('no space');
  };
  const written = writeOutput(store, planned, chunks(), () => ({ from: 0, to: 0, rows: 0 }));
  await expect(written).rejects.toThrow('no space');
  expect(existsSync(planned.temporary)).toBe(false);
});

test('a leftover named by a damaged history is removed only if the name is valid', async () => {
  const { folder, file, store, run } = filled();
  const leftover = path.join(folder, '.out.csv.0123456789ab.batches-tmp');
  writeFileSync(leftover, 'personal');
  for (const listed of [file, leftover]) {
    beginRun(store, {}, `${file}.old`, listed);
  }
  expect((await run(...CSV, '--output', `${file}.new.csv`)).code).toBe(0);
  expect([existsSync(leftover), readFileSync(file, 'utf8')]).toEqual([false, THEIRS]);
});

test.each([
  ['a folder as the history', ['status', '--store', '.'], 'store-foreign'],
  ['a history below a file', ['pull', '--store', 'theirs/index.html/h.sqlite'], 'file-enotdir'],
  ['a report below a file', ['report', '--output', 'theirs/customers.csv'], 'file-enotdir'],
  ['an export into the site', [...CSV, '--output', '_site/x.csv'], 'place-not-private'],
  ['an export over the history', [...CSV, '--output', 'history/h.sqlite-wal'], 'output-refused'],
  ['an export over a link', [...CSV, '--output', 'link.csv'], 'output-refused'],
  ['an export in no folder', [...CSV, '--output', '.'], 'output-refused'],
  // Here Node's recursive mkdir never ended.
  ['a place that cannot be', [...CSV, '--output', '/proc/no/x'], 'file-eperm'],
  ['such a history', ['pull', '--store', '/proc/no/x.sqlite'], 'file-eperm'],
])('%s ends with exit code 2 and a message, and changes nothing', async (_, args, code) => {
  const { folder, store, page, run } = filled();
  const config = writeConfig(folder, rawConfig('http://127.0.0.1:9'));
  const env = { BATCH_API_KEY: BATCH_KEY };
  const before = statSync(folder).mode;
  const all = [
    ...args,
    ...(args.includes('--store') ? ['--config', config] : ['--store', store.file]),
  ];
  // Commands that never end are killed.
  const ran = args.some((one) => one.startsWith('/proc/'))
    ? await runBatches(all, { cwd: folder, env, killAfter: 20_000 })
    : await batchesHere(all, { cwd: folder, env });
  expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining(`${code}]`) });
  expect([statSync(folder).mode, readFileSync(page, 'utf8')]).toEqual([before, THEIRS]);
  expect(ran.stderr).not.toContain('chmod');
  expect((await run('status')).code).toBe(0);
});

/** Everything below a folder, by path. */
const below = (folder: string) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();

test.each([
  ...[
    ['csv', 's3://bucket/all.csv', 'Only NDJSON and Parquet', '--format'],
    ['ndjson', 's3://bucket/all', 'named by their changes', '--since last'],
    ['ndjson', 's3://Our_Bucket/all', 'no valid name of a bucket', 's3://BUCKET/PREFIX'],
    ['csv', 's3:/bucket/all.csv', 'remote address', 'local path'],
    ['csv', '~/all.csv', 'begins with a ~', 'the full path'],
    ['csv', 'all.csv.gz', 'ends in .gz', '.csv'],
    ['ndjson', 'all.json', 'ends in .json', '.ndjson'],
    ['parquet', 'all.csv', 'ends in .csv', '.parquet'],
    ['xlsx', 'all.xls', 'ends in .xls', '.xlsx'],
    ['csv', 'all.csv.age', 'ends in .age', '.csv'],
    ['csv', 'new/', 'names a folder', 'batches.csv'],
    ['csv', 'theirs', 'is a folder', 'Name a file in it'],
    ['csv', '', 'is empty', 'Give a path'],
  ].map(([format = '', output = '', ...texts]) => ({
    args: ['export', '--format', format, '--pii', 'full', '--output', output],
    texts,
  })),
  { args: ['report', '--output', 's3://bucket/report'], texts: ['remote address'] },
  { args: ['report', '--output', 'page.html'], texts: ['It is a file.'] },
  { args: ['status', '--store', 's3://bucket/history.sqlite'], texts: ['remote address'] },
])('refuses $args and creates no file', async ({ args, texts }) => {
  const { folder, store } = filled();
  const before = below(folder);
  const place = args.includes('--store') ? [] : ['--store', store.file];
  const ran = await batchesHere([...args, ...place], { cwd: folder });
  expect(ran).toMatchObject({ code: 2, stdout: '' });
  for (const text of texts) expect(ran.stderr).toContain(text);
  expect(below(folder)).toEqual(before);
});

test.each([
  ['csv', 'all'],
  ['csv', 'all.2026-03-01'],
  ['csv', 'all.CSV'],
  ['csv', './~all.csv'],
  ['csv', 'at 12:30.csv'],
  ['ndjson', 'all.jsonl'],
])('a %s export is written to %j', async (format, output) => {
  const { folder, run } = filled();
  expect((await run('export', '--format', format, '--output', output)).code).toBe(0);
  expect(existsSync(path.join(folder, output))).toBe(true);
});

test('an export without --output is a private file in a folder that git ignores', async () => {
  const { folder, store, run } = filled();
  execFileSync('git', ['init', '--quiet'], { cwd: folder });
  writeFileSync(path.join(folder, '.git', 'info', 'exclude'), '/history\n/theirs\n/link.csv\n');
  const exports = path.join(folder, '.batches', 'exports');
  const full = [...CSV, '--pii', 'full'];
  const ran = await run(...full);
  expect(ran).toMatchObject({ code: 0, stdout: '' });
  expect(ran.stderr).toContain(path.join('.batches', 'exports', 'batches-generic-full.csv'));
  expect(readFileSync(path.join(exports, 'batches-generic-full.csv'), 'utf8')).toContain('Title');
  expect(statSync(path.join(folder, '.batches')).mode & 0o077).toBe(0);

  // Repeated, it replaces its own file. Exports of changes each get a file.
  fill(store, [batchRecord({ BatchId: 2 })], { at: '2026-02-02T06:00:00.000Z' });
  expect((await run(...full)).code).toBe(0);
  for (const [index, more] of [[], [], ['--erasures']].entries()) {
    fill(store, [batchRecord({ BatchId: index })], { at: `2026-02-0${3 + index}T06:00:00.000Z` });
    const args = ['--format', 'parquet', '--account', 'north', '--history', '--since', 'last'];
    expect((await run('export', ...args, '--stream', 'a.b', ...more)).code).toBe(0);
  }
  expect(readdirSync(exports).sort().reverse()).toEqual([
    expect.stringMatching(/^batches-generic-none-north-history-erasures-a.b-\d{4}-.*Z\.parquet$/),
    expect.stringMatching(/^batches-generic-none-north-history-a.b-\d{4}-.*Z\.parquet$/),
    expect.stringMatching(/^batches-generic-none-north-history-a.b-\d{4}-.*Z\.parquet$/),
    'batches-generic-full.csv',
  ]);
  expect((await run(...CSV, '--output', 'sent/all.csv')).code).toBe(0);
  const untracked = execFileSync('git', ['status', '--porcelain', '-uall'], { cwd: folder });
  expect(untracked.toString()).toBe('');
});
