import { expect, it } from 'vitest';
import type { PublishedSiteFiles } from '../../../src/publish/site-diff/published-files.ts';
import { SiteDiff } from '../../../src/publish/site-diff/site-diff.ts';

const row = (key: string) => ({ key, hash: '', size: 1, uses: [] });

/** A published site with two pages of dealer 7. */
const published = (damaged: readonly string[] = []) =>
  ({
    dealers: [7],
    missing: new Set(),
    list: (part: unknown) =>
      part === 7
        ? {
            rows: new Map([
              ['a/index.html', row('1')],
              ['b/index.html', row('1')],
            ]),
          }
        : undefined,
    isIntact: (file: string) => !damaged.includes(file),
    hasRecord: (_: string, sum: string) => sum === 'same',
  }) as unknown as PublishedSiteFiles;
const A = { file: '/a/index.html', key: '1' };
const B = { file: '/b/index.html', key: '1' };

it.each<[string, (diff: SiteDiff) => unknown, string[]]>([
  ['a page is new', (diff) => [diff.mustMake(B), diff.mustMake({ file: '/c', key: '1' })], []],
  ['a page is no longer planned', () => {}, ['b/index.html']],
  ['a record differs', (diff) => [diff.mustMake(B), diff.mustMakeRecord('7.json', 'new')], []],
])('publishes a site if %s', (_, plan, removed) => {
  const diff = new SiteDiff(published(), [7]);
  diff.mustMake(A);
  plan(diff);
  expect(diff.isChanged).toBe(true);
  expect(diff.removed).toEqual(removed);
});

it('makes a damaged page again, and an incomplete one in the next build', () => {
  const diff = new SiteDiff(published(['a/index.html']), [7]);
  expect([diff.mustMake(A), diff.mustMake(B)]).toEqual([true, false]);
  diff.makeAgain(A);
  expect(diff.keysToMake.get('a/index.html')).not.toBe(A.key);
});
