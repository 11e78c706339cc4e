import { readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { PUBLISHED_TIMES } from '../../src/record/published-records.ts';
import { build, buildSite, configFor, copyFolder, readSite } from '../support/build.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { refusing, replacing } from '../support/refusing.ts';
import { restorable, startService } from '../support/service.ts';
import { tempFolder } from '../support/temp-folder.ts';

/** A build that finds the published folder of an earlier one keeps unchanged files, and repairs the others. */

const service = await forAllTests(startService({ dealers: 1, vehicles: 2, images: 2 }));
const restore = restorable(service);
const config = configFor(service, { media: { widths: [64] } });
const now = Date.parse('2026-03-02T02:00:00Z');

const first = tempFolder();
await buildSite(config, first, { now });
const site = await readSite(path.join(first, 'site'));
const [PICTURE = ''] = [...site.keys()].filter((file) => file.startsWith('media/'));

let folder: string;
beforeEach(() => {
  restore();
  folder = tempFolder();
  copyFolder(first, folder);
});
const at = (...names: string[]) => path.join(folder, 'site', ...names);
const again = () => buildSite(config, folder, { now });
const files = () => readSite(at());
const inodeOf = (...names: string[]) => statSync(at(...names)).ino;

/** Published pages and files that are read until a test ends. */
function spyOnReads(): string[] {
  const read: string[] = [];
  const spy = replacing('readFileSync', (real) => (file: string, how: never) => {
    const name = path.relative(at(), String(file));
    if (!name.startsWith('.') && !name.startsWith('api/records/')) read.push(name);
    return real(file, how);
  });
  onTestFinished(() => spy[Symbol.dispose]());
  return read;
}

/** Changes the page of a vehicle. */
function relabel(): void {
  const [item] = service.data.dealers[0]?.vehicles[0]?.mediaList ?? [];
  if (item) item.label = 'Another label';
}

describe('published files', () => {
  it('are neither read nor written again while nothing changes', async () => {
    await again();
    // The clock of a disk is coarse, and a file as new as the list of times may have changed.
    utimesSync(at(PUBLISHED_TIMES), new Date(), new Date());
    const read = spyOnReads();
    const [front, media] = [inodeOf('index.html'), inodeOf('media')];
    expect((await again()).report).toMatchObject({ outcome: 'unchanged', rendered: 0 });
    expect(read).toEqual([]);
    relabel();
    expect((await again()).report.outcome).toBe('published');
    // Their hard links belong to the next site.
    expect([inodeOf('index.html'), inodeOf('media')]).toEqual([front, media]);
    expect(readdirSync(path.join(folder, '.site.work')).sort()).toEqual([
      ...['.vehicle-media-site', 'lock'],
    ]);
  });

  it('are searched for files of others only in folders that changed', async () => {
    await again();
    const added = at('dealer-1', 'notes.txt');
    const { atime, mtime } = statSync(path.dirname(added));
    writeFileSync(added, 'x');
    utimesSync(path.dirname(added), atime, mtime);
    // Listing all folders of a large site takes longer than the rest of a night without changes.
    expect((await build(config, folder, { now })).error).toBeUndefined();
    const later = new Date(Date.now() + 1000);
    utimesSync(path.dirname(added), later, later);
    expect((await build(config, folder, { now })).error).toMatchObject({ code: 'output-not-ours' });
  });

  it('are copied if the disk has no hard links', async () => {
    using _refused = refusing('linkSync', () => true);
    relabel();
    await again();
    const changed = await files();
    expect(changed).not.toEqual(site);
    expect(statSync(at(PICTURE)).nlink).toBe(1);
    writeFileSync(at(PICTURE), site.get(PICTURE)?.replace(/.$/s, 'x') ?? '', 'latin1');
    await again();
    expect(await files()).toEqual(changed);
    expect((await again()).report.outcome).toBe('unchanged');
  });
});

describe('published thumbnails', () => {
  const lose = (...names: string[]) => rmSync(at(...names), { recursive: true });

  it.each<[string, () => void]>([
    ['is torn', () => writeFileSync(at(PICTURE), '')],
    [
      'is altered with its size',
      () => writeFileSync(at(PICTURE), 'x'.repeat(statSync(at(PICTURE)).size)),
    ],
    ['is gone', () => lose(PICTURE)],
    ['is gone with its folder', () => lose(path.dirname(PICTURE))],
    [
      'should not be there',
      () => writeFileSync(at(`${path.dirname(PICTURE)}/${'0'.repeat(18)}-64-0a1b2c.webp`), 'x'),
    ],
    ['is a file of the system', () => writeFileSync(at(path.dirname(PICTURE), '.DS_Store'), '')],
  ])('equal the files of the cache, and stay in their folder, if one %s', async (_, damage) => {
    damage();
    const media = inodeOf('media');
    const { report } = await again();
    expect(report).toMatchObject({
      outcome: 'published',
      media: { downloaded: 0, outputsMade: 0 },
    });
    expect(inodeOf('media')).toBe(media);
    expect(await files()).toEqual(site);
    expect((await again()).report.outcome).toBe('unchanged');
  });

  it.each(['missing', 'in a folder that cannot be moved'])(
    'are all put into a new folder if they are %s',
    async (how) => {
      const media = inodeOf('media');
      // As of a mounted file system.
      using _refused = refusing('renameSync', (from) => how !== 'missing' && from === at('media'));
      if (how === 'missing') for (const shard of readdirSync(at('media'))) lose('media', shard);
      else lose(PICTURE);
      await again();
      expect(inodeOf('media')).not.toBe(media);
      expect(await files()).toEqual(site);
    },
  );

  it.each([PICTURE, 'media', '.'])(
    'are complete even if the published folder loses %s while the next site is written',
    async (lost) => {
      relabel();
      let isLost = false;
      using _losing = replacing('renameSync', (real) => (from: string, to: string) => {
        real(from, to);
        // The records are in the cache, and the site is published next.
        if (isLost || !/cache.*times\.json$/.test(String(to))) return;
        isLost = true;
        lose(lost);
      });
      await again();
      const found = await files();
      expect([...found.keys()]).toEqual([...site.keys()]);
      expect(found.get(PICTURE)).toBe(site.get(PICTURE));
      expect((await again()).report.outcome).toBe('unchanged');
    },
  );
});
