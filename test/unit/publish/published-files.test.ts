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
  { at, checkedAt, searched = true }: { at: number; checkedAt: number; searched?: boolean },
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
  return new FilesInFolder(folder, SecretSearch.of([new Secret(KEY)]), searched);
}

/** Whether a page counts as intact, of which the list has the text "good". Times are hours before now. */
function isIntact(text: string, at: number, checkedAt: number, more: { searched?: boolean } = {}) {
  const listed = text.startsWith('key') ? text : 'good';
  const row = { key: '', size: listed.length, hash: fileHash(listed), uses: [] };
  const times = { at: NOW - at * HOUR, checkedAt: NOW - checkedAt * HOUR };
  return siteWith(PAGE, text, { ...times, ...more }).isIntact(PAGE, row);
}

it.each([
  ['is torn, even with its earlier time', 'goo', 2, 1, false],
  // A time that was set back is not detected, as in git.
  ['is older than the check', 'evil', 2, 1, true],
  ['changed in the clock tick of the check', 'evil', 1, 1, false],
  ['only has a new time', 'good', 0, 1, true],
  ['was checked in the future, which proves nothing', 'evil', 0, -1, false],
])('a page that %s: %j, %i and %i hours ago, is intact: %s', (_, text, at, checkedAt, expected) => {
  expect(isIntact(text, at, checkedAt)).toBe(expected);
});

it('a page that was copied here, and each page for a new key, is searched for keys', () => {
  expect(() => isIntact(`key ${KEY}`, 1, 2)).toThrow(SecretFoundError);
  expect(() => isIntact(`key ${KEY}`, 2, 1, { searched: false })).toThrow(SecretFoundError);
  expect(isIntact(`key ${KEY}`, 2, 1)).toBe(true);
});

it('a list of files is damaged even with its earlier time and its checksum', () => {
  const text = filesText({ rows: new Map() });
  const times = { at: NOW - 2 * HOUR, checkedAt: NOW - HOUR };
  const hasList = (content: string) => siteWith(LIST, content, times).hasRecord(LIST, sumIn(text));
  expect(hasList(text)).toBe(true);
  expect(hasList(text.replace('links', 'lynks'))).toBe(false);
});
