import { PDFiumLibrary } from '@hyzyla/pdfium';
import jsqr from 'jsqr';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { forAllTests } from '../support/for-all-tests.ts';
import { DESKTOP, PHONE, visit } from '../support/page.ts';
import { sharedBrowser, sharedShowroom } from '../support/shared.ts';
import { PLATES } from '../support/showroom.ts';

const browser = await sharedBrowser();
const showroom = await sharedShowroom();
const pdfium = await forAllTests(
  PDFiumLibrary.init().then((library) => ({
    library,
    [Symbol.asyncDispose]: async () => library.destroy(),
  })),
);

// Its types wrongly declare an ES module.
const decode = jsqr as unknown as typeof jsqr.default;

/** The QR code on a rendered paper, which is black on white. */
const readCode = ({ data, width, height }: { data: Uint8Array; width: number; height: number }) =>
  decode(new Uint8ClampedArray(data), width, height, { inversionAttempts: 'dontInvert' });

const address = (plate: string) => `${showroom.server.url}northgate/${plate.toLowerCase()}/`;

/** Dots per millimetre of the rendered paper, like an office printer in draft mode. */
const DOTS = 150 / 25.4;

/** The paper of a printed page. */
async function paperOf(page: Page, format: 'A4' | 'A5') {
  const document = await pdfium.library.loadDocument(await page.pdf({ format }));
  const papers = [...document.pages()];
  return Object.assign(papers, { [Symbol.dispose]: () => document.destroy() });
}

interface Printed {
  pages: number;
  /** Share of the upper half that is not white: text covers only a twentieth. */
  inked: number;
  /** Content of the QR code and its width without the margin, in millimetres. */
  code: { text: string; width: number } | undefined;
}

async function print(page: Page, format: 'A4' | 'A5'): Promise<Printed> {
  using papers = await paperOf(page, format);
  const { length: pages } = papers;
  const [first] = papers;
  if (!first) throw new Error('Nothing was printed');
  const paper = await first.render({ scale: (DOTS * 25.4) / 72, render: 'bitmap' });
  const upper = paper.data.subarray(0, Math.floor(paper.height / 2) * paper.width * 4);
  const inked = upper.filter((value) => value < 250).length / upper.length;
  const found = readCode(paper);
  if (!found) return { pages, inked, code: undefined };
  const { topLeftCorner: left, topRightCorner: right } = found.location;
  const dots = Math.hypot(right.x - left.x, right.y - left.y);
  return { pages, inked, code: { text: found.data, width: dots / DOTS } };
}

/** Content that is hard to lay out on a sheet. */
const HARD = {
  'as it is': '',
  'long names': `
    const long = 'Donaudampfschifffahrtsgesellschaft Plug-in-Hybrid Premium Plus ';
    document.querySelector('.sheet-name').textContent = long.repeat(6);
    document.querySelector('.sheet-dealer b').textContent = long.repeat(3);
    document.querySelector('.sheet-price').textContent = long;
    document.querySelector('.sheet-address').textContent = 'cars.example/' + 'long-'.repeat(60);`,
  'many facts': `
    const facts = document.querySelector('.sheet-facts');
    for (let n = 0; n < 60; n++) {
      const row = facts.firstElementChild.cloneNode(true);
      row.querySelector('dd').textContent = 'Something about it '.repeat(1 + (n % 4));
      facts.append(row);
    }`,
  'neither price nor picture': `
    for (const part of document.querySelectorAll('.sheet-price, .sheet-picture')) part.remove();`,
};

describe.each([
  ['', Object.keys(HARD)],
  ['sticker/', ['as it is', 'many facts']],
])('a vehicle is printed on one page from its URL /%s', (below, kinds) => {
  it.each(kinds)('%s', async (kind) => {
    await using page = await visit(browser, `${address(PLATES.mixed)}${below}`);
    await page.evaluate(`{${HARD[kind as keyof typeof HARD]}}`);
    for (const format of ['A4', 'A5'] as const) {
      const { pages, inked, code } = await print(page, format);
      expect(pages).toBe(1);
      expect(inked > 0.15).toBe(kind !== 'neither price nor picture');
      expect(code?.text).toBe(address(PLATES.mixed));
      expect(code?.width).toBeGreaterThan(format === 'A4' ? 40 : 28);
    }
  });
});

it('6, 9 and 20 facts fill rows of even columns below a long name', async () => {
  await using page = await visit(browser, `${address(PLATES.mixed)}sticker/`);
  const name = 'Autohaus Gebrüder Vorderbrandner und Söhne GmbH & Co. KG, Niederlassung Süd';
  for (const rows of [
    [3, 3],
    [3, 3, 3],
    [4, 4, 4, 4, 4],
  ]) {
    const count = rows.reduce((sum, row) => sum + row);
    const layout = await page.evaluate(`(() => {
      const facts = document.querySelector('.sheet-facts');
      while (facts.childElementCount < ${count}) facts.append(facts.firstElementChild.cloneNode(true));
      const [dealer] = document.querySelectorAll('.sheet-dealer b');
      dealer.textContent = ${JSON.stringify(name)};
      const text = document.createRange();
      text.selectNodeContents(dealer);
      const box = dealer.getBoundingClientRect();
      const rows = Object.groupBy(facts.children, (one) => one.getBoundingClientRect().top);
      return {
        nameFits: text.getBoundingClientRect().right <= box.right + 0.5,
        rows: Object.values(rows).map((row) => row.length),
        columns: new Set([...facts.children].map((one) => one.getBoundingClientRect().width)).size,
        cut: facts.scrollHeight - facts.clientHeight + facts.scrollWidth - facts.clientWidth,
        picture: document.querySelector('.sheet-picture').clientHeight / facts.clientHeight > 0.5,
      };
    })()`);
    expect(layout).toEqual({ nameFits: true, rows, columns: 1, cut: 0, picture: true });
  }
});

