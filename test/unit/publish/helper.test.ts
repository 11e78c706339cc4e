import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { Secret } from '../../../src/config/secret.ts';
import { SecretSearch } from '../../../src/config/secret-search.ts';
import { OutputNames } from '../../../src/media/store/output-names.ts';
import { Helper } from '../../../src/publish/helper/helper.ts';
import { verifySite } from '../../../src/publish/verify/verify.ts';
import { temporaryFolder } from '../../support/build.ts';

const KEY = new Secret('key-of-a-dealer-0123456789');
const contextFor = (folder: string) => ({
  folder,
  siteUrl: 'https://cars.example',
  forms: KEY.forms(),
  personalWords: 'anywhere' as const,
});

/** Contents that are empty, larger than all that is handed over at once, or no proper text. */
const ODD: [name: string, content: string][] = [
  ['empty.txt', ''],
  ['long.txt', '€'.repeat(700_000)],
  ['longer.txt', 'a'.repeat(2_500_000)],
  ['half.txt', `a\ud83d b\udc00 c\ud83d\ude00`],
];

/** More than is written without a second thread. */
const PAGES = 1200;
const page = (number: number, more = '') =>
  `<main><h1>Page ${number}</h1><a href="/p${(number + 1) % PAGES}/">next</a>${more}${'–'.repeat(2000)}</main>`;
const pageFile = (number: number) => `/p${number}/index.html`;

it('writes few files and many', async () => {
  for (const count of [3, PAGES]) {
    await using folder = await temporaryFolder();
    await using helper = new Helper(contextFor(folder.path));
    for (let n = 0; n < count; n++) {
      helper.write(pageFile(n), page(n, `of ${count}`));
      await helper.room();
    }
    helper.write('/bytes.bin', Uint8Array.of(0, 255, 128));
    for (const [name, content] of ODD) helper.write(`/${name}`, content);
    await helper.written();
    for (let n = 0; n < count; n++) {
      const text = readFileSync(path.join(folder.path, pageFile(n)), 'utf8');
      expect(text).toBe(page(n, `of ${count}`));
    }
    expect([...readFileSync(path.join(folder.path, 'bytes.bin'))]).toEqual([0, 255, 128]);
    for (const [name, content] of ODD) {
      expect(readFileSync(path.join(folder.path, name)).equals(Buffer.from(content)), name).toBe(
        true,
      );
    }
    // It may be a published file under another name.
    helper.write(pageFile(0), 'another');
    await expect(helper.written()).rejects.toMatchObject({ code: 'EEXIST' });
  }
});

it('tells what could not be written, however much came after it', async () => {
  await using folder = await temporaryFolder();
  // A file where a folder should be.
  writeFileSync(path.join(folder.path, 'p7'), '');
  await using helper = new Helper(contextFor(folder.path));
  const all = async () => {
    for (let n = 0; n < PAGES; n++) helper.write(pageFile(n), page(n));
    await helper.room();
    await helper.written();
  };
  await expect(all()).rejects.toMatchObject({
    code: expect.stringMatching(/ENOTDIR|EEXIST/),
    path: path.join(folder.path, 'p7/index.html'),
  });
});

it('finds in two threads what it finds in one, in the same order', async () => {
  await using folder = await temporaryFolder();
  const broken = new Map([
    [5, '<a href="/nowhere/">x</a>'],
    [500, '<p style="color:red">x</p>'],
    [801, '<img src="/media/ab/0123456789abcdef01-96-0a1b2c.webp">'],
    [1100, '<p>RecipientEmail</p>'],
  ]);
  for (let n = 0; n < PAGES; n++) {
    mkdirSync(path.join(folder.path, `p${n}`));
    writeFileSync(path.join(folder.path, pageFile(n)), page(n, broken.get(n)));
  }
  await using helper = new Helper(contextFor(folder.path));
  const inspect = helper.inspect?.('anywhere');
  const verify = async (other: typeof inspect) => {
    const rows = new Map<string, unknown>();
    let elsewhere = 0;
    const findings = await verifySite({
      folder: folder.path,
      siteUrl: 'https://cars.example',
      search: SecretSearch.of([KEY]),
      expected: [],
      outputs: new OutputNames(),
      inspect:
        other &&
        ((files) => {
          elsewhere += files.length;
          return other(files);
        }),
      onFile: (file, { hash, uses }) => rows.set(file, { hash, uses }),
    });
    return { findings, rows, elsewhere };
  };
  const alone = await verify(undefined);
  const both = await verify(inspect);
  expect(alone.findings.map(({ code }) => code).sort()).toEqual([
    'link-broken',
    'link-broken',
    'personal-data',
    'unsafe-markup',
  ]);
  expect(both.findings).toEqual(alone.findings);
  expect(both.rows).toEqual(alone.rows);
  expect(both.rows.size).toBe(PAGES);
  // The other thread took its share, and not all.
  expect(both.elsewhere).toBeGreaterThan(0);
  expect(both.elsewhere).toBeLessThan(PAGES);
});

it('refuses a key wherever it is found, and begins nothing more', async () => {
  await using folder = await temporaryFolder();
  for (let n = 0; n < PAGES; n++) {
    mkdirSync(path.join(folder.path, `p${n}`));
    writeFileSync(path.join(folder.path, pageFile(n)), page(n, n === 0 ? KEY.reveal() : ''));
  }
  await using helper = new Helper(contextFor(folder.path));
  const inspect = helper.inspect?.('anywhere');
  let looked = 0;
  const found = verifySite({
    folder: folder.path,
    siteUrl: 'https://cars.example',
    search: SecretSearch.of([KEY]),
    expected: [],
    outputs: new OutputNames(),
    inspect,
    onFile: () => looked++,
  });
  await expect(found).rejects.toMatchObject({ code: 'secret-in-site' });
  expect(looked).toBeLessThan(PAGES / 2);
});

it('goes on after its thread died between two orders, and tells of one that died over an order', async () => {
  await using folder = await temporaryFolder();
  const started: Worker[] = [];
  const note = (worker: Worker) => started.push(worker);
  process.on('worker', note);
  try {
    await using helper = new Helper(contextFor(folder.path));
    const write = async (from: number) => {
      for (let n = from; n < from + PAGES; n++) helper.write(pageFile(n), page(n));
      await helper.written();
    };
    await write(0);
    expect(started).toHaveLength(1);
    await started[0]?.terminate();
    await write(PAGES);
    expect(started).toHaveLength(2);
    expect(readFileSync(path.join(folder.path, pageFile(2 * PAGES - 1)), 'utf8')).toContain('next');
    // Between the last order and its answer.
    const rest = write(2 * PAGES);
    void started[1]?.terminate();
    await expect(rest).rejects.toThrow('The thread that writes files ended');
  } finally {
    process.off('worker', note);
  }
}, 20_000);
