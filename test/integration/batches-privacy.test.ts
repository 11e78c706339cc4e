import {
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { prune } from '../../src/batches/erase.ts';
import { forget } from '../../src/batches/forget.ts';
import { writeHistoryReport } from '../../src/batches/report/page.ts';
import { openStore } from '../../src/batches/store/open.ts';
import { fill, historyOf } from '../support/batch-fill.ts';
import { batchRecord } from '../support/batch-record.ts';
import {
  BATCH_KEY,
  batchesHere,
  DAY,
  exportTo,
  HASH_KEY,
  iso,
  pullWith,
  rawConfig,
  runBatches,
  secret,
  startBench,
  tempFolder,
  tempStore,
  writeConfig,
} from '../support/batches.ts';
import { thrownBy } from '../support/thrown.ts';

const NOW = Date.now();
const modeOf = (file: string) => (statSync(file).mode & 0o777).toString(8);

function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
}

test('the history is 0600 in a folder 0700, also with a permissive umask or an earlier file', async () => {
  const folder = tempFolder();
  const before = process.umask(0);
  try {
    const home = path.join(folder, 'history');
    mkdirSync(home, { mode: 0o777 });
    const file = path.join(home, 'h.sqlite');
    openStore({ file, bases: [] })[Symbol.dispose]();
    chmodSync(home, 0o777);
    chmodSync(file, 0o666);
    writeFileSync(`${file}-wal`, '', { mode: 0o666 });
    const store = openStore({ file, bases: [] });
    fill(store, [batchRecord({ BatchId: 1 })]);
    expect(store.notes).toHaveLength(3);
    expect(modeOf(home)).toBe('700');
    for (const name of readdirSync(home))
      expect([name, modeOf(path.join(home, name))]).toEqual([name, '600']);
    expect(readdirSync(home)).toContain('h.sqlite-wal');
    const output = path.join(folder, 'out.csv');
    writeFileSync(output, 'old', { mode: 0o666 });
    await exportTo(store, output, { format: 'csv', force: true });
    expect(modeOf(output)).toBe('600');
    expect(modeOf(await writeHistoryReport(store, { folder: path.join(folder, 'report') }))).toBe(
      '600',
    );
    expect(modeOf(path.join(folder, 'report'))).toBe('700');
    store[Symbol.dispose]();
  } finally {
    process.umask(before);
  }
});

test('a history inside the site, behind links or beside unrelated files is refused', () => {
  const folder = tempFolder();
  const refusal = (file: string) =>
    thrownBy(() => openStore({ file, bases: [folder] })[Symbol.dispose]())?.code;
  for (const place of [
    '_site',
    '.cache',
    'templates',
    'src',
    'assets',
    '._site.work',
    '_site-feeds',
    '_changes',
    'theme',
    '_site/deep/er',
  ]) {
    expect([place, refusal(path.join(folder, place, 'h.sqlite'))]).toEqual([
      place,
      'place-not-private',
    ]);
  }
  const published = path.join(folder, 'www');
  mkdirSync(path.join(published, 'a'), { recursive: true });
  writeFileSync(path.join(published, 'index.html'), '');
  writeFileSync(path.join(published, 'robots.txt'), '');
  expect(refusal(path.join(published, 'a', 'h.sqlite'))).toBe('place-not-private');

  mkdirSync(path.join(folder, '_site'), { recursive: true });
  symlinkSync(path.join(folder, '_site'), path.join(folder, 'innocent'));
  expect(refusal(path.join(folder, 'innocent', 'h.sqlite'))).toBe('place-not-private');
  mkdirSync(path.join(folder, 'real'), { mode: 0o700 });
  symlinkSync(path.join(folder, 'real'), path.join(folder, 'alias'));
  expect(refusal(path.join(folder, 'alias', 'h.sqlite'))).toBe('folder-is-link');

  const real = path.join(folder, 'real');
  writeFileSync(path.join(folder, 'target'), '');
  symlinkSync(path.join(folder, 'target'), path.join(real, 'link.sqlite'));
  expect(refusal(path.join(real, 'link.sqlite'))).toBe('file-is-link');
  openStore({ file: path.join(real, 'one.sqlite'), bases: [] })[Symbol.dispose]();
  linkSync(path.join(real, 'one.sqlite'), path.join(real, 'two.sqlite'));
  expect(refusal(path.join(real, 'two.sqlite'))).toBe('file-has-links');
  symlinkSync(path.join(folder, 'target'), path.join(real, 'w.sqlite-wal'));
  expect(refusal(path.join(real, 'w.sqlite'))).toBe('file-is-link');

  const shared = path.join(folder, 'shared');
  mkdirSync(shared);
  chmodSync(shared, 0o755);
  writeFileSync(path.join(shared, 'letter.txt'), '');
  expect(refusal(path.join(shared, 'h.sqlite'))).toBe('folder-too-wide');
  expect(modeOf(shared)).toBe('755');
});

