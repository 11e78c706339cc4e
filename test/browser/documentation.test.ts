import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { startStaticServer } from '../../src/lib/static-server/server.ts';
import { violationsInBothColours } from '../support/axe.ts';
import { readTree } from '../support/build.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { DESKTOP, PHONE, visit } from '../support/page.ts';
import { sharedBrowser } from '../support/shared.ts';
import { tempFolder } from '../support/temp-folder.ts';

const browser = await sharedBrowser();
const folder = tempFolder();
// As npm run docs, into another folder.
const { scripts } = JSON.parse(await readFile('package.json', 'utf8'));
const [eleventy = '', ...args] = scripts.docs.split(' && ')[1].split(' ');
await promisify(execFile)(path.join('node_modules/.bin', eleventy), [
  ...args,
  `--output=${folder}`,
]);
// Below a path, as on many hosts.
const { url } = await forAllTests(startStaticServer({ folder, port: 0, basePath: '/docs' }));

it('has every page and no broken link or anchor', async () => {
  const pages = [...(await readTree(folder))].filter(([name]) => name.endsWith('.html'));
  expect(pages.length).toBeGreaterThan(35);
  const byUrl = new Map(
    pages.map(([name, html]) => [new URL(name.replace(/index\.html$/, ''), url).href, html]),
  );
  for (const [from, html] of byUrl) {
    for (const [, href = ''] of html.matchAll(/<a href="([^"]+)"/g)) {
      const link = new URL(href.replaceAll('&amp;', '&'), from);
      if (!link.href.startsWith(url) || link.pathname.endsWith('.json')) continue;
      const target = byUrl.get(link.href.replace(/#.*/, ''));
      expect(target, `${from} → ${href}`).toBeDefined();
      const anchor = decodeURIComponent(link.hash.slice(1));
      expect(!anchor || target?.includes(`id="${anchor}"`), `${from} → ${href}`).toBe(true);
    }
  }
});

it('finds an error code and opens its page', async () => {
  await using page = await visit(browser, `${url}operations/`);
  await page.getByPlaceholder('Search').fill('deploy-overtaken');
  await page.getByRole('link', { name: 'Errors', exact: true }).first().click();
  await page.waitForURL(`${url}errors/**`);
  expect(await page.locator('h1').textContent()).toBe('Errors');
});

it.each([
  ['phone', PHONE],
  ['desktop', DESKTOP],
] as const)('is readable and accessible on a %s', async (_, device) => {
  await using page = await visit(browser, url, device);
  for (const name of ['', 'hosting/', 'performance/']) {
    await page.goto(url + name);
    const width = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
    expect(width, name).toBeLessThanOrEqual(0);
    expect(await violationsInBothColours(page), name).toEqual([]);
  }
});
