import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { forAllTests } from '../support/for-all-tests.ts';
import { boxOf, PHONE, phoneOf, resize, visit } from '../support/page.ts';
import { sharedBrowser } from '../support/shared.ts';
import { hoursBefore, openSite, vehicle } from '../support/site.ts';

/** Dealers by the shape of their logo. */
const SHAPES = { none: 0, square: 1, wide: 4, widest: 8 } as const;
const PER_DEALER = 16;

/** A logo of dark text on a transparent background in the given shape. */
const logo = (shape: number) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${shape * 100} 100"><path fill="#111827" d="M5 5h${shape * 100 - 10}v90H5z"/></svg>`;

const plates = (dealer: number) =>
  Array.from({ length: PER_DEALER }, (_, at) => `A${'BCDE'[dealer]}${10 + at}XYZ`);

const stock = (dealer: number) =>
  [
    'plate,make,model,price',
    ...plates(dealer).map(
      (plate, at) => `${plate},${at % 3 ? 'Skoda' : 'Opel'},Octavia,${9000 + at * 500}`,
    ),
  ].join('\n');

const site = await forAllTests(
  openSite({
    dealers: Object.entries(SHAPES).map(([slug, shape], at) => ({
      id: at + 1,
      name: 'Autohaus Donaudampfschiff Nord',
      slug,
      contact: { phone: '+49 89 123456', whatsapp: '+49 170 123456', email: 'a@cars.example' },
      stock: { file: `${slug}.csv` },
      ...(shape > 0 && { logo: `${slug}.svg` }),
      vehicles: plates(at).map((plate, n) => vehicle(plate, [], hoursBefore(n))),
    })),
    files: Object.fromEntries(
      Object.entries(SHAPES).flatMap(([slug, shape], at) => [
        [`${slug}.csv`, stock(at)],
        [`${slug}.svg`, logo(shape || 1)],
      ]),
    ),
    site: { locale: 'de-DE', favourites: true, perPage: 12 },
  }),
);
const browser = await sharedBrowser();
const at = (address: string) => new URL(address, site.server.url).href;

/** Parts of the header that overlap or extend beyond the screen. */
const faultsOf = (page: Page) =>
  page.evaluate(`(() => {
    const boxes = [...document.querySelectorAll('.masthead .home > *, .masthead nav > *')]
      .map((node) => [node.outerHTML.slice(0, 60), node.getBoundingClientRect()])
      .filter(([, box]) => box.width > 1);
    const faults = boxes.filter(([, box]) => box.left < 0 || box.right > innerWidth).map(([name]) => name);
    boxes.forEach(([name, a], index) => {
      for (const [other, b] of boxes.slice(index + 1)) {
        const isOver = Math.min(a.right, b.right) - Math.max(a.left, b.left) > 0.5 &&
          Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 0.5;
        if (isOver) faults.push(name + ' / ' + other);
      }
    });
    const sideways = document.documentElement.scrollWidth - innerWidth;
    return sideways > 0 ? [...faults, 'scrolls sideways by ' + sideways] : faults;
  })()`);

/** The first vehicle of a dealer. */
const vehicleOf = (slug: string) => `${slug}/a${'bcde'[Object.keys(SHAPES).indexOf(slug)]}10xyz/`;

it.each(['square', 'wide', 'widest'] as const)(
  'shows a %s logo once, undistorted, on every phone, also with large text',
  async (slug) => {
    await using page = await visit(browser, at(`${slug}/`), PHONE);
    const client = await page.context().newCDPSession(page);
    await client.send('Page.enable');
    const name = page.locator('.masthead .home');
    const pictures = page.locator('img[src*="/logo-"]:visible');
    for (const [text, part] of [16, 32].flatMap((text) =>
      [`${slug}/`, vehicleOf(slug)].map((part) => [text, part] as const),
    )) {
      await client.send('Page.setFontSizes', { fontSizes: { standard: text } });
      await page.goto(at(part));
      for (const width of [320, 360, 412]) {
        await resize(page, width, 740);
        expect(await faultsOf(page), `${part} ${width} ${text}`).toEqual([]);
        expect(await pictures.count()).toBe(1);
        const { width: wide = 0, height = 1 } = (await pictures.boundingBox()) ?? {};
        expect(Math.abs(wide / height / SHAPES[slug] - 1)).toBeLessThan(0.05);
        expect(Math.max(wide / 176, height / 36)).toBeGreaterThan(0.5);
      }
      const alone = SHAPES[slug] > 2;
      const title = 'Autohaus Donaudampfschiff Nord';
      expect((await name.textContent())?.trim()).toBe(alone ? '' : title);
      expect(await page.locator('.masthead img').getAttribute('alt')).toBe(alone ? title : '');
      const ground = () =>
        page.evaluate(`getComputedStyle(document.querySelector('.masthead img')).backgroundColor`);
      expect(await ground()).toBe('rgba(0, 0, 0, 0)');
      for (const forcedColors of ['active', 'none'] as const) {
        await page.emulateMedia({ colorScheme: 'dark', forcedColors });
        expect(await ground()).toBe('rgb(255, 255, 255)');
      }
      await page.emulateMedia({ colorScheme: 'light' });
    }
  },
);