const PEOPLE = [
  batchRecord({
    BatchId: 1,
    DateCreated: iso(NOW - DAY),
    Title: 'For Zebedee Quill',
    RecipientEmail: 'Zebedee.Quill@Example.org',
    RecipientMobile: '+447700900777',
    MarketingContactId: 471104711,
    Data: { note: 'ring 07700 900777' },
    LandingPageWatchCount: 3,
  }),
  batchRecord({
    BatchId: 2,
    DateCreated: iso(NOW - DAY),
    Title: 'Hello',
    RecipientEmail: 'other@example.org',
    RecipientMobile: '07700900123',
  }),
  batchRecord({
    BatchId: 3,
    DateCreated: iso(NOW - DAY),
    Title: 'cc zebedee.quill@example.org',
    RecipientEmail: 'third@example.org',
  }),
];
const TRACES = [/zebedee/i, /quill/i, /900777/, /471104711/];

test('forget removes every trace: versions, raw records, quarantine, log and free pages', async () => {
  const bench = await startBench({ clock: () => NOW });
  const folder = tempFolder();
  const store = tempStore(folder);
  const pull = (at: number, hashKey = secret(HASH_KEY)) => pullWith(bench, store, at, { hashKey });
  const { SearchClicks: _, ...broken } = { ...PEOPLE[0], BatchId: 9 };
  bench.serve([...PEOPLE, broken]);
  await pull(NOW);
  bench.serve(
    PEOPLE.map((record) => ({
      ...record,
      LandingPageWatchCount: record.LandingPageWatchCount + 1,
    })),
  );
  await pull(NOW + 1000);
  const content = () =>
    filesIn(folder)
      .map((file) => readFileSync(file, 'latin1'))
      .join('\n');
  for (const trace of TRACES) expect(content()).toMatch(trace);

  const target = { emails: ['zebedee.quill@example.ORG '] };
  expect(() => forget(store, target)).toThrow(/without a key/);
  const result = forget(store, target, { hashKey: secret(HASH_KEY) });
  expect(result).toMatchObject({ versions: 4, quarantined: 1, remembered: true });
  expect(result.batches.map(({ batchId }) => batchId)).toEqual([1, 3]);
  for (const trace of TRACES) expect(content()).not.toMatch(trace);
  expect(content()).toContain('other@example.org');

  // The service still has the person, but neither old nor new batches restore the data.
  bench.serve([
    ...PEOPLE.map((record) => ({ ...record, LandingPageWatchCount: 9 })),
    { ...PEOPLE[0], BatchId: 77 },
    // These break the contract. The second does not name the person, but its batch is erased.
    broken,
    { ...PEOPLE[0], RecipientEmail: null, RecipientMobile: '', Data: null },
  ]);
  expect(await pull(NOW + 2000)).toMatchObject({ scrubbed: 3, inserted: 1 });
  expect(await pull(NOW + 3000)).toMatchObject({ changed: 0, unchanged: 4 });
  store.db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  for (const trace of TRACES) expect(content()).not.toMatch(trace);
  const row = store.db
    .prepare(
      'SELECT landing_page_watch_count AS n FROM version v JOIN batch b ON b.current_seq = v.change_seq WHERE batch_id = 1',
    )
    .get();
  expect(row?.n).toBe(9);

  const missing = { code: 'hash-key-missing' };
  await expect(pullWith(bench, store, NOW)).rejects.toMatchObject(missing);
  await expect(pull(NOW, secret(`${HASH_KEY}other`))).rejects.toMatchObject({
    code: 'hash-key-differs',
  });
  // Hashes of two keys would make every pull fail.
  const other = { ...target, emails: ['other@example.org'] };
  expect(() => forget(store, other, { hashKey: secret(`${HASH_KEY}other`) })).toThrow(
    expect.objectContaining({ code: 'hash-key-differs' }),
  );
  expect(content()).toContain('other@example.org');
  expect(await pull(NOW + 4000)).toMatchObject({ changed: 0 });
});

test('erasing a batch of one account keeps unreadable records of other accounts', () => {
  const { store } = historyOf([batchRecord({ BatchId: 1 })]);
  fill(store, [batchRecord({ BatchId: 1 })], { account: 'south' });
  store.db.exec(
    `INSERT INTO quarantine (account_id, hash, last_seen_at, raw)
     SELECT id, name, '', '{"BatchId":5}' FROM account`,
  );
  const target = { batchIds: [5], account: 'north' };
  expect(forget(store, target)).toMatchObject({ quarantined: 1 });
  expect(store.db.prepare('SELECT hash FROM quarantine').all()).toEqual([{ hash: 'south' }]);
});

