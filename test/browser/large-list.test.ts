import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { MediaItem } from '../../src/contract/media.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { boxOf, cutOutlines, PHONE, resize, tick, visit } from '../support/page.ts';
import { sharedBrowser } from '../support/shared.ts';
import { hoursBefore, NORTHGATE, openSite, pictures, vehicle } from '../support/site.ts';

/** With a last page of a few vehicles, and gaps between links to pages. `npm run bench -- search` has longer lists. */
const VEHICLES = 250;
const PER_PAGE = 24;
const MAKES = 45;
const SHARED = 12;

/** A plate with a unique prefix, by position in the list: AA10AAA, AB10AAA, … */
function plate(index: number): string {
  const letter = (n: number) => String.fromCharCode(65 + (n % 26));
  return `${letter(Math.floor(index / 26))}${letter(index)}${10 + (index % 90)}${letter(index * 7)}${letter(index * 11)}${letter(Math.floor(index / 676))}`;
}

/** Twelve pictures shared by all vehicles, because this test is about the list. */
const PICTURES = pictures(100, SHARED);
const VIDEO: MediaItem = {
  id: 99,
  type: 'Video',
  label: 'Walkaround',
  mediaUrl: '{base_url}/player/99',
};

const picturesOf = (index: number) =>
  PICTURES.slice(index % SHARED)
    .concat(PICTURES.slice(0, index % SHARED))
    .slice(0, 1 + (index % 9));
const hasVideo = (index: number) => index % 8 === 0;
const price = (index: number) => 3000 + ((index * 7919) % 40_000);

const vehicles = Array.from({ length: VEHICLES }, (_, index) =>
  vehicle(
    plate(index),
    [...(hasVideo(index) ? [VIDEO] : []), ...picturesOf(index)],
    hoursBefore(index),
  ),
);
const rows = vehicles.map(
  ({ vrm }, index) => `${vrm},Make ${index % MAKES},Wren,${2010 + (index % 16)},${price(index)}`,
);

const browser = await sharedBrowser();
const { server, output } = await forAllTests(
  openSite({
    files: { 'stock.csv': ['Plate,Make,Model,Year,Price', ...rows].join('\n') },
    dealers: [
      {
        ...NORTHGATE,
        vehicles,
        stock: { file: 'stock.csv', columns: { plate: 'Plate' } },
      },
    ],
    service: { pictureScale: 0.25 },
  }),
);

const list = () => `${server.url}northgate/`;
const first = (page: Page) => page.locator('.card .plate').first().textContent();
const shownPlate = (index: number) => plate(index).replace(/^(....)/, '$1 ');

/**
 * Types a text. Returns the number of list updates, the number of inserted cards, and the frame after the
 * event that showed the result: 0 is the next drawn frame.
 */
const TYPE = `(text) => new Promise((resolve) => {
  const field = document.querySelector('[name=q]');
  const list = document.querySelector('.cards');
  const result = document.querySelector('.result');
  const done = { frames: 0, changes: 0, cards: 0 };
  const count = (records) => {
    for (const { target, addedNodes } of records) {
      if (target !== list) continue;
      done.changes++;
      done.cards += addedNodes.length;
    }
  };
  const watch = new MutationObserver(count);
  watch.observe(list, { childList: true });
  const before = result.firstChild;
  field.value = text;
  field.dispatchEvent(new InputEvent('input', { bubbles: true }));
  const frame = () => {
    if (result.firstChild === before) {
      done.frames++;
      return requestAnimationFrame(frame);
    }
    count(watch.takeRecords());
    watch.disconnect();
    resolve(done);
  };
  requestAnimationFrame(frame);
})`;

/** Most cards that a list shows at once. */
const SHOWN = 24;

