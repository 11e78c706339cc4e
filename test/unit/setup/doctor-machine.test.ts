import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { checkDisk } from '../../../src/setup/doctor/machine.ts';

/** A file system without free space. */
const FULL = '/proc';

const codes = (folders: string[], siteBytes?: number) =>
  [...checkDisk(folders, siteBytes)].map(({ code, severity }) => [code, severity]);

it.skipIf(!existsSync(FULL))('a full disk of either folder is an error', () => {
  expect(codes([tmpdir(), `${FULL}/cache`])).toEqual([['disk-full', 'error']]);
  expect(codes([`${FULL}/_site`, tmpdir()])).toEqual([['disk-full', 'error']]);
  expect(codes([tmpdir()])).toEqual([]);
});

it('too little space for a new site is a warning', () => {
  expect(codes([tmpdir()], 1e18)).toEqual([['disk-low', 'warning']]);
});
