import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { startStaticServer } from '../../src/lib/static-server/server.ts';
import { violations } from '../support/axe.ts';
import { build, configFor, temporaryFolder } from '../support/build.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { DESKTOP, PHONE, visit } from '../support/page.ts';
import { startService } from '../support/service.ts';
import { sharedBrowser } from '../support/shared.ts';
import { writeFilesBelow } from '../support/theme.ts';

const VEHICLES = 130;
const NAMES = [
  ['Škoda', 'Kodiaq'],
  ['Citroën', 'Ami Größe L'],
  ['Groesse', 'Zwo'],
  ['Ørsted', 'Łódź Æro'],
  ['Ａｌｐｈａ', 'Straße'],
] as const;

const browser = await sharedBrowser();
const folder = await forAllTests(temporaryFolder());
const server = await forAllTests(
  startStaticServer({ folder: path.join(folder.path, 'site'), port: 0 }),
);

const plate = (index: number) => `KL${10 + (index % 90)}M${index < 90 ? 'N' : 'R'}P`;

/** A list with a card of the theme's own, which decides and changes what it is given. */
async function buildSite(): Promise<void> {
  const start = Date.parse('2026-03-01T10:00:00Z');
  const vehicles = Array.from({ length: VEHICLES }, (_, index) => ({
    vrm: plate(index),
    dateUpdated: `${new Date(start - index * 3_600_000).toISOString().slice(0, 19)}Z`,
    mediaList: [],
  }));
  const service = await forAllTests(
    startService({
      data: { dealers: [{ id: 7001, name: 'Northgate Cars', vehicles }], accounts: [] },
    }),
  );
  const rows = vehicles.map(({ vrm }, index) => {
    const [make, model] = NAMES[index] ?? ['Albion', 'Wren'];
    return `${vrm},${make},${model},${index % 7 === 0 ? '' : 3000 + index * 200}`;
  });
  const stock = path.join(folder.path, 'stock.csv');
  await writeFile(stock, ['Plate,Make,Model,Price', ...rows].join('\n'));
  const ours = await readFile('templates/partials/card.njk', 'utf8');
  const own = ours.replace(
    '<span class="line">',
    '<em class="own">{{ card.name | upper | truncate(9) }}{% if card.priceValue > 9000 %} !{% endif %}</em>$&',
  );
  expect(own).not.toBe(ours);
  await writeFilesBelow(path.join(folder.path, 'theme'), { 'partials/card.njk': own });
  const config = configFor(service, {
    site: {
      title: 'Test Motors',
      url: server.url.replace(/\/$/, ''),
      timeZone: 'Europe/London',
      theme: path.join(folder.path, 'theme'),
    },
    dealers: [
      {
        id: 7001,
        name: 'Northgate Cars',
        slug: 'northgate',
        stock: { file: stock, columns: { plate: 'Plate' } },
      },
    ],
  });
  const { error } = await build(config, folder.path);
  if (error) throw error;
}
await buildSite();

const list = (query = '') => `${server.url}northgate/${query}`;
const cards = (page: Page) => page.locator('.card').count();
const result = (page: Page) => page.locator('.result').textContent();
const found = (page: Page) =>
  page.locator('.card a').evaluateAll((links) => links.map((link) => link.getAttribute('href')));

describe('what the search finds', () => {
  it.each([
    ['skoda', [0]],
    ['ŠKODA', [0]],
    ['kodiaq škoda', [0]],
    ['citroen', [1]],
    ['grosse', [1]],
    ['GRÖSSE', [1, 2]],
    ['größe', [1, 2]],
    ['groesse', [1, 2]],
    ['orsted', [3]],
    ['lodz aero', [3]],
    ['alpha', [4]],
    ['strasse', [4]],
    ['kl10 mnp', [0]],
    ['zzzz', []],
  ])('%s', async (text, wanted) => {
    await using visited = await visit(browser, list(`?q=${encodeURIComponent(text)}`));
    const sentence = ['No vehicle matches. Just arrived:', '1 vehicle found', '2 vehicles found'][
      wanted.length
    ];
    await expect.poll(() => result(visited.page), { timeout: 15_000 }).toBe(sentence);
    // Where nothing is found, the newest are shown.
    expect(await found(visited.page)).toEqual(
      (wanted.length > 0 ? wanted : [0, 1, 2, 3]).map(
        (index) => `/northgate/${plate(index).toLowerCase()}/`,
      ),
    );
  });

  it.each([
    ['skodo', 'Škoda', [0]],
    ['kodaiq', 'Kodiaq', [0]],
    ['grüsse', 'Größe', [1, 2]],
    ['alba', undefined, []],
  ])('forgives a letter from four on: %s', async (text, shown, wanted) => {
    await using visited = await visit(browser, list(`?q=${encodeURIComponent(text)}`));
    const start = shown ? `Nothing for “${text}”. Showing “${shown}”.` : 'No vehicle matches.';
    await expect.poll(() => result(visited.page), { timeout: 15_000 }).toContain(start);
    if (shown) {
      expect(await found(visited.page)).toEqual(
        wanted.map((index) => `/northgate/${plate(index).toLowerCase()}/`),
      );
    }
  });

  it('takes O for 0 and I for 1 on plates', async () => {
    await using visited = await visit(browser, list('?q=kliomnp'));
    await expect.poll(() => result(visited.page), { timeout: 15_000 }).toBe('1 vehicle found');
    expect(await found(visited.page)).toEqual([`/northgate/${plate(0).toLowerCase()}/`]);
  });

  it('looks as in the list, in a theme with a card of its own', async () => {
    await using visited = await visit(browser, list());
    const { page, problems } = visited;
    const html = () =>
      page.locator('.card').evaluateAll((all) => all.map((card) => card.outerHTML));
    const built = await html();
    expect(built.at(-1)).toMatch(/<em class="own">ALBION\.\.\.<\/em>/);
    for (const index of [7, 21, 22]) {
      await page.locator('[name=q]').fill(plate(index));
      await expect.poll(() => result(page), { timeout: 15_000 }).toBe('1 vehicle found');
      await expect.poll(html).toEqual([built[index]]);
    }
    await page.locator('[name=q]').fill('');
    await expect.poll(html).toEqual(built);
    expect(problems).toEqual([]);
  });
});

