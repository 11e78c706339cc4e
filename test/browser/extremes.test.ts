import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { vehicleSlug } from '../../src/stock/address.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { expectAt } from '../support/gallery.ts';
import {
  boxOf,
  DESKTOP,
  layoutShift,
  loadedWidth,
  PHONE,
  phoneOf,
  sourceOf,
  visit,
} from '../support/page.ts';
import { sharedBrowser } from '../support/shared.ts';
import { openSite, pictures, vehicle } from '../support/site.ts';

const LONG = 'A PLATE THAT IS FAR LONGER THAN ANY PLATE OF A CAR HAS EVER BEEN 1234567890';
const NAME = 'Donaudampfschifffahrtsgesellschaftskraftfahrzeughaftpflichtversicherungswagen';
/** Make and model as dealers fill them with equipment. */
const LISTED =
  'Mercedes-Benz,C 220 d T AMG Line Night Distronic 360° Burmester Panorama AHK LED Keyless';
const FONT = createRequire(import.meta.url).resolve(
  '@fontsource-variable/figtree/files/figtree-latin-wght-normal.woff2',
);
const LABEL = `Complete walkaround of the outside and the inside ${'with all equipment '.repeat(6)}`;
/** A picture that is larger than every screen. */
const LARGE = 1;
const MANY = pictures(1200, 100);

const browser = await sharedBrowser();
const { server, output } = await forAllTests(
  openSite({
    files: {
      'stock.csv': `plate,make,model,price,year,mileage,status\n${LONG},${NAME},${NAME},9000,,,\nHU22DRD,${LISTED},8000,,,\nLA11RGE,C,D,7000,,,\nPA22NEL,${LISTED}${' Keyless Panorama'.repeat(10)},8000,2020,20000,reserved\n`,
      'font.woff2': readFileSync(FONT),
    },
    site: { font: 'font.woff2' },
    media: { widths: [320, 1280], viewerWidths: [1600, 2560] },
    service: { pictureScale: 1 },
    sizes: Object.fromEntries([
      [LARGE, { width: 2700, height: 2025 }],
      ...MANY.map(({ id }) => [id, { width: 400, height: 300 }]),
    ]),
    dealers: [
      {
        id: 7100,
        name: `Cars by Eastgate ${NAME} & Sons, with ${'branches in every town, '.repeat(4)}since 1902`,
        slug: 'eastgate',
        enquiry: { address: 'https://forms.example/' },
        stock: { file: 'stock.csv', currency: 'EUR' },
        vehicles: [
          vehicle('HU22DRD', MANY),
          vehicle('LA11RGE', pictures(LARGE, 1)),
          vehicle(LONG, MANY.slice(0, 1)),
          vehicle('  '),
        ],
      },
      { id: 7200, name: 'Westgate', slug: 'westgate', vehicles: [] },
      {
        id: 7300,
        name: 'Southgate',
        slug: 'southgate',
        contact: { phone: '+44 1632 960001', whatsapp: '+44 7700 900123', email: 'a@cars.example' },
        stock: { file: 'stock.csv', currency: 'EUR' },
        vehicles: [
          vehicle('PA22NEL', MANY.slice(0, 3)),
          vehicle('VI22DEO', [
            { id: 1300, type: 'Video', label: LABEL, mediaUrl: '{base_url}/player/1300' },
          ]),
        ],
      },
    ],
  }),
);

const addressOf = (plate: string) => `${server.url}eastgate/${vehicleSlug(plate)}/`;
const open = (plate: string, device: BrowserContextOptions) =>
  visit(browser, addressOf(plate), device);

describe('a page with 100 pictures', () => {
  it('stays small', async () => {
    const html = await readFile(path.join(output, 'eastgate/hu22drd/index.html'));
    expect(gzipSync(html, { level: 9 }).length).toBeLessThan(20_000);
    await using page = await open('HU22DRD', phoneOf(360, 740));
    expect(await page.locator('.slide .shot').count()).toBe(100);
    expect(page.requested.filter((address) => address.includes('/media/')).length).toBeLessThan(12);
  });

  it('preloads few pictures into the viewer and shows loaded ones immediately on a slow line', async () => {
    await using page = await open('HU22DRD', DESKTOP);
    // 50 kB a second, 400 ms to the server and back.
    const client = await page.context().newCDPSession(page);
    await client.send('Network.enable');
    await client.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 400,
      downloadThroughput: 50_000,
      uploadThroughput: 50_000,
    });
    await page.locator('.gallery .full').click();
    // Pictures already loaded on the page appear immediately.
    const pictures = page.locator('dialog[open] .slide img');
    expect(await loadedWidth(pictures.first())).toBeGreaterThan(0);
    for (let turn = 0; turn < 4; turn++) await page.keyboard.press('ArrowRight');
    await expectAt(page, '5 of 100');
    await expect.poll(() => loadedWidth(pictures.nth(4))).toBeGreaterThan(0);
    const loaded = new Set(page.requested.flatMap((url) => /\/media\/(.+?)-/.exec(url)?.[1] ?? []));
    expect(loaded.size).toBeLessThan(45);
    await page.keyboard.press('End');
    await expectAt(page, '100 of 100');
  });
});

