import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { DEVICES, violationsInBothColours } from '../support/axe.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { invalid } from '../support/html.ts';
import { PAGE_KINDS } from '../support/kinds.ts';
import { cutOutlines, visit } from '../support/page.ts';
import { sharedBrowser, sharedShowroom } from '../support/shared.ts';

/* Checks every kind of page once on each device: policy, pictures, accessibility, markup. */

const browser = await sharedBrowser();
const showroom = await sharedShowroom();
const url = (part: string) => `${showroom.server.url}${part}`;
const read = (file: string) => readFile(path.join(showroom.output, file), 'utf8');

describe.each(DEVICES)('%s: passes its policies and axe', async (_, device) => {
  const page = await forAllTests(visit(browser, url(''), device));

  it.each(Object.entries(PAGE_KINDS))('%s', async (_kind, part) => {
    await page.goto(url(part), { waitUntil: 'load' });
    const eager = "[...document.querySelectorAll('img:not([loading=lazy])')]";
    // The gallery may have just started to load the next picture.
    await expect.poll(() => page.evaluate(`${eager}.every((one) => one.naturalWidth)`)).toBe(true);
    expect(page.problems).toEqual([]);
    expect(await violationsInBothColours(page)).toEqual([]);
    expect(await cutOutlines(page)).toEqual([]);
  });

  it('full-screen viewer', async () => {
    await page.goto(url('northgate/ab12cde/#2'));
    await page.locator('.gallery .full').click();
    await expect.poll(() => page.locator('dialog[open]').count()).toBe(1);
    expect(await violationsInBothColours(page)).toEqual([]);
  });

  it('search result', async () => {
    await page.goto(url('northgate/?q=ab12&year-from=2018'));
    await expect.poll(() => page.locator('.chip').count()).toBe(1);
    expect(await violationsInBothColours(page)).toEqual([]);
    expect(await cutOutlines(page)).toEqual([]);
  });
});

it('axe works: it finds a deliberate fault', async () => {
  await using page = await visit(browser, url('northgate/ab12cde/'));
  await page.evaluate(`{
    document.querySelector('.shot img').removeAttribute('alt');
    Object.assign(document.querySelector('.next').style, { width: '10px', height: '10px' });
    document.querySelector('h1').style.color = 'light-dark(black, #222)';
  }`);
  const found = await violationsInBothColours(page);
  expect(found.some((line) => /^(?:image-alt|link-name)/.test(line))).toBe(true);
  expect(found.filter((line) => line.includes('color-contrast: <h1'))).toEqual([
    expect.stringMatching(/^dark: /),
  ]);
});

it('every page is valid HTML without inline scripts or styles', async () => {
  const files = await readdir(showroom.output, { recursive: true });
  const pages = files.filter((file) => file.endsWith('.html'));
  expect(pages.length).toBeGreaterThan(40);
  for (const file of pages) {
    const html = await read(file);
    expect(await invalid(html), file).toEqual([]);
    expect(html, file).not.toMatch(/<[^>]+\sstyle=|<style|\son\w+=|javascript:/i);
    const scripts = html.match(/<script(?![^>]*(?:src=|ld\+json|speculationrules))/g);
    expect(scripts, file).toBeNull();
    expect(html, file).toContain('http-equiv="Content-Security-Policy"');
    if (html.includes('<header')) expect(html, file).toContain('<a class="skip" href="#content">');
    if (html.includes('<search')) expect(html, file).toContain('class="result" role="status"');
  }
});

it.each([
  ['the lines for other websites', 'northgate/embed/index.html', /northgate\/embed\/["<]/],
  ['sheets for the window', 'northgate/ab12cde/sticker/index.html', /sticker\/["<]/],
])('%s are neither indexed nor linked', async (_, file, address) => {
  expect(await read(file)).toContain('<meta name="robots" content="noindex">');
  const files = await readdir(showroom.output, { recursive: true });
  for (const other of files.filter((name) => /\.(?:html|xml|json)$/.test(name))) {
    if (other.startsWith('api/') || /\/(?:embed|sticker)\/index\.html$/.test(other)) continue;
    expect(await read(other), other).not.toMatch(address);
  }
});