test('prune reports if the disk is full while the file is rebuilt, and rebuilds it if repeated', () => {
  const { store } = historyOf(PEOPLE);
  const erase = () => prune(store, { before: new Date(NOW).toISOString(), dryRun: false });
  const statements: string[] = [];
  const exec = store.db.exec.bind(store.db);
  let isFull = true;
  const pragmas = () =>
    ['temp_store', 'temp_store_directory'].flatMap((name) =>
      Object.values(store.db.prepare(`PRAGMA ${name}`).get() ?? {}).map(String),
    );
  vi.spyOn(store.db, 'exec').mockImplementation((sql) => {
    if (sql === 'VACUUM' && isFull) throw Object.assign(new Error('full'), { errcode: 13 });
    if (sql === 'VACUUM') statements.push(...pragmas());
    statements.push(sql);
    exec(sql);
  });
  const error = { code: 'forget-remains', why: 'The disk is full.' };
  expect(erase).toThrow(expect.objectContaining(error));
  expect(store.db.prepare('SELECT batch_row FROM erased_batch').all()).toHaveLength(3);
  isFull = false;
  erase();
  // Not in memory, but in the private folder.
  expect(statements).toEqual(expect.arrayContaining(['1', path.dirname(store.file), 'VACUUM']));
  expect(statSync(`${store.file}-wal`).size).toBe(0);
});

test('no output, error, argument list or file contains personal data or keys unless requested', async () => {
  const bench = await startBench({ clock: () => NOW });
  bench.serve(PEOPLE);
  const folder = tempFolder();
  const config = writeConfig(folder, rawConfig(bench.service.baseUrl));
  const file = path.join(folder, 'history', 'h.sqlite');
  const common = ['--config', config, '--store', file];
  const env = { BATCH_API_KEY: BATCH_KEY, BATCH_HASH_KEY: HASH_KEY };
  const printed: string[] = [];
  const run = async (
    args: string[],
    more: { env?: object; input?: string; start?: typeof runBatches } = {},
  ) => {
    const { start = batchesHere, input = '' } = more;
    const ran = await start([...args, ...common], {
      env: { ...env, ...more.env },
      cwd: folder,
      input,
    });
    printed.push(ran.stderr, args[0] === 'export' ? '' : ran.stdout);
    return ran;
  };
  await run(['pull']);
  bench.serve([
    { ...PEOPLE[0], DateCreated: 'Zebedee Quill' },
    ...PEOPLE.slice(1).map((record) => ({ ...record, 'zebedee.quill@example.org': 1 })),
  ]);
  expect((await run(['pull', '--debug'])).code).toBe(0);
  bench.service.faults.set({
    route: 'batches',
    body: `[{"RecipientEmail":"zebedee.quill@example.org"`,
  });
  expect((await run(['pull', '--debug'])).code).toBe(4);
  bench.service.faults.clear();
  bench.service.faults.set({
    route: 'batches',
    status: 404,
    body: JSON.stringify({ Success: false, Message: `no ${BATCH_KEY}` }),
    times: 1,
  });
  expect((await run(['pull'])).code).toBe(3);
  bench.service.faults.set({ route: 'batches', reset: true });
  // A separate process, to include output of libraries and Node.
  const traced = { env: { DEBUG: 'batches', NODE_DEBUG: 'store' }, start: runBatches };
  expect((await run(['pull', '--debug'], traced)).code).toBe(4);
  bench.service.faults.clear();
  await run(['status']);
  await run(['report', '--output', path.join(folder, 'report')]);
  const piped = ['export', '--format', 'csv', '--output', '-'];
  expect((await run(piped)).stdout).not.toMatch(/zebedee|900777/i);
  expect((await run([...piped, '--pii', 'full'])).stdout).toContain('Zebedee.Quill');

  await run(['export', '--format', 'csv', '--pii', 'full']);
  expect(
    (await run(['forget', '--email', '-'], { input: 'zebedee.quill@example.org\n' })).stdout,
  ).toContain('erased: 3 batches');
  // One of the three contained the person in a field name.
  for (const trace of TRACES) expect(readFileSync(file, 'latin1')).not.toMatch(trace);

  const everything = printed.join('\n');
  for (const trace of TRACES.slice(0, 3)) expect(everything).not.toMatch(trace);
  for (const key of [BATCH_KEY, HASH_KEY]) {
    expect(everything).not.toContain(key);
    for (const written of filesIn(folder))
      expect(readFileSync(written, 'latin1')).not.toContain(key);
  }
  for (const written of filesIn(folder)) {
    if (written !== config) expect([written, modeOf(written)]).toEqual([written, '600']);
  }
  expect(readFileSync(path.join(folder, 'report', 'index.html'), 'utf8')).not.toMatch(
    /zebedee|@example|900777|900123|hello/i,
  );
});