describe(`a list of ${VEHICLES} vehicles`, () => {
  it('leads to the last vehicle by links only', async () => {
    const seen = new Set<string>();
    let pages = 0;
    for (let address: string | undefined = list(); address !== undefined; pages++) {
      const html: string = await (await fetch(address)).text();
      const cards = html.matchAll(/<li class="card".*>\s*<a href="(.+?)"/g);
      for (const [, link = ''] of cards) seen.add(link);
      const next: string | undefined = /<a href="(.+?)" rel="next"/.exec(html)?.[1];
      address = next && new URL(next, address).href;
    }
    expect(pages).toBe(Math.ceil(VEHICLES / PER_PAGE));
    expect(seen.size).toBe(VEHICLES);
    expect(seen).toContain(`/northgate/${plate(VEHICLES - 1).toLowerCase()}/`);
  });

  it('has each page at most two clicks away, the last one only one', async () => {
    const clicks = new Map([[list(), 0]]);
    for (const [address, before] of clicks) {
      const html = await (await fetch(address)).text();
      for (const [, link = ''] of html.matchAll(/<a href="([^"]*\/page\/\d+\/)"/g)) {
        const url = new URL(link, address).href;
        if (!clicks.has(url)) clicks.set(url, before + 1);
      }
    }
    expect(clicks.size).toBe(Math.ceil(VEHICLES / PER_PAGE));
    expect(Math.max(...clicks.values())).toBe(2);
    await using page = await visit(browser, list(), { ...PHONE, javaScriptEnabled: false });
    expect(await page.locator('.tools').isVisible()).toBe(false);
    await page.locator('.pages a:not([rel])').last().click();
    await page.locator(`.card a[href$="/${plate(VEHICLES - 1).toLowerCase()}/"]`).click();
    expect(await page.locator('h1').textContent()).toContain(`Make ${(VEHICLES - 1) % MAKES} Wren`);
  });

  it('finds a plate on another page in the next frame and renders only visible cards', async () => {
    await using page = await visit(browser, list());
    const type = (text: string) =>
      page.evaluate<{ frames: number; changes: number; cards: number }>(
        `(${TYPE})(${JSON.stringify(text)})`,
      );
    const wanted = shownPlate(VEHICLES - 7);
    // The first letter loads the index. Later letters use it.
    await type(wanted.slice(0, 1));
    expect(page.requested.filter((address) => address.endsWith('.json'))).toHaveLength(1);
    const asked = page.requested.length;
    for (let end = 2; end <= wanted.length; end++) {
      const { frames, changes, cards } = await type(wanted.slice(0, end));
      expect({ frames, changes }).toEqual({ frames: 0, changes: 1 });
      expect(cards).toBeLessThanOrEqual(SHOWN);
    }
    expect(page.requested.slice(asked).filter((address) => !address.includes('/media/'))).toEqual(
      [],
    );
    expect(await first(page)).toBe(wanted);
    expect(await page.locator('.result').textContent()).toBe('1 vehicle found');
  });

  it('sorts and filters all vehicles, including other pages', async () => {
    await using page = await visit(browser, list());
    const sort = page.locator('[name=sort]');
    const places = Array.from({ length: VEHICLES }, (_, index) => index);
    await sort.selectOption('oldest');
    await expect.poll(() => first(page)).toBe(shownPlate(VEHICLES - 1));
    await sort.selectOption('price-up');
    const [cheapest = 0] = places.toSorted((a, b) => price(a) - price(b));
    await expect.poll(() => first(page)).toBe(shownPlate(cheapest));
    await tick(page, 'With video');
    const found = places.filter(hasVideo).length;
    await expect.poll(() => page.locator('.result').textContent()).toBe(`${found} vehicles found`);
    // A first screen of cards is drawn before the others.
    await expect.poll(() => page.locator('.card').count()).toBe(SHOWN);
    expect(await page.locator('.card .film').count()).toBe(SHOWN);
    const more = page.locator('button.more');
    while (await more.isVisible()) await more.click();
    expect(await page.locator('.card').count()).toBe(found);
  });

  it('many makes neither push the vehicles down nor the prices of the filters', async () => {
    await using page = await visit(browser, list());
    expect((await boxOf(page, '.makes')).height).toBeLessThan(200);
    await resize(page, 360, 640);
    await page.locator('.filter').click();
    await expect.poll(() => page.locator('.check').count()).toBeGreaterThan(MAKES);
    const makes = await boxOf(page, '.facets fieldset');
    expect((await boxOf(page, '[name=price-from]')).y - makes.y).toBeLessThan(450);
    // The last visible make is cut off, to show that the list continues.
    const names = page.locator('.check span');
    const boxes = await Promise.all((await names.all()).map((name) => name.boundingBox()));
    const cut = boxes.filter(
      (box) => box && box.y < makes.bottom && box.y + box.height > makes.bottom,
    );
    expect(cut).toHaveLength(1);
    expect((await cutOutlines(page)).filter((control) => control.includes('box'))).toEqual([]);
  });

  it('keeps every page and the search index small', async () => {
    const weigh = (text: string) => gzipSync(text, { level: 6 }).length;
    /** Simulates pictures that are not shared: names of covers hardly compress. */
    const withOwnCovers = (text: string, end: string) =>
      text
        .split(end)
        .map((row, at) => {
          const hash = createHash('sha256').update(`cover ${at}`).digest('hex');
          return row.replace(
            /\/media\/\w\w\/\w{18}/g,
            `/media/${hash.slice(0, 2)}/${hash.slice(2, 20)}`,
          );
        })
        .join(end);
    const read = (file: string) => readFile(path.join(output, 'northgate', file), 'utf8');
    const page = weigh(withOwnCovers(await read('index.html'), '</li>'));
    const { columns, vehicles, ...others } = JSON.parse(await read('index.json'));
    const covers = Array.from({ length: vehicles }, (_, at) =>
      createHash('sha256').update(`cover ${at}`).digest('hex').slice(0, 21),
    );
    const index = weigh(JSON.stringify({ ...others, vehicles, columns: { ...columns, covers } }));
    const plates = weigh(await read('plates.json'));
    expect(page).toBeLessThan(8000);
    // Less than 30 bytes per vehicle, and some texts.
    expect(index).toBeLessThan(1500 + 30 * VEHICLES);
    expect(plates).toBeLessThan(20 * VEHICLES);
  });
});
