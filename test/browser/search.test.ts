import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { forAllTests } from '../support/for-all-tests.ts';
import { DESKTOP, PHONE, visit } from '../support/page.ts';
import { sharedBrowser } from '../support/shared.ts';
import { hoursBefore, NORTHGATE, openSite, vehicle } from '../support/site.ts';

const VEHICLES = 80;
const NAMES = [
  ['Škoda', 'Kodiaq'],
  ['Citroën', 'Ami Größe L'],
  ['Groesse', 'Zwo'],
  ['Ørsted', 'Łódź Æro'],
  ['Ａｌｐｈａ', 'Straße'],
  ['Mercedes-Benz', 'Citan'],
] as const;

const plate = (index: number) => `KL${10 + index}MNP`;
const vehicles = Array.from({ length: VEHICLES }, (_, index) =>
  vehicle(plate(index), [], hoursBefore(index)),
);
const rows = vehicles.map(({ vrm }, index) => {
  const [make, model] = NAMES[index] ?? ['Albion', 'Wren'];
  return `${vrm},${make},${model},${index % 7 === 0 ? '' : 3000 + index * 200}`;
});
const shipped = await readFile('templates/partials/card.njk', 'utf8');
/** A custom card of the theme that uses conditions and changes its arguments. */
const card = shipped.replace(
  '<span class="line">',
  '<em class="own">{{ card.name | upper | truncate(9) }}{% if card.priceValue > 9000 %} !{% endif %}</em>$&',
);

const browser = await sharedBrowser();
const { server } = await forAllTests(
  openSite({
    files: {
      'stock.csv': ['Plate,Make,Model,Price', ...rows].join('\n'),
      'theme/partials/card.njk': card,
    },
    site: { theme: 'theme' },
    dealers: [
      {
        ...NORTHGATE,
        vehicles,
        stock: { file: 'stock.csv', columns: { plate: 'Plate' } },
      },
    ],
  }),
);

const list = (query = '') => `${server.url}northgate/${query}`;
const cards = (page: Page) => page.locator('.card').count();
const result = (page: Page) => page.locator('.result').textContent();
const found = (page: Page) =>
  page.locator('.card a').evaluateAll((links) => links.map((link) => link.getAttribute('href')));

/** Addresses of vehicles. */
const addresses = (indices: readonly number[]) =>
  indices.map((index) => `/northgate/${plate(index).toLowerCase()}/`);

describe('the search', () => {
  it('finds any spelling of make, model or plate, and offers the newest without results', async () => {
    await using page = await visit(browser, list());
    const wanted: [text: string, found: number[]][] = [
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
      // O is 0 and I is 1 on plates.
      ['kliomnp', [0]],
      ['zzzz', []],
    ];
    const sentence = ['No matching vehicles. Just arrived:', '1 vehicle found', '2 vehicles found'];
    for (const [text, indices] of wanted) {
      await page.locator('[name=q]').fill(text);
      const shown = indices.length > 0 ? indices : [0, 1, 2, 3];
      await expect.poll(() => found(page), { message: text }).toEqual(addresses(shown));
      expect(await result(page), text).toBe(sentence[indices.length]);
    }
  });

  it('tolerates one wrong letter in longer words, and leaves out words that no vehicle has', async () => {
    await using page = await visit(browser, list());
    const wanted: [text: string, shown: string, found: number[]][] = [
      ['skodo', 'Škoda” instead.', [0]],
      ['kodaiq', 'Kodiaq” instead.', [0]],
      ['grüsse', 'Größe” instead.', [1, 2]],
      ['mercedez', 'Mercedes” instead.', [5]],
      ['used škoda', 'škoda', [0]],
      ['škoda xyz for sale', 'škoda', [0]],
    ];
    for (const [text, shown, indices] of wanted) {
      await page.locator('[name=q]').fill(text);
      const start = `No results for “${text}”. Showing “${shown}`;
      await expect.poll(() => result(page)).toContain(start);
      expect(await found(page), text).toEqual(addresses(indices));
    }
    // The number that remains of the second is in many plates.
    for (const query of ['?q=alba', '?q=9+seats']) {
      await page.goto(list(query));
      await expect.poll(() => result(page), { message: query }).toContain('No matching vehicles.');
    }
  });

  it('renders results like the list in a theme with a custom card', async () => {
    await using page = await visit(browser, list());
    const html = () =>
      page.locator('.card').evaluateAll((all) => all.map((card) => card.outerHTML));
    expect(card).not.toBe(shipped);
    const built = await html();
    expect(built.at(-1)).toMatch(/<em class="own">ALBION\.\.\.<\/em>/);
    for (const index of [7, 21, 22]) {
      await page.locator('[name=q]').fill(plate(index));
      await expect.poll(() => result(page)).toBe('1 vehicle found');
      await expect.poll(html).toEqual([built[index]]);
    }
    await page.locator('[name=q]').fill('');
    await expect.poll(html).toEqual(built);
  });
});

describe.each([
  ['desktop', DESKTOP],
  ['phone', PHONE],
])('back from a vehicle, %s', (_, device) => {
  it('restores 72 cards and the scroll position; a new search begins at the top', async () => {
    await using page = await visit(browser, list('?sort=oldest'), device);
    await expect.poll(() => cards(page)).toBe(24);
    await page.locator('button.more').click();
    await expect.poll(() => cards(page)).toBe(72);
    const link = page.locator('.card a').nth(60);
    await link.scrollIntoViewIfNeeded();
    const href = await link.getAttribute('href');
    const before = await link.boundingBox();
    await link.click();
    await page.waitForURL(`**${href}`);
    await page.goBack();
    await expect.poll(() => cards(page)).toBe(72);
    await expect
      .poll(async () => Math.abs(((await link.boundingBox())?.y ?? 1e6) - (before?.y ?? 0)))
      .toBeLessThan(2);
    expect(await link.getAttribute('href')).toBe(href);
    await page.locator('button.more').click();
    await expect.poll(() => cards(page)).toBe(VEHICLES);
    await page.reload();
    await expect.poll(() => cards(page)).toBe(VEHICLES);
    await page.locator('[name=sort]').selectOption('price-up');
    await expect.poll(() => cards(page)).toBe(24);
    await page.evaluate('scrollTo({ top: 4000, behavior: "instant" })');
    await page.locator('[name=sort]').selectOption('oldest');
    const top = 'document.querySelector(".cards").getBoundingClientRect().top';
    await expect.poll(() => page.evaluate(top)).toBeGreaterThan(0);
  });
});

it('the page shows that a slow index is loading and dims its cards', async () => {
  await using page = await visit(browser, list());
  const slow = Promise.withResolvers<void>();
  await page.route('**/index.json', async (route) => {
    await slow.promise;
    await route.continue();
  });
  // A screen reader announces changes only of an element that it has already seen.
  expect(await page.getByRole('status').count()).toBe(1);
  await page.locator('[name=q]').fill('skoda');
  await expect.poll(() => result(page)).toBe('Loading…');
  expect(await page.locator('.cards').getAttribute('aria-busy')).toBe('true');
  slow.resolve();
  await expect.poll(() => result(page)).toBe('1 vehicle found');
  expect(await page.locator('.cards').getAttribute('aria-busy')).toBeNull();
});

it('vehicles changed in the last seven days are marked as new on the day of the visit', async () => {
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
