import { existsSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../../src/config/secret.ts';
import {
  checkSiteFolder,
  isUntouchedSite,
} from '../../../src/publish/folder-checks/site-folder.ts';
import { stagingFolder } from '../../../src/publish/output/swap.ts';
import { PUBLISHED_TIMES } from '../../../src/record/published-records.ts';
import { FILES, inspect, KEY, openTree, publish } from '../../support/site-tree.ts';

describe('existing files', () => {
  it('are not read again while size and time match', async () => {
    const site = await openTree();
    expect(await inspect(site, FILES)).toMatchObject({ needed: [], isPublished: true, read: [] });
    // Their hard links belong to the next site, which has a separate list.
    expect(await publish(site, { ...FILES, 'a/index.html': 'page two' })).toEqual(['a/index.html']);
    expect((await inspect(site, { ...FILES, 'a/index.html': 'page two' })).read).toEqual([]);
  });

  it('are read if they may have changed in the clock tick of the list of times', async () => {
    const site = await openTree();
    const file = path.join(site.output, 'a/index.html');
    const times = path.join(site.output, PUBLISHED_TIMES);
    writeFileSync(file, 'page two');
    const needs = async () => (await inspect(site, FILES)).needed;
    const { mtime } = statSync(file);
    // A Date is rounded, unlike the time on the disk.
    for (const target of [times, file]) utimesSync(target, mtime, mtime);
    expect(await needs()).toEqual(['a/index.html']);
    // A time that was set back manually is not detected, like in git.
    utimesSync(file, mtime, new Date(mtime.getTime() - 1000));
    expect(await needs()).toEqual([]);
  });

  it('are only read if just their time changed', async () => {
    const site = await openTree();
    const file = path.join(site.output, 'a/index.html');
    rmSync(file);
    writeFileSync(file, 'page one');
    utimesSync(file, 4_000_000_000, 4_000_000_000);
    expect(await inspect(site, FILES)).toMatchObject({
      isPublished: true,
      read: ['a/index.html'],
    });
  });

  it('are searched again for a new key', async () => {
    const files = { ...FILES, 'b/index.html': 'a page with other-key-0123456789 in it' };
    const site = await openTree(files);
    expect((await inspect(site, files)).read).toEqual([]);
    expect((await inspect({ ...site, searched: false }, files)).read).toHaveLength(4);
    const other = new Secret('other-key-0123456789');
    const secrets = [KEY, other];
    await expect(inspect({ ...site, secrets, searched: false }, files)).rejects.toThrow(
      'b/index.html',
    );
  });

  it('are in the next site under a second name, without unplanned files', async () => {
    const site = await openTree();
    const index = () => statSync(path.join(site.output, 'index.html')).ino;
    const before = index();
    const { 'a/media.json': _, ...rest } = FILES;
    expect(await publish(site, rest)).toEqual([]);
    expect(index()).toBe(before);
    expect(existsSync(path.join(site.output, 'a/media.json'))).toBe(false);
    expect(readdirSync(path.dirname(stagingFolder(site.output)))).toEqual([]);
  });
});

it.each(['a', '.'])(
  'files that no build wrote are searched only if something was added: %s',
  async (name) => {
    const { output } = await openTree();
    const check = () => isUntouchedSite(output) || checkSiteFolder(output);
    check();
    const folder = path.join(output, name);
    const { atime, mtime } = statSync(folder);
    writeFileSync(path.join(folder, 'notes.txt'), 'x');
    utimesSync(folder, atime, mtime);
    // Listing all folders of a large site takes longer than the rest of a night without changes.
    expect(check).not.toThrow();
    // The clock of a test may stop, unlike the clock of a disk.
    const later = new Date(Date.now() + 1000);
    utimesSync(folder, later, later);
    expect(check).toThrow('notes.txt');
  },
);