/** Width of the file that a picture is shown from. */
const shownWidth = async (page: Page) => {
  const source = await sourceOf(page.locator('dialog .slide img').first());
  return Number(/-(\d+)-\w+\.webp$/.exec(source)?.[1]);
};

it('the viewer loads only the file that fits the screen and the zoom level', async () => {
  await using phone = await open('LA11RGE', PHONE);
  await phone.locator('.gallery .full').click();
  await expect.poll(() => shownWidth(phone)).toBe(1280);
  // In landscape, the picture is as high as the screen and at most 520 points wide.
  await phone.setViewportSize({ width: 844, height: 390 });
  await phone.locator('dialog .zoom').waitFor();
  expect(phone.requested.filter((url) => /-(1600|2560)-/.test(url))).toEqual([]);
  await phone.locator('dialog .zoom').tap();
  await expect.poll(() => shownWidth(phone)).toBe(2560);

  await using screen = await open('LA11RGE', { viewport: { width: 1920, height: 1080 } });
  await screen.locator('.gallery .full').click();
  await expect.poll(() => shownWidth(screen)).toBe(1600);
  expect(screen.requested.filter((url) => /-2560-/.test(url))).toEqual([]);
});

it.each([
  ['phone', phoneOf(360, 740)],
  ['phone on its side', phoneOf(740, 360)],
  ['desktop', DESKTOP],
])('names and plates of any length are shown within their boxes: %s', async (_, device) => {
  const widths = () => page.evaluate('[innerWidth, document.documentElement.scrollWidth]');
  const width = device.viewport?.width;
  await using page = await visit(browser, server.url, device);
  expect(await widths()).toEqual([width, width]);
  await page.goto(addressOf('HU22DRD'));
  const heading = await page.locator('h1').evaluate((node) => ({
    text: node.textContent,
    hidden: node.scrollHeight - node.clientHeight,
  }));
  expect(heading.text?.trim()).toBe(LISTED.replace(',', ' '));
  expect(heading.hidden).toBeLessThan(4);
  for (const plate of [LONG, '  ']) {
    await page.goto(addressOf(plate));
    expect(await widths()).toEqual([width, width]);
    // The name of the dealer, in the middle, leaves space for the names of vehicles.
    expect((await boxOf(page, '.neighbours .name')).width).toBeGreaterThan(80);
    // In a text at the right, Chromium leaves out the ellipsis of a shortened name.
    const sides = '[...document.links].map((link) => getComputedStyle(link).textAlign)';
    expect(await page.evaluate(sides)).not.toContain('right');
    const about = await boxOf(page, '.about');
    for (const selector of ['h1', '.about .plate', '.about .price']) {
      if ((await page.locator(selector).count()) === 0) continue;
      expect((await boxOf(page, selector)).right).toBeLessThanOrEqual(about.right + 1);
    }
    // Without a plate, no text may look like one.
    if (plate === LONG) expect((await boxOf(page, '.about .plate')).height).toBeLessThan(40);
    else expect(await page.locator('main .plate').count()).toBe(0);
  }
});

it('the panel that stays in view fits into a low window, with the longest name', async () => {
  await using page = await visit(browser, `${server.url}southgate/pa22nel/`, {
    viewport: { width: 1280, height: 608 },
  });
  expect((await boxOf(page, '.about')).height).toBeLessThan(608 - 24);
});

it('the play button and a long name of a video are not cut off on a small phone', async () => {
  await using page = await visit(browser, `${server.url}southgate/vi22deo/`, phoneOf(320, 640));
  const frame = await boxOf(page, '.frame');
  for (const part of ['.cta svg', '.cta span']) {
    const { y, bottom } = await boxOf(page, part);
    expect(y, part).toBeGreaterThan(frame.y);
    expect(bottom, part).toBeLessThan(frame.bottom);
  }
});

it('texts use the font of the site in every weight without layout shifts', async () => {
  await using page = await visit(browser, server.url, PHONE);
  // A first visit may end before the font is loaded. The second has it in its cache.
  await page.goto(`${server.url}eastgate/`);
  await page.evaluate('document.fonts.ready');
  expect(await page.evaluate("document.fonts.check('650 17px Site')")).toBe(true);
  const debug = await page.context().newCDPSession(page);
  await debug.send('DOM.enable');
  await debug.send('CSS.enable');
  const { root } = await debug.send('DOM.getDocument');
  const { nodeId } = await debug.send('DOM.querySelector', { nodeId: root.nodeId, selector: 'h1' });
  const { fonts } = await debug.send('CSS.getPlatformFontsForNode', { nodeId });
  expect(fonts.map(({ familyName }) => familyName)).toEqual([expect.stringMatching(/^Figtree/)]);
  expect(page.requested.filter((address) => address.includes('font.woff2')).length).toBeGreaterThan(
    0,
  );
  expect(await layoutShift(page)).toBe(0);
});
