import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { violationsInBothColours } from '../support/axe.ts';
import {
  boxOf,
  brokenWords,
  cutOutlines,
  DESKTOP,
  enlargeText,
  FAILED,
  layoutShift,
  loadedWidth,
  PHONE,
  pathsOf,
  phoneOf,
  visit,
  wrongSizes,
} from '../support/page.ts';
import { sharedBrowser, sharedShowroom } from '../support/shared.ts';

const browser = await sharedBrowser();
const showroom = await sharedShowroom();

const url = (part: string) => `${showroom.server.url}${part}`;
const list = url('northgate/');
const of = (vrm: string) => `/northgate/${vrm.toLowerCase()}/`;
const hearts = (page: Page) =>
  page.locator('.card .heart').evaluateAll((all) => all.map((one) => one.ariaPressed));
const savedVehicle = (page: Page, id: string) => pathsOf(page.locator(`#vehicles-${id} a[href]`));
/** Opens the page of saved vehicles with these vehicles, from a page of the site. */
async function openSaved(page: Page, plates: readonly string[]): Promise<void> {
  const text = JSON.stringify(JSON.stringify(plates.map(of)));
  await page.evaluate(`localStorage['vehicles-saved'] = ${text}`);
  await page.goto(url('saved/'));
}
/** Which of six are saved. */
const six = (...saved: number[]) => Array.from({ length: 6 }, (_, at) => `${saved.includes(at)}`);

it('vehicles saved in a list, a search and a vehicle’s page are on the page of saved vehicles', async () => {
  // Without transitions, which a busy machine skips with a console message.
  await using page = await visit(browser, list, { reducedMotion: 'reduce' });
  expect(await hearts(page)).toEqual(six());
  await page.locator('.card .heart').nth(1).click();
  expect(await hearts(page)).toEqual(six(1));
  await page.locator('[name=q]').fill('ef56');
  await expect.poll(() => hearts(page)).toEqual(['false']);
  await page.locator('.card .heart').click();
  await page.locator('[name=q]').fill('cd34');
  await expect.poll(() => hearts(page)).toEqual(['true']);

  await page.goto(url(of('AB12CDE').slice(1)));
  await page.locator('.vehicle .heart').click();
  expect(await page.locator('.vehicle .heart').getAttribute('aria-pressed')).toBe('true');
  await page.locator('.masthead .hearts').click();
  await expect
    .poll(() => savedVehicle(page, 'saved'))
    .toEqual(['AB12CDE', 'EF56GHJ', 'CD34EFG'].map(of));
  await expect.poll(() => savedVehicle(page, 'seen')).toEqual([of('AB12CDE')]);
  const card = page.locator('#vehicles-saved .card:visible').first();
  expect(await card.locator('.name').textContent()).toBe('Albion Wren');
  await expect.poll(() => loadedWidth(card.locator('img'))).toBeGreaterThan(0);
  expect(await page.locator('.empty:visible').count()).toBe(0);
  expect(await wrongSizes(page)).toEqual([]);
  expect(await card.locator('.facts').first().textContent()).toContain('2021');
  expect(await card.locator('.seller').textContent()).toContain('Northgate Cars');

  // Removed again. The list shows this when the browser goes back.
  await card.getByRole('button', { name: 'Save: Albion Wren' }).click();
  await page.goto(list);
  expect(await hearts(page)).toEqual(six(1, 2));
});

it('a vehicle is saved on the page of a make of all dealers', async () => {
  await using page = await visit(browser, url('make/skoda/'));
  await page.locator('.card .heart').first().click();
  expect((await hearts(page)).filter((pressed) => pressed === 'true')).toHaveLength(1);
});