describe.each([
  ['desktop', DESKTOP],
  ['phone', PHONE],
])('back from a vehicle, %s', (_, device) => {
  it('72 cards are 72, at the place where they were left; a new search begins at the top', async () => {
    await using visited = await visit(browser, list('?sort=oldest'), device);
    const { page, problems } = visited;
    await expect.poll(() => cards(page), { timeout: 15_000 }).toBe(24);
    await page.locator('button.more').click();
    await expect.poll(() => cards(page)).toBe(72);
    const link = page.locator('.card a').nth(60);
    await link.scrollIntoViewIfNeeded();
    const href = await link.getAttribute('href');
    const before = await link.boundingBox();
    await link.click();
    await page.waitForURL(`**${href}`);
    await page.goBack();
    await expect.poll(() => cards(page), { timeout: 15_000 }).toBe(72);
    await expect
      .poll(async () => Math.abs(((await link.boundingBox())?.y ?? 1e6) - (before?.y ?? 0)))
      .toBeLessThan(2);
    expect(await link.getAttribute('href')).toBe(href);
    await page.locator('button.more').click();
    await expect.poll(() => cards(page)).toBe(120);
    await page.locator('button.more').click();
    await expect.poll(() => cards(page)).toBe(VEHICLES);
    await page.reload();
    await expect.poll(() => cards(page), { timeout: 15_000 }).toBe(VEHICLES);
    await page.locator('[name=sort]').selectOption('plate');
    await expect.poll(() => cards(page)).toBe(24);
    expect(problems).toEqual([]);
  });
});

describe.each([
  ['desktop', DESKTOP],
  ['phone', PHONE],
])('filters, %s', (_, device) => {
  it('count, combine, stand in the address, and can be taken back one by one', async () => {
    await using visited = await visit(browser, list(), device);
    const { page, problems } = visited;
    await page.locator('.filter').click();
    const sheet = page.locator('.filters');
    await expect.poll(() => sheet.locator('fieldset').count()).toBe(2);
    expect(await sheet.locator('legend').allTextContents()).toEqual(['Make', 'Price']);
    const value = (text: string) => sheet.locator('.check', { hasText: text });
    expect(await value('Albion').locator('small').textContent()).toBe(`${VEHICLES - NAMES.length}`);
    expect(await violations(page)).toEqual([]);
    await value('Škoda').locator('input').click();
    await value('Ørsted').locator('input').click();
    await expect.poll(() => sheet.locator('.shown').textContent()).toBe('Show 2 vehicles');
    // Prices of others would show nothing.
    expect(await sheet.locator('[name=price]:disabled').count()).toBeGreaterThan(0);
    await sheet.locator('.shown').click();
    expect(await sheet.isVisible()).toBe(false);
    await expect.poll(() => result(page)).toBe('2 vehicles found');
    expect(new URL(page.url()).searchParams.getAll('make')).toEqual(['Škoda', 'Ørsted']);
    await page.locator('.card a').first().click();
    await page.waitForURL(/kl10/);
    await page.goBack();
    await expect.poll(() => result(page), { timeout: 15_000 }).toBe('2 vehicles found');
    await page.locator('.chip', { hasText: 'Škoda' }).click();
    await expect.poll(() => result(page)).toBe('1 vehicle found');
    await page.locator('.chips .clear').click();
    await expect.poll(() => result(page)).toBe('');
    expect(new URL(page.url()).search).toBe('');
    expect(problems).toEqual([]);
  });
});

it('a slow index is said to be, and cards are dim until it is there', async () => {
  await using visited = await visit(browser, list());
  const { page } = visited;
  const slow = Promise.withResolvers<void>();
  await page.route('**/index.json', async (route) => {
    await slow.promise;
    await route.continue();
  });
  await page.locator('[name=q]').fill('skoda');
  await expect.poll(() => result(page)).toBe('Loading …');
  expect(await page.locator('.cards').getAttribute('aria-busy')).toBe('true');
  slow.resolve();
  await expect.poll(() => result(page), { timeout: 15_000 }).toBe('1 vehicle found');
  expect(await page.locator('.cards').getAttribute('aria-busy')).toBeNull();
});

it('what changed within a week is new on the day on which one looks', async () => {
  const context = await browser.newContext(DESKTOP);
  const page = await context.newPage();
  const newAt = async (day: string) => {
    await page.clock.setFixedTime(`${day}T11:00:00Z`);
    await page.goto(list());
    return page.locator('.card .new').count();
  };
  expect(await newAt('2026-03-03')).toBe(24);
  expect(await newAt('2026-04-03')).toBe(0);
  await context.close();
});
