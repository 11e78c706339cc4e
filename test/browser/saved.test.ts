import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { startStaticServer } from '../../src/lib/static-server/server.ts';
import { DEVICES, violationsInBothColours } from '../support/axe.ts';
import { build, configFor, temporaryFolder } from '../support/build.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { invalid } from '../support/html.ts';
import { DESKTOP, visit } from '../support/page.ts';
import { startService } from '../support/service.ts';
import { sharedBrowser } from '../support/shared.ts';
import { writeFilesBelow } from '../support/theme.ts';

const folder = await forAllTests(temporaryFolder());
const mediaUrl = '{base_url}/pictures/1.jpg';
const plates = ['AB12CDE', 'CD34EFG', 'EF56GHJ'];
const dealers = [
  {
    id: 7001,
    name: 'Northgate Cars',
    vehicles: plates.map((vrm, index) => ({
      vrm,
      dateUpdated: `2026-03-0${3 - index}T10:00:00Z`,
      mediaList: index === 2 ? [] : [{ id: 1, type: 'Image', label: 'Image 1', mediaUrl }],
    })),
  },
];
const pictures = { 1: { width: 400, height: 300 } };
const service = await startService({ data: { dealers, accounts: [], pictures } });
const output = path.join(folder.path, 'site');
await mkdir(output);
const server = await forAllTests(startStaticServer({ folder: output, port: 0 }));
await writeFilesBelow(folder.path, { 'privacy.md': '# Privacy\n\nWho we are.\n' });
const { error } = await build(
  configFor(service, {
    site: {
      title: 'Northgate Cars',
      url: server.url.replace(/\/$/, ''),
      favourites: true,
      legal: { privacy: path.join(folder.path, 'privacy.md') },
    },
  }),
  folder.path,
  { output },
);
await service.close();
if (error) throw error;
const browser = await sharedBrowser();

const url = (part: string) => `${server.url}${part}`;
const list = url('dealer-1/');
const of = (vrm: string) => `/dealer-1/${vrm.toLowerCase()}/`;
const hearts = (page: Page) =>
  page.locator('.card .heart').evaluateAll((all) => all.map((one) => one.ariaPressed));
const kept = (page: Page, id: string) =>
  page
    .locator(`#vehicles-${id} a[href]`)
    .evaluateAll((all) => all.map((one) => (one as unknown as { pathname: string }).pathname));

it('what is saved in a list, in a search and on a vehicle’s page is shown on a page of its own', async () => {
  await using visited = await visit(browser, list);
  const { page, problems } = visited;
  expect(await hearts(page)).toEqual(['false', 'false', 'false']);
  await page.locator('.card .heart').nth(1).click();
  expect(await hearts(page)).toEqual(['false', 'true', 'false']);
  await page.locator('[name=q]').fill('ef56');
  await expect.poll(() => hearts(page)).toEqual(['false']);
  await page.locator('.card .heart').click();
  await page.locator('[name=q]').fill('cd34');
  await expect.poll(() => hearts(page)).toEqual(['true']);

  await page.goto(url(of('AB12CDE').slice(1)));
  await page.locator('.vehicle .heart').click();
  expect(await page.locator('.vehicle .heart').getAttribute('aria-pressed')).toBe('true');
  await page.locator('.masthead .hearts').click();
  await expect.poll(() => kept(page, 'saved')).toEqual(['AB12CDE', 'EF56GHJ', 'CD34EFG'].map(of));
  await expect.poll(() => kept(page, 'seen')).toEqual([of('AB12CDE')]);
  const card = page.locator('#vehicles-saved .card:visible').first();
  expect(await card.locator('.name').textContent()).toBe('AB12 CDE');
  await expect
    .poll(() => card.locator('img').evaluate('(image) => image.naturalWidth'))
    .not.toBe(0);
  expect(await page.locator('.empty:visible').count()).toBe(0);

  // Taken out again; the list, to which the browser goes back, says so.
  await card.getByRole('button', { name: 'Save AB12 CDE' }).click();
  await page.goto(list);
  expect(await hearts(page)).toEqual(['false', 'true', 'true']);
  expect(problems).toEqual([]);
});

describe('the page of saved vehicles', () => {
  it('forgets vehicles that are gone, and keeps those that cannot be asked for', async () => {
    await using visited = await visit(browser, list);
    const { page } = visited;
    const all = [of('AB12CDE'), of('CD34EFG'), of('GONE')];
    const saved = () => page.evaluate("JSON.parse(localStorage['vehicles-saved'])");
    await page.evaluate(`localStorage['vehicles-saved'] = ${JSON.stringify(JSON.stringify(all))}`);
    await page.route(`**${of('CD34EFG')}`, (route) => route.fulfill({ status: 503, body: 'x' }));
    await page.goto(url('saved/'));
    await expect.poll(() => kept(page, 'saved')).toEqual([of('AB12CDE')]);
    await expect.poll(saved).toEqual([of('AB12CDE'), of('CD34EFG')]);
  });

  it('says where nothing is saved', async () => {
    await using visited = await visit(browser, url('saved/'));
    expect(await visited.page.locator('.empty:visible').allTextContents()).toEqual([
      'You have not saved any vehicles yet.',
      'You have not viewed any vehicles yet.',
    ]);
  });

  it.each(DEVICES)('has no fault that axe finds, nor has the list: %s', async (_, device) => {
    await using visited = await visit(browser, list, device);
    const { page } = visited;
    expect(await violationsInBothColours(page)).toEqual([]);
    await page.locator('.card .heart').first().click();
    await page.goto(url('saved/'));
    await expect.poll(() => kept(page, 'saved')).toHaveLength(1);
    expect(await violationsInBothColours(page)).toEqual([]);
  });
});

it('is not there without scripts, and does no harm where the browser keeps nothing', async () => {
  await using without = await visit(browser, list, { ...DESKTOP, javaScriptEnabled: false });
  expect(await without.page.locator('.heart:visible, .hearts:visible').count()).toBe(0);

  await using visited = await visit(browser, list);
  const { page, problems } = visited;
  await page.addInitScript(`Object.defineProperty(window, 'localStorage', {
    get() { throw new DOMException('no', 'SecurityError'); },
  })`);
  for (const part of ['dealer-1/', of('AB12CDE').slice(1), 'saved/']) {
    await page.goto(url(part));
    const heart = page.locator('.heart:visible').first();
    if (await heart.count()) await heart.click();
  }
  expect(problems).toEqual([]);
});

it('is told in the text about privacy, and its pages are valid', async () => {
  const read = (file: string) => readFile(path.join(output, file), 'utf8');
  expect(await read('privacy/index.html')).toContain('remembered in this browser alone');
  expect(await read('saved/index.html')).toContain('content="noindex"');
  for (const file of ['saved/index.html', 'dealer-1/index.html', 'dealer-1/ab12cde/index.html']) {
    expect(await invalid(await read(file)), file).toEqual([]);
  }
});
