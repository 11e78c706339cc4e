import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { Secret } from '../../../src/config/secret.ts';
import { SecretSearch } from '../../../src/config/secret-search.ts';
import { SecretFoundError } from '../../../src/errors.ts';
import { FilesInFolder } from '../../../src/publish/site-diff/published-files.ts';
import { fileHash } from '../../../src/record/files.ts';
import { PUBLISHED_TIMES } from '../../../src/record/published-records.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const KEY = '0f8fad5b-d9cb-469f-a165-70867728950e';
const PAGE = 'a/index.html';
const HOUR = 3600;
const NOW = Date.now() / 1000;

/** Whether a page counts as intact. Times are seconds since 1970. */
async function isIntact(page: { text: string; listed?: string; at: number }, checkedAt: number) {
  const folder = tempFolder();
  const write = (file: string, text: string, time: number) => {
    const target = path.join(folder, file);
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, text);
    utimesSync(target, time, time);
  };
  write(PUBLISHED_TIMES, '{}', checkedAt);
  write(PAGE, page.text, page.at);
  const { text, listed = text } = page;
  const search = SecretSearch.of([new Secret(KEY)]);
  const row = { key: '', size: listed.length, hash: fileHash(listed), uses: [] };
  return new FilesInFolder(folder, { search, searched: true }).isIntact(PAGE, row);
}

it('a page that was written after the last check is read', async () => {
  expect(await isIntact({ text: 'good', at: NOW - HOUR }, NOW - 2 * HOUR)).toBe(true);
  expect(await isIntact({ text: 'evil', listed: 'good', at: NOW - HOUR }, NOW - 2 * HOUR)).toBe(
    false,
  );
});

it('a check in the future proves nothing, so the page is read', async () => {
  expect(await isIntact({ text: 'evil', listed: 'good', at: NOW }, NOW + HOUR)).toBe(false);
});

it('a page that was copied here is searched for keys', async () => {
  const copied = isIntact({ text: `key ${KEY}`, at: NOW - HOUR }, NOW - 2 * HOUR);
  await expect(copied).rejects.toThrow(SecretFoundError);
});
