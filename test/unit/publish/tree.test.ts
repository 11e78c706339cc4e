import fs, {
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { Secret } from '../../../src/config/secret.ts';
import { SecretSearch } from '../../../src/config/secret-search.ts';
import { OutputNames } from '../../../src/media/store/output-names.ts';
import { TICKS_MS } from '../../../src/media/store/stamp.ts';
import { manifestFiles, stagingFolder, swap } from '../../../src/publish/swap.ts';
import {
  bytesHash,
  type PageManifest,
  readPageManifest,
  writePageManifest,
} from '../../../src/publish/tree/page-manifest.ts';
import { openFolder } from '../../../src/publish/tree/place.ts';
import { Tree } from '../../../src/publish/tree/tree.ts';
import { temporaryFolder } from '../../support/build.ts';

const PICTURES = ['ab/0123456789abcdef01-96-0a1b2c.webp', 'cd/0123456789abcdef02-96-0a1b2c.webp'];
const KEY = new Secret('key-of-a-dealer-0123456789');
const tick = () => setTimeout(2 * TICKS_MS);

interface Site {
  output: string;
  store: string;
  secrets: Secret[];
}

function openTree({ output, secrets }: Site): { tree: Tree; published: PageManifest } {
  const manifests = manifestFiles(output);
  const published = readPageManifest(manifests.published);
  const tree = new Tree({
    output,
    published,
    staging: stagingFolder(output),
    former: readPageManifest(manifests.staging),
    search: SecretSearch.of(secrets),
  });
  return { tree, published };
}

/** Publishes files as a build does; the content of each is its key. Says which were made. */
async function publish(site: Site, files: Record<string, string>, pictures = PICTURES) {
  const { tree } = openTree(site);
  const write = openFolder(stagingFolder(site.output));
  const made: string[] = [];
  for (const [file, key] of Object.entries(files)) {
    if (!tree.needs({ file: `/${file}`, key })) continue;
    write(file, key);
    made.push(file);
  }
  await tick();
  const outputs = new OutputNames(pictures);
  const next = await tree.complete(outputs, site.store);
  for (const file of made) {
    const key = files[file] as string;
    next.rows.set(file, { key, hash: bytesHash(Buffer.from(key)), uses: [] });
  }
  tree.stampLinked(next.rows);
  await swap(site.output, (file) => writePageManifest(file, next));
  return { made, thumbnailsChanged: next.thumbnailsChanged };
}

/** What a build finds that needs nothing. */
function look(site: Site, files: Record<string, string>, pictures = PICTURES) {
  const { tree } = openTree(site);
  const needed = Object.entries(files).filter(([file, key]) =>
    tree.needs({ file: `/${file}`, key }),
  );
  const isPublished = tree.isPublished(new OutputNames(pictures), site.store);
  const news = tree.news();
  return {
    needed: needed.map(([file]) => file),
    isPublished,
    lookedInto: news !== undefined,
    /** Writes down what is known, as a build does. */
    note: async () => {
      if (news) await writePageManifest(manifestFiles(site.output).published, news);
    },
  };
}

async function withSite(test: (site: Site) => Promise<void>): Promise<void> {
  await using folder = await temporaryFolder();
  const site = {
    output: path.join(folder.path, 'site'),
    store: path.join(folder.path, 'store'),
    secrets: [KEY],
  };
  const write = openFolder(site.store);
  for (const name of PICTURES) write(name, name);
  await test(site);
}

const FILES = { 'index.html': 'front one', 'a/index.html': 'page one', 'a/media.json': 'json one' };

/** Builds until everything is known by its stamp. */
async function settle(site: Site, files: Record<string, string>): Promise<void> {
  await publish(site, files);
  await tick();
  const known = look(site, files);
  expect(known.isPublished).toBe(true);
  await known.note();
}

describe('files that stay', () => {
  it('are not read again while they look as they did', async () => {
    await withSite(async (site) => {
      await settle(site, FILES);
      expect(look(site, FILES)).toMatchObject({ needed: [], isPublished: true, lookedInto: false });
    });
  });

  it('are made again where their bytes changed, also with the old size and time', async () => {
    await withSite(async (site) => {
      await settle(site, FILES);
      const file = path.join(site.output, 'a/index.html');
      const time = 1_000_000_000;
      utimesSync(file, time, time);
      await tick();
      await look(site, FILES).note();
      expect(look(site, FILES).lookedInto).toBe(false);
      const { size, mtimeMs, ino } = statSync(file);
      writeFileSync(file, 'page two');
      utimesSync(file, time, time);
      expect(statSync(file)).toMatchObject({ size, mtimeMs, ino });
      await tick();
      expect(look(site, FILES).needed).toEqual(['a/index.html']);
    });
  });

  it('are only looked into where nothing but their place on the disk changed', async () => {
    await withSite(async (site) => {
      await settle(site, FILES);
      const file = path.join(site.output, 'a/index.html');
      rmSync(file);
      writeFileSync(file, 'page one');
      expect(look(site, FILES)).toMatchObject({ needed: [], isPublished: true, lookedInto: true });
    });
  });

  it('are looked into when a key is new, which may be in them', async () => {
    await withSite(async (site) => {
      const files = { ...FILES, 'b/index.html': 'a page with other-key-0123456789 in it' };
      await settle(site, files);
      expect(look(site, files).lookedInto).toBe(false);
      expect(look({ ...site, secrets: [] }, files).lookedInto).toBe(true);
      const other = new Secret('other-key-0123456789');
      expect(() => look({ ...site, secrets: [KEY, other] }, files)).toThrow('b/index.html');
    });
  });

  it('hold no key in what is known of them', async () => {
    await withSite(async (site) => {
      await settle(site, FILES);
      const text = readFileSync(manifestFiles(site.output).published, 'utf8');
      for (const form of KEY.forms()) expect(text).not.toContain(form);
    });
  });

  it('become the next site by the difference, and are known there too', async () => {
    await withSite(async (site) => {
      await settle(site, FILES);
      const texts = ['page two', 'page three', 'page four', 'page five'];
      for (const text of texts) {
        await tick();
        const { made } = await publish(site, { ...FILES, 'a/index.html': text });
        expect(made).toEqual(['a/index.html']);
        expect(readFileSync(path.join(site.output, 'a/index.html'), 'utf8')).toBe(text);
        expect(readFileSync(path.join(site.output, 'index.html'), 'utf8')).toBe('front one');
      }
      await tick();
      const last = { ...FILES, 'a/index.html': 'page five' };
      expect(look(site, last)).toMatchObject({ needed: [], isPublished: true });
      // Three nights on, a page of the first night is known by its stamp in both folders.
      const { published } = openTree(site);
      expect(published.rows.get('index.html')?.stamp).toMatch(/^\w+-\w+-/);
    });
  });
});

describe('thumbnails that stay', () => {
  const [PICTURE = ''] = PICTURES;
  const thumbnail = (site: Site) => path.join(site.output, 'media', PICTURE);
  const reads = (site: Site) => readFileSync(thumbnail(site), 'utf8');
  /** As the store does it: another file in the place of one. */
  const remake = (site: Site) => openFolder(site.store)(PICTURE, PICTURE);

  it.each<[string, (site: Site) => void]>([
    ['was made again in the store', remake],
    [
      'was torn there, and made again in the store',
      (site) => {
        truncateSync(thumbnail(site), 0);
        remake(site);
      },
    ],
    [
      'was altered with its size and time, and made again in the store',
      (site) => {
        const { atime, mtime } = statSync(thumbnail(site));
        writeFileSync(thumbnail(site), PICTURE.replace('ab', 'xx'));
        utimesSync(thumbnail(site), atime, mtime);
        remake(site);
      },
    ],
    [
      'is another file of the same size there',
      (site) => {
        rmSync(thumbnail(site));
        writeFileSync(thumbnail(site), PICTURE.replace('ab', 'xx'));
      },
    ],
  ])('are the files of the store, where one %s', async (_, change) => {
    await withSite(async (site) => {
      await settle(site, FILES);
      // The site before the published one has the same file.
      await publish(site, { ...FILES, 'a/index.html': 'page two' });
      change(site);
      expect(look(site, FILES).isPublished).toBe(false);
      for (const text of ['page three', 'page four', 'page five']) {
        await tick();
        await publish(site, { ...FILES, 'a/index.html': text });
        expect(reads(site)).toBe(PICTURE);
        expect(statSync(thumbnail(site)).ino).toBe(statSync(path.join(site.store, PICTURE)).ino);
      }
    });
  });

  it('may be copies where the disk knows no second names, and are looked at each time', async () => {
    await withSite(async (site) => {
      const link = vi.spyOn(fs, 'linkSync').mockImplementation(() => {
        throw Object.assign(new Error('no links here'), { code: 'EPERM' });
      });
      syncBuiltinESMExports();
      try {
        await settle(site, FILES);
        expect(look(site, FILES)).toMatchObject({ isPublished: true, lookedInto: false });
        expect(statSync(thumbnail(site)).nlink).toBe(1);
        writeFileSync(thumbnail(site), PICTURE.replace('ab', 'xx'));
        expect(look(site, FILES).isPublished).toBe(false);
        await publish(site, FILES);
        expect(reads(site)).toBe(PICTURE);
        expect(look(site, FILES).isPublished).toBe(true);
      } finally {
        link.mockRestore();
        syncBuiltinESMExports();
      }
    });
  });

  it('are not listed while their folders look as they did', async () => {
    await withSite(async (site) => {
      await settle(site, FILES);
      await publish(site, { ...FILES, 'a/index.html': 'page two' });
      await tick();
      const { thumbnailsChanged } = await publish(site, { ...FILES, 'a/index.html': 'page three' });
      expect(thumbnailsChanged).toBe(false);
    });
  });

  it.each([
    ['one is gone', (media: string) => rmSync(path.join(media, PICTURES[0] as string))],
    [
      'one is there that should not be',
      (media: string) =>
        writeFileSync(path.join(media, 'ab/0123456789abcdef09-96-0a1b2c.webp'), 'x'),
    ],
    ['a folder is gone', (media: string) => rmSync(path.join(media, 'cd'), { recursive: true })],
  ])('are listed where %s, and are put right', async (_, damage) => {
    await withSite(async (site) => {
      await settle(site, FILES);
      damage(path.join(site.output, 'media'));
      expect(look(site, FILES).isPublished).toBe(false);
      await publish(site, FILES);
      expect(look(site, FILES).isPublished).toBe(true);
      for (const name of PICTURES) {
        expect(readFileSync(path.join(site.output, 'media', name), 'utf8')).toBe(name);
      }
    });
  });

  it('follow the plan: what it drops goes, what it adds comes', async () => {
    await withSite(async (site) => {
      await settle(site, FILES);
      const [first = ''] = PICTURES;
      expect(look(site, FILES, [first]).isPublished).toBe(false);
      await publish(site, FILES, [first]);
      expect(look(site, FILES, [first]).isPublished).toBe(true);
      await publish(site, FILES, PICTURES);
      expect(look(site, FILES).isPublished).toBe(true);
    });
  });
});
