import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { Secret } from '../../../src/config/secret.ts';
import { SecretSearch } from '../../../src/config/secret-search.ts';
import { SecretFoundError } from '../../../src/errors.ts';
import { FilesInFolder } from '../../../src/publish/site-diff/published-files.ts';
import { fileHash, filesName, filesText, sumIn } from '../../../src/record/files.ts';
import { PUBLISHED_TIMES, RECORDS } from '../../../src/record/published-records.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const KEY = '0f8fad5b-d9cb-469f-a165-70867728950e';
const PAGE = 'a/index.html';
const LIST = RECORDS + filesName(7);
const HOUR = 3600;
const NOW = Date.now() / 1000;

/** A published folder with one file. Times are seconds since 1970. */
function siteWith(
  file: string,
  text: string,
  { at, checkedAt }: Record<'at' | 'checkedAt', number>,
) {
  const folder = tempFolder();
  for (const [name, content, time] of [
    [PUBLISHED_TIMES, '{}', checkedAt],
    [file, text, at],
  ] as const) {
    const target = path.join(folder, name);
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, content);
    utimesSync(target, time, time);
  }
  return new FilesInFolder(folder, { search: SecretSearch.of([new Secret(KEY)]), searched: true });
}

/** Whether a page counts as intact. */
function isIntact(page: { text: string; listed?: string; at: number }, checkedAt: number) {
  const { text, listed = text, at } = page;
  const row = { key: '', size: listed.length, hash: fileHash(listed), uses: [] };
  return siteWith(PAGE, text, { at, checkedAt }).isIntact(PAGE, row);
}

it('a torn page is damaged even with its earlier time', () => {
  expect(isIntact({ text: 'goo', listed: 'good', at: NOW - 2 * HOUR }, NOW - HOUR)).toBe(false);
});

it('a list of files is damaged even with its earlier time and its checksum', () => {
  const text = filesText({ rows: new Map() });
  const hasList = (content: string) =>
    siteWith(LIST, content, { at: NOW - 2 * HOUR, checkedAt: NOW - HOUR }).hasRecord(
      LIST,
      sumIn(text),
    );
  expect(hasList(text)).toBe(true);
  expect(hasList(text.replace('links', 'lynks'))).toBe(false);
});

it('a check in the future proves nothing, so the page is read', () => {
  expect(isIntact({ text: 'evil', listed: 'good', at: NOW }, NOW + HOUR)).toBe(false);
});

it('a page that was copied here is searched for keys', () => {
  const copied = () => isIntact({ text: `key ${KEY}`, at: NOW - HOUR }, NOW - 2 * HOUR);
  expect(copied).toThrow(SecretFoundError);
});
