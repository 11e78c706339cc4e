import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { canSign } from '../../../src/config/environment.ts';
import { Secret } from '../../../src/config/secret.ts';
import { folderReader } from '../../../src/record/file.ts';
import { filesText, readFiles, withSum } from '../../../src/record/files.ts';
import { isMark, listMarkOf, markOf, signingKeys } from '../../../src/record/mark.ts';
import { readTimes, writeTimes } from '../../../src/record/times.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const KEY = new Secret('0123456789abcdef0123456789abcdef');
const OTHER = new Secret('f123456789abcdef0123456789abcdef');
const SHORT = new Secret('0123456789abcdef0123456');
const bytes = (text: string) => Buffer.from(text);

it.each([
  ['0123456789abcdef01234567', true],
  ['0123456789abcdef0123456', false],
  ['0123456789ab-cdef-0123456', false],
  ['01234567'.repeat(3), true],
  ['0123456'.repeat(4), false],
])('a key of %s signs: %s', (key, markable) => {
  expect(canSign(new Secret(key))).toBe(markable);
});

it('signs with SITE_SECRET first, and never with a short key', () => {
  // Two keys are equal for toEqual, because their text is private.
  const keys = (...given: Parameters<typeof signingKeys>) =>
    signingKeys(...given).map((key) => key.reveal());
  const [one, other] = [KEY.reveal(), OTHER.reveal()];
  expect(keys(KEY, undefined)).toEqual([one]);
  expect(keys(KEY, OTHER)).toEqual([other, one]);
  expect(keys(SHORT, OTHER)).toEqual([other]);
  expect(keys(KEY, SHORT)).toEqual([one]);
  expect(keys(SHORT, undefined)).toEqual([]);
});

describe('a signature', () => {
  const about = { site: 'https://a.example', dealer: 7, record: 'r', files: 'f', confirmed: 'c' };
  const list = { site: 'https://a.example', dealer: 7, files: 'f', searched: 's' };

  it('is valid only for its data and its key', () => {
    expect(markOf(KEY, about)).toMatch(/^[\w-]{43}$/);
    expect(listMarkOf(KEY, list)).toMatch(/^[\w-]{43}$/);
    expect(isMark(markOf(KEY, about), markOf(KEY, about))).toBe(true);
    expect(isMark(listMarkOf(KEY, list), listMarkOf(KEY, list))).toBe(true);
    expect(isMark(markOf(KEY, about), markOf(OTHER, about))).toBe(false);
    expect(isMark(listMarkOf(KEY, list), listMarkOf(OTHER, list))).toBe(false);
  });

  it.each(['site', 'dealer', 'record', 'files', 'confirmed', 'searched'])(
    'covers one %s',
    (field) => {
      const change = { [field]: field === 'dealer' ? 8 : 'x' };
      const isOfRecord = isMark(markOf(KEY, about), markOf(KEY, { ...about, ...change }));
      const isOfList = isMark(listMarkOf(KEY, list), listMarkOf(KEY, { ...list, ...change }));
      expect([isOfRecord, isOfList]).toEqual([!(field in about), !(field in list)]);
    },
  );

  it('is not accepted if it is missing, short or of another kind', () => {
    expect(isMark(undefined, markOf(KEY, about))).toBe(false);
    expect(isMark('short', markOf(KEY, about))).toBe(false);
    expect(isMark(markOf(KEY, about), listMarkOf(KEY, list))).toBe(false);
  });

  it('contains nothing of the key and needs an unguessable key', () => {
    for (const mark of [markOf(KEY, about), listMarkOf(KEY, list)]) {
      expect(KEY.occursIn(String(mark))).toBe(false);
    }
    const known = ['', 'secret', 'demo-key-of-a-dealer', '1234-5678-9012-3456-7890'];
    for (const key of [SHORT, ...[...known, 'a'.repeat(36)].map((text) => new Secret(text))]) {
      expect(canSign(key)).toBe(false);
    }
  });
});

