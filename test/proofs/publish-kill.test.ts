import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { argumentsIn, copyFolder, readSite, writeConfigIn } from '../support/build.ts';
import { runCommand } from '../support/command.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { commandHere } from '../support/run-here.ts';
import { startService } from '../support/service.ts';
import { tempFolder } from '../support/temp-folder.ts';

const service = await forAllTests(startService({ dealers: 1, vehicles: 2, images: 3 }));
const vehicle = service.data.dealers[0]?.vehicles[0];
if (!vehicle) throw new Error('There is no vehicle.');
const { mediaList } = vehicle;
const HOOK = pathToFileURL(path.resolve(import.meta.dirname, '../support/kill-publish.ts')).href;

const folder = tempFolder();
const at = (...parts: string[]) => path.join(folder, 'project', ...parts);

/** Prepares a build of the old or the new site. @returns its arguments. */
function prepare(which: 'old' | 'new'): string[] {
  const perPage = which === 'old' ? 1 : 2;
  // One picture is only in the first site, and another only in the second.
  if (vehicle) vehicle.mediaList = mediaList.toSpliced(which === 'old' ? 0 : 1, 1);
  writeConfigIn(at(), service, {
    site: { title: 'Cars', url: 'https://cars.example', perPage },
    dealers: [{ id: 7001, name: `One with ${perPage}`, slug: 'one' }],
  });
  return argumentsIn(at());
}
const run = (which: 'old' | 'new', key = service.mediaKey) =>
  commandHere('build', prepare(which), { MEDIA_API_KEY: key });

mkdirSync(at());
expect(await run('old')).toMatchObject({ exitCode: 0, stderr: '' });
const old = await readSite(at('site'));
copyFolder(at(), path.join(folder, 'old'));

type Site = ReadonlyMap<string, string>;
const isThumbnail = (file: string): boolean => file.startsWith('media/');
/** Thumbnails of the first site that are missing from the second. */
const thumbnailsBeside = (one: Site, other: Site): string[] =>
  [...one.keys()].filter((file) => isThumbnail(file) && !other.has(file));
/** A site without some of its files. */
const without = (site: Site, files: readonly string[]): Site =>
  new Map([...site].filter(([file]) => !files.includes(file)));

describe('a build killed while it publishes', () => {
  it.each([
    [
      'before anything is known of the new site',
      { KILL_BEFORE: '/records/.*\\.json$' },
      'old',
      'none',
    ],
    ['before its times are known', { KILL_BEFORE: '/times\\.json$' }, 'old', 'none'],
    ['before thumbnails are added', { KILL_BEFORE: '^rename \\S+/next/media/' }, 'old', 'none'],
    [
      'while thumbnails are added',
      { KILL_BEFORE: '^rename \\S+/next/media/', KILL_SKIP: '1' },
      'old',
      'some',
    ],
    ['before the published site is moved aside', { KILL_BEFORE: '/former$' }, 'old', 'all'],
    ['before its thumbnails go to the new one', { KILL_BEFORE: '/former/media ' }, 'none', 'all'],
    ['before the new site takes its place', { KILL_BEFORE: '/next \\S+/site$' }, 'none', 'all'],
    ['while the former site is removed', { KILL_AFTER: '/next \\S+/site$' }, 'new', 'all'],
    [
      'before thumbnails of the former site are removed',
      { KILL_BEFORE: '^remove \\S+/site/media/' },
      'new',
      'all',
    ],
    [
      'while thumbnails of the former site are removed',
      { KILL_BEFORE: '^remove \\S+/site/media/', KILL_SKIP: '1' },
      'new',
      'some',
    ],
  ] as const)('%s', async (_, moment, left, thumbnails) => {
    rmSync(at(), { recursive: true });
    copyFolder(path.join(folder, 'old'), at());
    const killed = await runCommand('build', prepare('new'), {
      MEDIA_API_KEY: service.mediaKey,
      NODE_OPTIONS: `--import ${HOOK}`,
      ...moment,
    });
    expect(killed.exitCode).not.toBe(0);
    expect(existsSync(at('site'))).toBe(left !== 'none');
    const published = left === 'none' ? undefined : await readSite(at('site'));

    // An interrupted publish is repaired even if nothing new can be published.
    const refused = await run('new', 'a-key-that-is-not-known-0123456789');
    expect(refused.exitCode).toBe(3);
    const recovered = await readSite(at('site'));
    if (published) expect(recovered).toEqual(published);

    expect(await run('new')).toMatchObject({ exitCode: 0, stderr: '' });
    const site = await readSite(at('site'));
    const added = thumbnailsBeside(site, old);
    const surplus = thumbnailsBeside(old, site);
    expect([added.length, surplus.length].every((count) => count > 1)).toBe(true);
    const [complete, others] = left === 'new' ? [site, surplus] : [old, added];
    expect(without(recovered, others)).toEqual(complete);
    const extra = others.filter((file) => recovered.has(file));
    const are = extra.length === others.length ? 'all' : extra.length > 0 ? 'some' : 'none';
    expect(are).toBe(thumbnails);
    // Not torn.
    for (const file of extra)
      expect(recovered.get(file)).toBe((left === 'new' ? old : site).get(file));
    expect((await readdir(at('.site.work'))).sort()).toEqual(['.vehicle-media-site', 'lock']);
    expect(await run('new')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/unchanged|Nothing changed/i),
    });
  });
});