it('vehicles without media, with only a video or with 30 pictures are also printed on one page', async () => {
  await using page = await visit(browser, showroom.server.url, { colorScheme: 'dark' });
  for (const plate of [PLATES.empty, PLATES.onlyVideo, PLATES.thirty]) {
    await page.goto(address(plate));
    const { pages, code } = await print(page, 'A4');
    expect([pages, code?.text]).toEqual([1, address(plate)]);
  }
});

it('all vehicles of a dealer are printed from one page, each on its own paper, without sold ones', async () => {
  await using page = await visit(browser, `${showroom.server.url}northgate/sticker/`);
  const sheets = await page.locator('.sheet').count();
  // A phone also scans the screen, even in forced colours.
  await page.emulateMedia({ colorScheme: 'dark', forcedColors: 'active' });
  const shown = sharp(await page.locator('.sheet svg').first().screenshot())
    .ensureAlpha()
    .raw();
  const { data, info } = await shown.toBuffer({ resolveWithObject: true });
  expect(readCode({ ...info, data })?.data).toContain('/northgate/');
  expect(sheets).toBe(showroom.service.data.dealers[0]?.vehicles.length);
  using papers = await paperOf(page, 'A4');
  const codes = [];
  for (const paper of papers) {
    codes.push(readCode(await paper.render({ scale: 1.25, render: 'bitmap' }))?.data);
  }
  expect(codes).toHaveLength(sheets);
  expect(new Set(codes).size).toBe(sheets);
  expect(codes).toContain(address(PLATES.mixed));
});

describe('on paper', () => {
  it('a picture in portrait format is whole', async () => {
    await using page = await visit(browser, `${showroom.server.url}riverside/rs51tuv/`);
    const fit = "getComputedStyle(document.querySelector('.sheet-picture img')).objectFit";
    expect(await page.evaluate(fit)).toBe('contain');
  });

  it('no card of a list is cut by the end of a sheet', async () => {
    await using page = await visit(browser, `${showroom.server.url}northgate/make/skoda/`);
    // The sheet ends between name and price of the second row.
    await page.evaluate(`for (const name of document.querySelectorAll('.card .name')) {
      name.style.height = '2.5cm';
    }`);
    using papers = await paperOf(page, 'A5');
    const counts = papers.map((paper) => {
      const text = paper.getText();
      return [/(?:Superb|Octavia|Fabia)/g, /,995/g].map((part) => text.match(part)?.length ?? 0);
    });
    expect(counts.filter(([names]) => names)).toEqual([
      [2, 2],
      [1, 1],
    ]);
  });

  it('a light logo has its dark plate without printed backgrounds, and a heading is above its text', async () => {
    await using page = await visit(browser, `${showroom.server.url}northgate/`);
    await page.evaluate(`document.querySelector('main').innerHTML =
        '<p class="on-dark"></p><p></p><h2>Branches</h2><p>Riverside Motors</p>';
      [5, 11, 5].forEach((height, index) => {
        const { style } = document.querySelectorAll('main p')[index];
        style.height = height + 'cm';
        style.breakInside = 'avoid';
      });`);
    using papers = await paperOf(page, 'A5');
    const texts = papers.map((paper) => paper.getText());
    expect(texts.findIndex((text) => text.includes('Riverside'))).toBe(1);
    expect(texts.findIndex((text) => text.includes('Branches'))).toBe(1);
    const { data } = (await papers[0]?.render({ scale: 1, render: 'bitmap' })) ?? { data: [] };
    const dark = [...data].filter((value) => value < 60).length / data.length;
    expect(dark).toBeGreaterThan(0.1);
  });

  it('only the sheet is printed, black on white, even if the screen is dark', async () => {
    await using page = await visit(browser, address(PLATES.mixed), { colorScheme: 'dark' });
    expect(await page.locator('.sheet').isVisible()).toBe(false);
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    expect(await page.locator('.sheet-name').textContent()).toBe('Albion Wren');
    const text = await page.locator('.sheet :is(b, span, p, dd)').allTextContents();
    const parts = ['Northgate Cars', '+44 1632 960001', '£14,995', 'AB12 CDE', '21,000 miles'];
    expect(text).toEqual(expect.arrayContaining(parts));
    const shown = await page.evaluate(`[...document.querySelectorAll('body *')]
      .filter((node) => !node.closest('.sheet') && !node.querySelector('.sheet') && node.checkVisibility())
      .map((node) => node.outerHTML.slice(0, 80))`);
    expect(shown).toEqual([]);
    const pale =
      await page.evaluate(`[...document.querySelectorAll('.sheet p, .sheet dt, .sheet dd')]
      .map((node) => getComputedStyle(node).color.match(/\\d+/g).slice(0, 3).map(Number))
      .filter((rgb) => rgb.some((value) => value > 130)).length`);
    expect(pale).toBe(0);
    const paper = await page.evaluate(`getComputedStyle(document.body).backgroundColor`);
    expect(paper).toBe('rgb(255, 255, 255)');
  });

  it.each([DESKTOP, PHONE])(
    'the printed picture is already loaded by the gallery',
    async (device) => {
      await using page = await visit(browser, address(PLATES.mixed), device);
      const sources = await page.evaluate(
        `['.slide img', '.sheet-picture img'].map((image) => document.querySelector(image).currentSrc)`,
      );
      const [first, second] = sources as string[];
      expect(first).toContain('/media/');
      expect(second).toBe(first);
    },
  );
});
