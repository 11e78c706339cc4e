import fs, {
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { Secret } from '../../../src/config/secret.ts';
import { SecretSearch } from '../../../src/config/secret-search.ts';
import { fingerprintOf, hashIn, suffixIn, timeOf } from '../../../src/images/fingerprint.ts';
import { OutputNames } from '../../../src/images/output-names.ts';
import { intactOutputs } from '../../../src/images/stores/intact-outputs.ts';
import { openFolder } from '../../../src/lib/files/hard-link.ts';
import type { MadePages } from '../../../src/publish/batch/built-batch.ts';
import { finishSite, isPublished } from '../../../src/publish/finish/finish-site.ts';
import { checkSiteFolder } from '../../../src/publish/folders/site-folder.ts';
import { stagingFolder } from '../../../src/publish/output/swap.ts';
import { MEDIA } from '../../../src/publish/tree/listing.ts';
import { PublishedLists, readPublishedFolder } from '../../../src/publish/tree/published-files.ts';
import { Tree } from '../../../src/publish/tree/tree.ts';
import { fileHash, filesName, filesText } from '../../../src/record/files.ts';
import { KnownPictures } from '../../../src/record/known-pictures.ts';
import { PUBLISHED_TIMES, RECORDS } from '../../../src/record/published-records.ts';
import { writeTimes } from '../../../src/record/times.ts';
import { temporaryFolder } from '../../support/build.ts';

const PICTURES = ['ab', 'cd', 'ef', '01'].map(
  (shard) => `${shard}/0123456789abcdef01-96-0a1b2c.webp`,
);
const [PICTURE = ''] = PICTURES;
/** The bytes of a thumbnail are its name. */
const fingerprintIn = (name: string): string => fingerprintOf(Buffer.from(name));
/** Writes a thumbnail as the store does. */
function makeThumbnail(store: string, name: string): void {
  openFolder(store)(name, name);
  const time = timeOf(fingerprintIn(name));
  utimesSync(path.join(store, name), time, time);
}
const KEY = new Secret('key-of-a-dealer-0123456789');

interface Site {
  output: string;
  store: string;
  secrets: Secret[];
  /** Whether published files were searched for these; see `Tree`. */
  searched?: boolean;
}

function openTree({ output, secrets, searched = true }: Site): Tree {
  return new Tree({
    output,
    ...readPublishedFolder(output),
    search: SecretSearch.of(secrets),
    searched,
  });
}

/** What a build finds of thumbnails, in the store and in the published folder. */
async function thumbnails({ store, output }: Site, pictures: readonly string[]) {
  const known = new KnownPictures();
  known.adopt('1', {
    sources: [],
    contents: pictures.map((name) => [
      hashIn(name),
      96,
      72,
      '000000',
      { [suffixIn(name)]: fingerprintIn(name) },
    ]),
  });
  const options = { folder: store, published: path.join(output, MEDIA), known };
  const { outputs, published } = await intactOutputs(options);
  return { outputs, unpublished: new OutputNames(outputs.without(published)), folder: store };
}

const NOTHING: MadePages = {
  summaries: [],
  unmatched: [],
  pages: 0,
  rendered: 0,
  records: [],
  kept: [],
  isChanged: false,
  links: [],
  findings: [],
};

/**
 * Publishes files as a build does; the content of each is its key. Says which were made.
 *
 * @param before called when all is staged.
 */
async function publish(
  site: Site,
  files: Record<string, string>,
  pictures = PICTURES,
  before: (staged: string[]) => void = () => {},
) {
  const tree = openTree(site);
  const staging = stagingFolder(site.output);
  const write = openFolder(staging);
  const made: string[] = [];
  for (const [file, key] of Object.entries(files)) {
    if (!tree.needs({ file: `/${file}`, key })) continue;
    write(file, key);
    made.push(file);
  }
  const rows = new Map(tree.kept);
  for (const file of made) {
    const key = files[file] as string;
    rows.set(file, { key, hash: fileHash(key), size: key.length, uses: [] });
  }
  write(RECORDS + filesName('site'), filesText({ rows }));
  await finishSite({
    config: { dealers: [], site: {} } as never,
    output: site.output,
    staging,
    pages: { write },
    searched: '',
    made: [{ ...NOTHING, kept: [...tree.kept.keys()], isChanged: true }],
    media: await thumbnails(site, pictures),
    lists: new PublishedLists(site.output),
    steps: { steps: {}, cpu: {} },
    beforePublish: async () => {
      await nextTick(staging);
      writeFileSync(path.join(staging, PUBLISHED_TIMES), writeTimes(new Map()));
      before(pictures.filter((name) => existsSync(path.join(staging, MEDIA, name))));
    },
    onPublished: () => {},
  });
  return made;
}

/** Waits until a file that is written beside a folder is newer than all that is in it. */
async function nextTick(folder: string): Promise<void> {
  const probe = `${folder}.probe`;
  const entries = [folder, ...readdirSync(folder, { recursive: true, encoding: 'utf8' })];
  const times = entries.map((name) => statSync(path.resolve(folder, name)).mtimeMs);
  const time = (): number => {
    writeFileSync(probe, '');
    return statSync(probe).mtimeMs;
  };
  await expect.poll(time, { interval: 1, timeout: 15_000 }).toBeGreaterThan(Math.max(...times));
  rmSync(probe);
}

/** What a build finds that needs nothing, and which published files it reads for that. */
async function look(site: Site, files: Record<string, string>, pictures = PICTURES) {
  const media = await thumbnails(site, pictures);
  const read: string[] = [];
  const { readFileSync: real } = fs;
  const spy = vi.spyOn(fs, 'readFileSync').mockImplementation(((file: string, how: never) => {
    if (file.startsWith(site.output)) read.push(path.relative(site.output, file));
    return real(file, how);
  }) as never);
  syncBuiltinESMExports();
  try {
    const tree = openTree(site);
    const needed = Object.entries(files).filter(([file, key]) =>
      tree.needs({ file: `/${file}`, key }),
    );
    return {
      needed: needed.map(([file]) => file),
      isPublished: isPublished({
        output: site.output,
        media,
        lists: new PublishedLists(site.output),
        made: [{ isChanged: tree.isChanged, records: [] }],
      }),
      read: read.filter((file) => !file.startsWith(RECORDS)),
    };
  } finally {
    spy.mockRestore();
    syncBuiltinESMExports();
  }
}

const FILES = { 'index.html': 'front one', 'a/index.html': 'page one', 'a/media.json': 'json one' };

/** A published site. */
async function withSite(
  test: (site: Site) => Promise<void>,
  files: Record<string, string> = FILES,
): Promise<void> {
  await using folder = await temporaryFolder();
  const site = {
    output: path.join(folder.path, 'site'),
    store: path.join(folder.path, 'store'),
    secrets: [KEY],
  };
  for (const name of PICTURES) makeThumbnail(site.store, name);
  await publish(site, files);
  await test(site);
}

describe('files that stay', () => {
  it('are not read again while they have their size and time', async () => {
    await withSite(async (site) => {
      expect(await look(site, FILES)).toMatchObject({ needed: [], isPublished: true, read: [] });
      // Their other names are those of the next site, which has its own list.
      expect(await publish(site, { ...FILES, 'a/index.html': 'page two' })).toEqual([
        'a/index.html',
      ]);
      expect((await look(site, { ...FILES, 'a/index.html': 'page two' })).read).toEqual([]);
    });
  });

  it.each<[string, (file: string) => void]>([
    ['another size', (file) => writeFileSync(file, 'page one, longer')],
    ['another time', (file) => writeFileSync(file, 'page two')],
    ['nothing in them', (file) => truncateSync(file)],
    ['no file', (file) => rmSync(file)],
  ])('are made again where they have %s', async (_, change) => {
    await withSite(async (site) => {
      change(path.join(site.output, 'a/index.html'));
      expect(await look(site, FILES)).toMatchObject({
        needed: ['a/index.html'],
        isPublished: false,
      });
      expect(await publish(site, FILES)).toEqual(['a/index.html']);
      expect(readFileSync(path.join(site.output, 'a/index.html'), 'utf8')).toBe('page one');
    });
  });

  it('are read where they may have changed in the tick in which the times were written', async () => {
    await withSite(async (site) => {
      const file = path.join(site.output, 'a/index.html');
      const times = path.join(site.output, PUBLISHED_TIMES);
      writeFileSync(file, 'page two');
      const needs = async () => (await look(site, FILES)).needed;
      const { mtime } = statSync(file);
      // A date is rounded, and what the disk says is not.
      for (const one of [times, file]) utimesSync(one, mtime, mtime);
      expect(await needs()).toEqual(['a/index.html']);
      // A time that was set back by hand is not seen, and in git neither.
      utimesSync(file, mtime, new Date(mtime.getTime() - 1000));
      expect(await needs()).toEqual([]);
    });
  });

  it('are only read where nothing but their time changed', async () => {
    await withSite(async (site) => {
      const file = path.join(site.output, 'a/index.html');
      rmSync(file);
      writeFileSync(file, 'page one');
      utimesSync(file, 4_000_000_000, 4_000_000_000);
      expect(await look(site, FILES)).toMatchObject({ isPublished: true, read: ['a/index.html'] });
    });
  });

  it('are read when a key is new, which may be in them', async () => {
    const files = { ...FILES, 'b/index.html': 'a page with other-key-0123456789 in it' };
    await withSite(async (site) => {
      expect((await look(site, files)).read).toEqual([]);
      expect((await look({ ...site, searched: false }, files)).read).toHaveLength(4);
      const other = new Secret('other-key-0123456789');
      const secrets = [KEY, other];
      await expect(look({ ...site, secrets, searched: false }, files)).rejects.toThrow(
        'b/index.html',
      );
    }, files);
  });

  it('are in the next site under a second name, and what is not planned is not', async () => {
    await withSite(async (site) => {
      const index = () => statSync(path.join(site.output, 'index.html')).ino;
      const before = index();
      const { 'a/media.json': _, ...rest } = FILES;
      expect(await publish(site, rest)).toEqual([]);
      expect(index()).toBe(before);
      expect(existsSync(path.join(site.output, 'a/media.json'))).toBe(false);
      expect(readdirSync(path.dirname(stagingFolder(site.output)))).toEqual([]);
    });
  });
});

describe('files that no build made', () => {
  it('are seen among thumbnails before a build begins, and before anything is replaced', async () => {
    await withSite(async ({ output }) => {
      expect(() => checkSiteFolder(output, { soon: false })).not.toThrow();
      const file = path.join(path.dirname(path.join(output, MEDIA, PICTURE)), 'holiday.jpg');
      const folder = path.dirname(file);
      const { atime, mtime } = statSync(folder);
      writeFileSync(file, 'x');
      for (const soon of [true, false]) {
        expect(() => checkSiteFolder(output, { soon })).toThrow('holiday.jpg');
      }
      // Where a folder says that nothing was added, at the latest when it is replaced.
      utimesSync(folder, atime, mtime);
      expect(() => checkSiteFolder(output)).toThrow('holiday.jpg');
    });
  });

  it.each([
    ['beside a page', 'a/notes.txt'],
    ['beside the front page', 'notes.txt'],
    ['beside records', 'api/records/notes.txt'],
    ['in a folder of its own', 'a/mine/notes.txt'],
    ['in the place of no page, in a folder of pages', 'b/index.html'],
  ])('are seen %s', async (_, name) => {
    await withSite(async ({ output }) => {
      const check = () => checkSiteFolder(output, { soon: false });
      const list = vi.spyOn(fs, 'readdirSync');
      syncBuiltinESMExports();
      try {
        check();
        // Nothing was added, so no folder of pages is listed.
        expect(list.mock.calls.map(([folder]) => path.relative(output, String(folder)))).toEqual([
          'api/records',
          'media',
        ]);
      } finally {
        list.mockRestore();
        syncBuiltinESMExports();
      }
      openFolder(output)(name, 'x');
      expect(check).toThrow(name);
    });
  });
});

describe('thumbnails that stay', () => {
  const thumbnail = (site: Site) => path.join(site.output, 'media', PICTURE);
  const folderOf = (site: Site) => statSync(path.join(site.output, 'media')).ino;
  /** Names of the thumbnails that are staged for a site, and whether their folder moves on into it. */
  const staged = async (site: Site, pictures = PICTURES) => {
    const former = folderOf(site);
    let names: string[] = [];
    await publish(site, FILES, pictures, (found) => {
      names = found;
    });
    return { names, movesOn: folderOf(site) === former };
  };
  /** As the store does it: another file in the place of one. */
  const remake = (site: Site) => {
    rmSync(path.join(site.store, PICTURE));
    makeThumbnail(site.store, PICTURE);
  };

  it.each<[string, (site: Site) => void]>([
    [
      'was torn there, and made again in the store',
      (site) => {
        truncateSync(thumbnail(site), 0);
        remake(site);
      },
    ],
    [
      'was altered with its size, and made again in the store',
      (site) => {
        writeFileSync(thumbnail(site), PICTURE.replace('ab', 'xx'));
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
  ])('are the files of the store, where one %s', async (_, change) => {
    await withSite(async (site) => {
      expect((await look(site, FILES)).isPublished).toBe(true);
      change(site);
      expect(await look(site, FILES)).toMatchObject({ needed: [], isPublished: false });
      expect(await staged(site)).toMatchObject({ movesOn: true });
      expect((await look(site, FILES)).isPublished).toBe(true);
      for (const name of PICTURES) {
        const file = path.join(site.output, 'media', name);
        expect(readFileSync(file, 'utf8')).toBe(name);
        expect(statSync(file).ino).toBe(statSync(path.join(site.store, name)).ino);
      }
    });
  });

  it('may be copies where the disk knows no second names, and so may pages', async () => {
    const link = vi.spyOn(fs, 'linkSync').mockImplementation(() => {
      throw Object.assign(new Error('no links here'), { code: 'EPERM' });
    });
    syncBuiltinESMExports();
    try {
      await withSite(async (site) => {
        expect(await look(site, FILES)).toMatchObject({ needed: [], isPublished: true, read: [] });
        expect(statSync(thumbnail(site)).nlink).toBe(1);
        writeFileSync(thumbnail(site), PICTURE.replace('ab', 'xx'));
        expect((await look(site, FILES)).isPublished).toBe(false);
        expect(await publish(site, { ...FILES, 'a/index.html': 'page two' })).toEqual([
          'a/index.html',
        ]);
        expect(readFileSync(thumbnail(site), 'utf8')).toBe(PICTURE);
        expect(readFileSync(path.join(site.output, 'index.html'), 'utf8')).toBe('front one');
        const again = await look(site, { ...FILES, 'a/index.html': 'page two' });
        expect(again).toMatchObject({ needed: [], isPublished: true });
      });
    } finally {
      link.mockRestore();
      syncBuiltinESMExports();
    }
  });

  it('follow the plan: what it drops goes, what it adds comes', async () => {
    await withSite(async (site) => {
      const [, ...others] = PICTURES;
      expect(await staged(site, others)).toEqual({ names: [], movesOn: true });
      expect((await look(site, FILES, others)).isPublished).toBe(true);
      expect(existsSync(path.dirname(thumbnail(site)))).toBe(false);
      expect((await look(site, FILES, PICTURES)).isPublished).toBe(false);
      expect(await staged(site)).toEqual({ names: [PICTURE], movesOn: true });
      expect((await look(site, FILES)).isPublished).toBe(true);
    });
  });

  it('are all put into a new folder where half of them are missing, or none is planned', async () => {
    await withSite(async (site) => {
      for (const name of PICTURES.slice(0, 2)) rmSync(path.join(site.output, 'media', name));
      expect(await staged(site)).toEqual({ names: PICTURES, movesOn: false });
      expect((await look(site, FILES)).isPublished).toBe(true);
      await publish(site, FILES, []);
      expect(existsSync(path.join(site.output, 'media'))).toBe(false);
    });
  });

  it('are all put into a new folder where theirs cannot be moved', async () => {
    await withSite(async (site) => {
      const { renameSync } = fs;
      const rename = vi.spyOn(fs, 'renameSync').mockImplementation((from, to) => {
        // As the system answers where a file system is mounted.
        if (from === path.join(site.output, 'media')) {
          throw Object.assign(new Error('busy'), { code: 'EBUSY' });
        }
        renameSync(from, to);
      });
      syncBuiltinESMExports();
      try {
        expect(await staged(site)).toEqual({ names: PICTURES, movesOn: false });
      } finally {
        rename.mockRestore();
        syncBuiltinESMExports();
      }
    });
  });

  it.each<[string, (site: Site) => string]>([
    ['one', (site) => thumbnail(site)],
    ['all', (site) => path.join(site.output, 'media')],
    ['everything', (site) => site.output],
  ])(
    'are there although the published folder lost %s while the next site was made',
    async (_, lost) => {
      await withSite(async (site) => {
        await publish(site, FILES, PICTURES, () => rmSync(lost(site), { recursive: true }));
        expect((await look(site, FILES)).isPublished).toBe(true);
      });
    },
  );

  it('are alone in their folder: what a system put beside them goes', async () => {
    await withSite(async (site) => {
      const files = ['.DS_Store', 'ab/.DS_Store'].map((name) =>
        path.join(site.output, 'media', name),
      );
      for (const file of files) writeFileSync(file, '');
      expect((await look(site, FILES)).isPublished).toBe(false);
      expect(await staged(site)).toEqual({ names: [], movesOn: true });
      expect(files.map((file) => existsSync(file))).toEqual([false, false]);
      expect((await look(site, FILES)).isPublished).toBe(true);
    });
  });
});