describe('the page of saved vehicles', () => {
  it.each([
    ['a computer', DESKTOP],
    ['a phone', PHONE],
  ])('moves nothing on %s while scripts and vehicles arrive', async (_, device) => {
    await using page = await visit(browser, list, device);
    for (const late of ['**/compare.js*', '**/northgate/*/']) {
      await page.route(late, async (route) => {
        await setTimeout(300);
        await route.continue();
      });
    }
    for (const plates of [[], ['AB12CDE'], ['AB12CDE', 'CD34EFG']]) {
      await openSaved(page, plates);
      await expect
        .poll(() => page.locator('#vehicles-saved .name:visible:not(:empty)').count())
        .toBe(plates.length);
      expect(await layoutShift(page), `${plates}`).toBeLessThan(0.01);
    }
  });

  it('reports no error if a visitor follows a second link before the first one', async () => {
    await using page = await visit(browser, url('saved/'));
    const errors: string[] = [];
    page.on('pageerror', ({ message }) => errors.push(message));
    for (let turn = 0; turn < 6; turn++) {
      await page.evaluate(
        `{ const link = document.querySelector('.home'); link.click(); setTimeout(() => link.click(), 10); }`,
      );
      await expect.poll(() => page.url()).toBe(url(''));
      await page.waitForLoadState();
      await page.goto(url('saved/'));
    }
    expect(errors).toEqual([]);
  });

  it('does not report that none is saved before its script arrives', async () => {
    await using page = await visit(browser, list, { ...PHONE, expected: FAILED });
    await page.route('**/compare.js*', (route) => route.abort());
    await page.goto(url('saved/'));
    expect(await page.locator('.empty:visible').count()).toBe(0);
    await page.unroute('**/compare.js*');
    await page.reload();
    expect(await page.locator('.empty:visible').count()).toBe(2);
  });

  it('shows a still of a video or a drawn car if a vehicle has no picture, in the same height', async () => {
    await using page = await visit(browser, list, PHONE);
    await openSaved(page, ['AB12CDE', 'EF56GHJ', 'GH78JKL']);
    const cards = page.locator('#vehicles-saved .card:visible');
    await expect.poll(() => cards.locator('.name').allTextContents()).not.toContain('');
    const [picture, none, video] = await cards.locator('.cover').all();
    const height = async (cover = picture) => (await cover?.boundingBox())?.height;
    expect(await height()).toBeGreaterThan(200);
    expect([await height(none), await height(video)]).toEqual([await height(), await height()]);
    expect(await none?.locator('.nopicture svg').isVisible()).toBe(true);
    expect(await video?.locator('img').isVisible()).toBe(true);
    expect(await video?.locator('.cta').isVisible()).toBe(false);
    // Boxes for the comparison are as large as in the filters, and in line with the details.
    const box = await boxOf(page, '#vehicles-saved .check:visible input');
    expect([box.width, box.height]).toEqual([24, 24]);
    const details = '#vehicles-saved :is(details dl, summary):visible';
    expect(box.x).toBe((await boxOf(page, details)).x);
  });

  it('removes withdrawn vehicles and keeps vehicles whose data cannot be loaded', async () => {
    await using page = await visit(browser, list, { ...PHONE, expected: FAILED });
    const saved = () => page.evaluate("JSON.parse(localStorage['vehicles-saved'])");
    await page.route(`**${of('CD34EFG')}`, (route) =>
      route.fulfill({ status: 503, contentType: 'text/html', body: 'x' }),
    );
    await openSaved(page, ['AB12CDE', 'CD34EFG', 'GONE']);
    await expect.poll(() => savedVehicle(page, 'saved')).toEqual([of('AB12CDE')]);
    await expect.poll(saved).toEqual([of('AB12CDE'), of('CD34EFG')]);
    // With vehicles; pages.test.ts checks the empty page.
    expect(await violationsInBothColours(page)).toEqual([]);
    // Not even if this is every vehicle, as without a connection.
    await openSaved(page, ['CD34EFG']);
    await expect.poll(() => page.locator('#vehicles-saved a[href]').count()).toBe(0);
    expect(await page.locator('#vehicles-saved + .empty').isVisible()).toBe(false);
    await openSaved(page, ['GONE']);
    await expect.poll(() => page.locator('#vehicles-saved + .empty').isVisible()).toBe(true);
  });

  it('shows a notice if it is empty and is not indexed', async () => {
    await using page = await visit(browser, url('saved/'));
    const notices = await page.locator('.empty:visible').allTextContents();
    expect(notices.map((text) => text.trim().split('\n')[0])).toEqual([
      'You have not saved any vehicles yet.',
      'You have not viewed any vehicles yet.',
    ]);
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('.button:visible').count()).toBe(0);
    const read = (file: string) => readFile(path.join(showroom.output, file), 'utf8');
    expect(await read('saved/index.html')).toContain('content="noindex"');
    expect(await read('privacy/index.html')).toContain('stored in this browser only');
  });
});

it('is hidden without scripts and harmless without browser storage', async () => {
  await using without = await visit(browser, list, { javaScriptEnabled: false });
  expect(await without.locator('.heart:visible, .hearts:visible').count()).toBe(0);

  await using page = await visit(browser, list);
  await page.addInitScript(`Object.defineProperty(window, 'localStorage', {
    get() { throw new DOMException('no', 'SecurityError'); },
  })`);
  for (const part of ['northgate/', of('AB12CDE').slice(1), 'saved/']) {
    await page.goto(url(part));
    const heart = page.locator('.heart:visible').first();
    if (await heart.count()) await heart.click();
  }
});