/** The lower edges of the fields above a list, in pixels. */
async function edgesOf(page: Page): Promise<number[]> {
  const edges: number[] = [];
  for (const field of ['.tools [type=search]', '.tools select', '.tools .filter']) {
    const box = await page.locator(field).boundingBox();
    expect(box?.height).toBeGreaterThanOrEqual(44);
    edges.push(Math.round((box?.y ?? 0) + (box?.height ?? -1)));
  }
  return edges;
}

it('a very wide logo is high enough to read on a desktop', async () => {
  await using page = await visit(browser, at('widest/'));
  expect((await boxOf(page, '.masthead img')).height).toBeGreaterThanOrEqual(34);
});

/** Adds makes to the list of makes. */
const addMakes = (page: Page) =>
  page.evaluate(`(() => {
    const list = document.querySelector('.makes ul');
    for (let n = 0; n < 9; n++) list.append(list.firstElementChild.cloneNode(true));
  })()`);

describe('vehicles come first on a phone', () => {
  it('the first card of every list starts at 260 or higher, upright or in landscape', async () => {
    const lists = Object.keys(SHAPES).flatMap((slug) => [`${slug}/`, `${slug}/page/2/`]);
    const filtered = Object.keys(SHAPES).map((slug) => `${slug}/?make=Opel`);
    await using page = await visit(browser, at(''), phoneOf(360, 740));
    const edge = async () => (await page.locator('.card').first().boundingBox())?.y;
    for (const address of ['', ...lists, ...filtered]) {
      await page.goto(at(address));
      if (address.includes('?')) await page.locator('.chip').first().waitFor();
      expect(await edge(), address).toBeGreaterThan(60);
      expect(await edge(), address).toBeLessThanOrEqual(260);
    }
    await resize(page, 740, 360);
    for (const address of ['', 'wide/']) {
      await page.goto(at(address));
      expect(await edge(), address).toBeLessThanOrEqual(260);
    }
    await resize(page, 844, 390);
    await addMakes(page);
    const rows = await page.evaluate(
      "new Set([...document.querySelectorAll('.makes li')].map((one) => one.offsetTop)).size",
    );
    expect(rows).toBe(1);
  });

  it('a name of several lines does not touch the edges of the header, and has at most three lines', async () => {
    await using page = await visit(browser, at('none/'), phoneOf(360, 740));
    await page.evaluate(
      "document.querySelector('.home span').textContent += ' und Autohaus Donaudampfschiff Süd GmbH & Co. KG'",
    );
    const header = await boxOf(page, '.masthead');
    const name = await boxOf(page, '.home span');
    expect(name.height).toBeGreaterThan(50);
    expect(name.height).toBeLessThan(60);
    expect(name.y - header.y).toBeGreaterThanOrEqual(4);
  });

  it('the header of a vehicle is one row, without the second link to the list', async () => {
    await using page = await visit(browser, at(''), phoneOf(320, 568));
    for (const slug of Object.keys(SHAPES)) {
      await resize(page, 360, 740);
      await page.goto(at(vehicleOf(slug)));
      if (slug.startsWith('wide')) {
        expect((await boxOf(page, '.masthead')).height).toBeLessThanOrEqual(60);
      }
      await resize(page, 320, 568);
      const home = await boxOf(page, '.masthead .home');
      expect((await boxOf(page, '.masthead nav')).x).toBeGreaterThanOrEqual(home.right);
      expect(await page.locator('.masthead .stock').isVisible()).toBe(false);
      await page.locator('.masthead .home').click();
      await page.waitForURL(at(`${slug}/`));
    }
  });

  it('search, order and filter are in one row, also on a tablet, and stay above the vehicles', async () => {
    await using page = await visit(browser, at('wide/'), phoneOf(768, 1024));
    expect(new Set(await edgesOf(page)).size).toBe(1);
    await resize(page, 360, 740);
    await page.evaluate('scrollTo(0, 1500)');
    expect(new Set(await edgesOf(page)).size).toBe(1);
    expect((await boxOf(page, '.tools select')).y).toBeLessThan(20);
    expect(Math.round((await boxOf(page, 'main > .bar')).bottom)).toBe(740);
    // At 400 % of a laptop, nothing is sticky.
    await resize(page, 320, 256);
    await page.evaluate('scrollTo(0, 1500)');
    for (const part of ['.tools', 'main > .bar']) {
      const { y, bottom } = await boxOf(page, part);
      expect(bottom < 0 || y > 256, part).toBe(true);
    }
  });

  it('a search with results and filters leaves the search field its width', async () => {
    await using page = await visit(browser, at('wide/'), phoneOf(412, 900));
    const before = await boxOf(page, '.tools [type=search]');
    await page.goto(at('wide/?q=opel&make=Opel'));
    await page.locator('.result', { hasText: /\d/ }).waitFor();
    // Only the number of active filters needs space.
    const { width } = await boxOf(page, '.tools [type=search]');
    expect(width).toBeGreaterThan(before.width - 40);
    expect(new Set(await edgesOf(page)).size).toBe(1);
  });

  it('the keyboard never focuses a link or button below the sticky fields, or a make out of view', async () => {
    await using page = await visit(browser, at(''), phoneOf(360, 740));
    await page.locator('.dealers a').last().focus();
    let stops = 0;
    while (await page.locator('main :focus').count()) {
      const { top, lower, isTool } = (await page.evaluate(`(() => {
        const tools = document.querySelector('.tools');
        const { activeElement } = document;
        const { top } = activeElement.getBoundingClientRect();
        const lower = tools.getBoundingClientRect().bottom;
        return { top, lower, isTool: tools.contains(activeElement) };
      })()`)) as { top: number; lower: number; isTool: boolean };
      if (isTool) break;
      expect(top).toBeGreaterThanOrEqual(lower);
      stops++;
      await page.keyboard.press('Shift+Tab');
    }
    expect(stops).toBeGreaterThan(10);
    await page.goto(at('wide/'));
    await addMakes(page);
    await page.locator('.filter').focus();
    for (let n = 0; n < 10; n++) {
      await page.keyboard.press('Tab');
      const { x = -1, width = 0 } = (await page.locator('.makes a:focus').boundingBox()) ?? {};
      expect([x >= 0, x + width <= 360]).toEqual([true, true]);
    }
  });

  it('shows the number of active filters and a link to the first result', async () => {
    await using page = await visit(browser, at('wide/'), phoneOf(360, 740));
    const filter = page.locator('.tools .filter');
    expect(await filter.textContent()).not.toMatch(/\d/);
    await page.evaluate('scrollTo(0, 1500)');
    await filter.click();
    await page.locator('.filters .check', { hasText: 'Opel' }).locator('input').click();
    await page.locator('.filters .shown', { hasText: /\b6\b/ }).click();
    await expect.poll(() => filter.locator('b').textContent()).toBe('1');
    await expect.poll(() => page.locator('.card').count()).toBe(6);
    const inView = async () => {
      const card = await page.locator('.card').first().boundingBox();
      const tools = await page.locator('.tools').boundingBox();
      return card && tools && card.y >= tools.y + tools.height && card.y < 300;
    };
    await expect.poll(inView).toBe(true);
  });

  it('"show all" on the front page shows every counted vehicle, also without a filter', async () => {
    await using page = await visit(browser, at(''), phoneOf(360, 740));
    expect(await page.locator('.card').count()).toBe(8);
    await page.locator('.tools .filter').click();
    await page.locator('.filters .shown', { hasText: /64/ }).click();
    await expect.poll(() => page.locator('.card').count()).toBe(48);
    expect(await page.locator('.result').textContent()).toContain('64');
    await page.reload();
    await expect.poll(() => page.locator('.card').count()).toBe(48);
  });
});
