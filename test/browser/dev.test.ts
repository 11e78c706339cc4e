import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { buildSite, configFor, readTree } from '../support/build.ts';
import { startDev } from '../support/dev.ts';
import { writeFilesBelow } from '../support/files-below.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { visit } from '../support/page.ts';
import { startService } from '../support/service.ts';
import { sharedBrowser } from '../support/shared.ts';
import { tempFolder } from '../support/temp-folder.ts';

const browser = await sharedBrowser();
const folder = tempFolder();
// With pictures: their thumbnails are served from another folder.
const service = await forAllTests(startService({ dealers: 1, vehicles: 4, images: 1 }));
const theme = path.join(folder, 'theme');
const site = { title: 'Test Motors', url: 'https://cars.example/cars', theme };
const config = configFor(service, { site });
await writeFilesBelow(theme, { 'assets/theme.css': 'h1{color:rgb(1, 2, 3)}' });
const file = path.join(folder, 'site.config.json');
const dealers = service.data.dealers.map(({ id, name }) => ({ id, name, slug: 'dealer-1' }));
await writeFile(
  file,
  JSON.stringify({
    service: { baseUrl: service.baseUrl },
    site,
    dealers,
    media: { widths: [160, 320] },
  }),
);
const { origin, printed } = await forAllTests(startDev(file, service.mediaKey));

it('serves only the files that a build publishes', async () => {
  const { output } = await buildSite(config, folder);
  // Records are for builds on other machines and not needed here.
  const files = [...(await readTree(output))].filter(([name]) => !name.startsWith('api/'));
  expect(files.length).toBeGreaterThan(30);
  for (const [name, published] of files) {
    const answer = await fetch(`${origin}/cars/${name}`);
    // Eleventy adds its script to pages in a browser, not to fetched files.
    const body = Buffer.from(await answer.arrayBuffer()).toString('latin1');
    expect(body === published, `${name} is as published`).toBe(true);
  }
  expect((await fetch(`${origin}/cars/nothing/`)).status).toBe(404);
  expect((await fetch(`${origin}/cars/media/..%2f..%2fpackage.json`)).status).toBe(404);
  // Not UTF-8.
  expect((await fetch(`${origin}/cars/%E0%A4%A`)).status).toBe(404);
});

/**
 * Returns a function that waits until a reloaded page is connected to Eleventy's server. An earlier change
 * would not reach the page.
 */
function hearing(page: Page): () => Promise<void> {
  const sockets: { isOpen: boolean }[] = [];
  page.on('websocket', (opened) => {
    const socket = { isOpen: false };
    sockets.push(socket);
    opened.on('framereceived', () => {
      socket.isOpen = true;
    });
  });
  return async () => {
    await page.waitForLoadState('load');
    await expect.poll(() => sockets.at(-1)?.isOpen).toBe(true);
  };
}

it('shows changed templates, texts, partials and style sheets in the open page', async () => {
  await using page = await visit(browser, `${origin}/cars/dealer-1/`, { expected: 'status of' });
  const canHear = hearing(page);
  await page.evaluate('window.mark = "same page"');
  await writeFilesBelow(theme, { 'assets/theme.css': 'h1{color:rgb(9, 8, 7)}' });
  // Evaluated from outside: the pages forbid eval, which waitForFunction needs.
  await expect
    .poll(() => page.evaluate('getComputedStyle(document.querySelector("h1")).color'))
    .toBe('rgb(9, 8, 7)');
  expect(await page.evaluate('window.mark')).toBe('same page');
  await writeFilesBelow(theme, { 'assets/theme.css': 'h1{' });
  await page.waitForSelector('pre:has-text("theme.css")');
  await canHear();
  await writeFilesBelow(theme, { 'assets/theme.css': 'h1{color:red}' });
  await page.waitForSelector('h1:has-text("vehicles")');
  await canHear();

  await writeFilesBelow(theme, { 'words.json': '{"en":{"search":"Look for"}}' });
  await page.waitForSelector('text=Look for');
  await canHear();
  await writeFilesBelow(theme, { 'partials/foot.njk': '<footer>Our foot</footer>' });
  await page.waitForSelector('footer:has-text("Our foot")');
  await canHear();

  await writeFilesBelow(theme, {
    'partials/foot.njk': '\n<footer>{{ page_.nothing }}</footer>',
  });
  await page.waitForSelector('pre:has-text("foot.njk cannot be rendered: line 2")');
  await canHear();
  await rm(path.join(theme, 'partials/foot.njk'));
  await page.waitForSelector('svg.icons', { state: 'attached' });
  await canHear();
  await writeFilesBelow(theme, { 'words.json': '{"en":{"serch":"x"}}' });
  await page.waitForSelector('pre:has-text("en.serch: is not a text of the site")');
  await canHear();
  await writeFilesBelow(theme, { 'words.json': '{}' });
  await page.waitForSelector('label:has-text("Search")');
  await canHear();

  // Also a page that does not exist yet.
  await page.goto(`${origin}/cars/later/`);
  await canHear();
  await writeFilesBelow(theme, { 'words.json': '{"en":{"notFoundTitle":"Nothing here"}}' });
  await page.waitForSelector('h1:has-text("Nothing here")');
});

it('reloads a page that connects after a change that it was served before', async () => {
  await (await fetch(`${origin}/cars/`)).text();
  const before = printed.stdout.length;
  await writeFilesBelow(theme, { 'words.json': '{"en":{"search":"Seek"}}' });
  await expect.poll(() => printed.stdout.slice(before)).toMatch(/words\.json: \d+ ms/);
  // The change is announced shortly after it is printed.
  await setTimeout(500);
  const heard: string[] = [];
  const socket = new WebSocket(origin.replace('http', 'ws'));
  socket.onmessage = ({ data }) => heard.push(JSON.parse(String(data)).type);
  await expect.poll(() => heard).toContain('eleventy.reload');
  socket.close();
});