it.each([320, 1280])(
  'a comparison on %i pixels shows all facts of up to three vehicles and highlights differences',
  async (width) => {
    const options = width < 700 ? phoneOf(width, 740) : DESKTOP;
    await using page = await visit(browser, list, options);
    await openSaved(page, ['KL10MNP', 'KL11MNP', 'KL12MNP', 'AB12CDE', 'ZZ99OLD']);
    const boxes = page.locator('#vehicles-saved .check:visible input');
    await expect.poll(() => boxes.count()).toBe(4);
    // A withdrawn vehicle has a label.
    expect(await page.locator('#vehicles-saved .status:visible').allTextContents()).toEqual([
      'No longer available',
    ]);
    const card = page.locator('#vehicles-saved .card:visible').first();
    await card.locator('summary').click();
    // biome-ignore lint/performance/useDomNodeTextContent: texts as they are laid out.
    expect(await card.locator('dl').innerText()).toMatch(
      /Year\s+2015[\s\S]*Mileage\s+80,000 miles/,
    );

    const comparison = page.locator('.comparison');
    // Every control names its vehicle, and the picture does not repeat the name.
    await page.getByRole('checkbox', { name: 'Compare: Škoda Fabia' }).check();
    // Otherwise, screen readers would read "Compare" again after the checkbox.
    expect(await card.locator('.check').ariaSnapshot()).not.toContain('text:');
    expect(await page.getByText('Details').and(page.getByLabel('Škoda Superb')).count()).toBe(1);
    expect(await page.getByRole('link', { name: /, photo/ }).count()).toBe(0);
    expect(await comparison.isVisible()).toBe(false);
    expect(await page.getByRole('status').getByRole('link').count()).toBe(0);
    await boxes.nth(1).check();
    expect(await page.getByRole('status').getByRole('link').textContent()).toBe('Comparison');
    expect(await cutOutlines(page)).toEqual([]);
    await boxes.nth(2).check();
    expect(await boxes.nth(3).isDisabled()).toBe(true);
    expect(await comparison.locator('thead th').allTextContents()).toEqual([
      'Škoda Fabia',
      'SKODA Octavia',
      'Škoda Superb',
    ]);
    const texts = await comparison.locator('tbody').allInnerTexts();
    const rows = texts.map((text) => text.trim().split(/\s*[\t\n]\s*/));
    expect(rows).toContainEqual(['Price', '£4,995', '£6,995', '£8,995']);
    expect(rows.find(([label]) => label === 'Mileage')).toHaveLength(4);
    // The site has several dealers.
    expect(rows.find(([label]) => label === 'Dealer')?.[1]).toContain('Northgate Cars');
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    for (const cell of await comparison.locator('td').all()) {
      expect((await cell.boundingBox())?.width).toBeGreaterThan(80);
    }
    await page.evaluate("document.querySelector('.comparison td').textContent = 'Automatique'");
    expect(await brokenWords(page)).toEqual([]);
    await page.locator('.to-comparison a').click();
    await expect.poll(async () => (await comparison.boundingBox())?.y).toBeLessThan(200);
    expect(await violationsInBothColours(page)).toEqual([]);

    // A vehicle that is no longer saved leaves the comparison, but its card stays until a reload.
    const heart = page.locator('#vehicles-saved .card:visible .heart').nth(2);
    await heart.click();
    expect(await comparison.locator('thead th').count()).toBe(2);
    expect(await boxes.nth(2).isChecked()).toBe(false);
    expect(await boxes.nth(2).isDisabled()).toBe(true);
    await heart.click();
    expect(await boxes.nth(2).isDisabled()).toBe(false);
    await boxes.nth(1).uncheck();
    expect(await comparison.isVisible()).toBe(false);
  },
);

it('a comparison shows a value that all vehicles have only once', async () => {
  await using page = await visit(browser, list);
  await page.route(/\/kl1.mnp\/$/, async (route) => {
    const response = await route.fetch();
    const body = (await response.text()).replaceAll('80,000 miles', '70,000 miles');
    await route.fulfill({ response, body });
  });
  await openSaved(page, ['KL10MNP', 'KL11MNP']);
  const boxes = page.locator('#vehicles-saved .check:visible input');
  await expect.poll(() => boxes.count()).toBe(2);
  for (const box of await boxes.all()) await box.check();
  const cellsOf = (label: string) =>
    page.locator('.comparison tbody', { hasText: label }).locator('td').allTextContents();
  expect(await cellsOf('Mileage')).toEqual(['70,000 miles']);
  expect(await cellsOf('Price')).toEqual(['£4,995', '£6,995']);
});

it('a comparison with text of 200 % on a small phone breaks no word and scrolls', async () => {
  await using page = await visit(browser, list, phoneOf(360, 640));
  await openSaved(page, ['KL10MNP', 'KL11MNP', 'KL12MNP']);
  await enlargeText(page);
  const boxes = page.locator('#vehicles-saved .check:visible input');
  await expect.poll(() => boxes.count()).toBe(3);
  for (const box of await boxes.all()) await box.check();
  expect(await page.locator('.comparison tbody').count()).toBeGreaterThan(3);
  expect(await brokenWords(page)).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
});