describe('a list of files', () => {
  const row = (key: string, uses: string[]) => ({ key, hash: `h${key}`, size: 3, uses });
  const rows = new Map([
    ['b.html', row('2', ['x', 'y'])],
    ['a.html', row('1', ['x', 'y'])],
    ['c.html', row('3', [])],
    ['d.html', row('4', ['xy'])],
  ]);

  it('is read as written, with the planned files', () => {
    const read = readFiles(bytes(filesText({ rows, plan: { any: 1 } })));
    expect(read).toEqual({ rows: new Map([...rows].sort()), plan: { any: 1 } });
    expect([...(read?.rows.keys() ?? [])]).toEqual(['a.html', 'b.html', 'c.html', 'd.html']);
  });

  it('has the same text for any order of files, and lists a set of links once', () => {
    const text = filesText({ rows });
    expect(filesText({ rows: new Map([...rows].reverse()) })).toBe(text);
    expect(JSON.parse(text).links).toEqual([['x', 'y'], [], ['xy']]);
    expect(text.split('\n')).toHaveLength(7);
  });

  it('is rejected if it is altered, incomplete or of another version', () => {
    const text = filesText({ rows });
    expect(readFiles(bytes(text.replace('h1', 'h9')))).toBeUndefined();
    expect(readFiles(bytes(text.slice(1)))).toBeUndefined();
    expect(readFiles(bytes(''))).toBeUndefined();
    const body = text.slice(0, -33).replace('"version":2', '"version":1');
    expect(readFiles(bytes(withSum(body)))).toBeUndefined();
  });
});

describe('times', () => {
  const hash = 'r'.repeat(22);
  const entry = { confirmed: '2026-03-02T02:00:00.000Z', record: hash, files: hash };
  const marks = { mark: 'm'.repeat(43), listMark: 'l'.repeat(43) };
  const textOf = (more: object, id = '7') =>
    JSON.stringify({ version: 1, dealers: { [id]: { ...entry, ...more } } });

  it('are read as written, in the order of the dealers', () => {
    const times = new Map([
      [6e9, entry],
      [5e9, entry],
      [10, { ...entry, ...marks }],
      [9, entry],
    ]);
    const text = writeTimes(times, { searched: 'searched' });
    expect(readTimes(bytes(text))).toEqual({ times, searched: 'searched' });
    expect(readTimes(bytes(writeTimes(times)))?.searched).toBeUndefined();
    expect(writeTimes(new Map([...times].reverse()), { searched: 'searched' })).toBe(text);
    expect(text.endsWith('}\n')).toBe(true);
  });

  it.each([
    ...[
      { confirmed: 'yesterday' },
      { record: `${hash}x` },
      { record: 'short' },
      { files: '.'.repeat(22) },
      { mark: `${marks.mark}x` },
      { mark: '.'.repeat(43) },
      { listMark: `x${marks.listMark}` },
      { listMark: '.'.repeat(43) },
      { more: 1 },
    ].map((more) => textOf(more)),
    '',
    '{}',
    '{"version":2,"dealers":{}}',
    '{"version":1,"dealers":{},"more":1}',
    `{"version":1,"dealers":{},"searched":"${'x'.repeat(101)}"}`,
    ...['x1', '1x', '1'.repeat(17)].map((id) => textOf({}, id)),
  ])('are not read from %s', (text) => {
    expect(readTimes(bytes(textOf({})))?.times.size).toBe(1);
    expect(readTimes(bytes(text))).toBeUndefined();
  });
});

const NONE = { why: 'there is none', missing: true };

it('records are read from a folder, which may belong to another program', async () => {
  const folder = tempFolder();
  writeFileSync(path.join(folder, '7.json'), 'text');
  mkdirSync(path.join(folder, '8.json'));
  const records = folderReader(folder);
  expect(await records.read('7.json')).toEqual({ bytes: bytes('text') });
  expect(await records.read('9.json')).toEqual(NONE);
  expect(await records.read('7.json/9.json')).toEqual(NONE);
  expect(await records.read('8.json')).toEqual({ why: 'it cannot be read (EISDIR)' });
});
