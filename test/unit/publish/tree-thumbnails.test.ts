import { existsSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { refusing } from '../../support/refusing.ts';
import {
  FILES,
  inspect,
  makeThumbnail,
  openTree,
  PICTURE,
  PICTURES,
  publish,
  type Site,
} from '../../support/site-tree.ts';

describe('existing thumbnails', () => {
  const thumbnail = (site: Site) => path.join(site.output, 'media', PICTURE);
  const folderOf = (site: Site) => statSync(path.join(site.output, 'media')).ino;
  /** Names of the thumbnails staged for a site, and whether their folder is moved into it. */
  const staged = async (site: Site, pictures = PICTURES) => {
    const former = folderOf(site);
    let names: string[] = [];
    await publish(site, FILES, pictures, (found) => {
      names = found;
    });
    return { names, movesOn: folderOf(site) === former };
  };
  /** Like the store after damage to the published file: replaces its own by another one. */
  const remake = (site: Site, damage: (file: string) => void) => {
    damage(thumbnail(site));
    rmSync(path.join(site.store, PICTURE));
    makeThumbnail(site.store, PICTURE);
  };

  it.each<[string, (site: Site) => void]>([
    ['was torn there, and made again in the store', (site) => remake(site, truncateSync)],
    [
      'was altered with its size, and made again in the store',
      (site) => remake(site, (file) => writeFileSync(file, PICTURE.replace('ab', 'xx'))),
    ],
    [
      'is another file of the same size there',
      (site) => {
        rmSync(thumbnail(site));
        writeFileSync(thumbnail(site), PICTURE.replace('ab', 'xx'));
      },
    ],
    ['is gone', (site) => rmSync(thumbnail(site))],
    [
      'is there that should not be',
      (site) =>
        writeFileSync(`${path.dirname(thumbnail(site))}/${'0'.repeat(18)}-96-0a1b2c.webp`, 'x'),
    ],
    [
      'is gone with its folder',
      (site) => rmSync(path.dirname(thumbnail(site)), { recursive: true }),
    ],
  ])('equal the files of the store, if one %s', async (_, change) => {
    const site = await openTree();
    expect((await inspect(site, FILES)).isPublished).toBe(true);
    change(site);
    expect(await inspect(site, FILES)).toMatchObject({ needed: [], isPublished: false });
    expect(await staged(site)).toMatchObject({ movesOn: true });
    expect((await inspect(site, FILES)).isPublished).toBe(true);
    for (const name of PICTURES) {
      const file = path.join(site.output, 'media', name);
      expect(readFileSync(file, 'utf8')).toBe(name);
      expect(statSync(file).ino).toBe(statSync(path.join(site.store, name)).ino);
    }
  });

  it('are copied if the disk has no hard links, like pages', async () => {
    using _refused = refusing('linkSync', () => true);
    const site = await openTree();
    expect(await inspect(site, FILES)).toMatchObject({ needed: [], isPublished: true, read: [] });
    expect(statSync(thumbnail(site)).nlink).toBe(1);
    writeFileSync(thumbnail(site), PICTURE.replace('ab', 'xx'));
    expect((await inspect(site, FILES)).isPublished).toBe(false);
    const files = { ...FILES, 'a/index.html': 'page two' };
    expect(await publish(site, files)).toEqual(['a/index.html']);
    expect(readFileSync(thumbnail(site), 'utf8')).toBe(PICTURE);
    expect(readFileSync(path.join(site.output, 'index.html'), 'utf8')).toBe('front one');
    expect(await inspect(site, files)).toMatchObject({ needed: [], isPublished: true });
  });

  it('follow the plan: dropped ones are deleted, new ones added', async () => {
    const site = await openTree();
    const [, ...others] = PICTURES;
    expect(await staged(site, others)).toEqual({ names: [], movesOn: true });
    expect((await inspect(site, FILES, others)).isPublished).toBe(true);
    expect(existsSync(path.dirname(thumbnail(site)))).toBe(false);
    expect((await inspect(site, FILES, PICTURES)).isPublished).toBe(false);
    expect(await staged(site)).toEqual({ names: [PICTURE], movesOn: true });
    expect((await inspect(site, FILES)).isPublished).toBe(true);
  });

  it('are all put into a new folder if all are missing or none is planned', async () => {
    const site = await openTree();
    for (const name of PICTURES) rmSync(path.join(site.output, 'media', name));
    expect(await staged(site)).toEqual({ names: PICTURES, movesOn: false });
    expect((await inspect(site, FILES)).isPublished).toBe(true);
    await publish(site, FILES, []);
    expect(existsSync(path.join(site.output, 'media'))).toBe(false);
  });

  it('are all put into a new folder if the existing one cannot be moved', async () => {
    const site = await openTree();
    // As of a mounted file system.
    using _refused = refusing('renameSync', (from) => from === path.join(site.output, 'media'));
    expect(await staged(site)).toEqual({ names: PICTURES, movesOn: false });
  });

  it.each<[string, (site: Site) => string]>([
    ['one', (site) => thumbnail(site)],
    ['all', (site) => path.join(site.output, 'media')],
    ['everything', (site) => site.output],
  ])(
    'are complete even if the published folder lost %s while the next site was written',
    async (_, lost) => {
      const site = await openTree();
      await publish(site, FILES, PICTURES, () => rmSync(lost(site), { recursive: true }));
      expect((await inspect(site, FILES)).isPublished).toBe(true);
    },
  );

  it('are the only files in their folder, without files of the system', async () => {
    const site = await openTree();
    const files = ['.DS_Store', 'ab/.DS_Store'].map((name) =>
      path.join(site.output, 'media', name),
    );
    for (const file of files) writeFileSync(file, '');
    expect((await inspect(site, FILES)).isPublished).toBe(false);
    expect(await staged(site)).toEqual({ names: [], movesOn: true });
    expect(files.map((file) => existsSync(file))).toEqual([false, false]);
    expect((await inspect(site, FILES)).isPublished).toBe(true);
  });
});
