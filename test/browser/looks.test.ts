import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import {
  boxOf,
  brokenWords,
  DESKTOP,
  enlargeText,
  phoneOf,
  resize,
  visit,
  wrongSizes,
} from '../support/page.ts';
import { sharedBrowser, sharedShowroom } from '../support/shared.ts';
import { PLATES } from '../support/showroom.ts';

const browser = await sharedBrowser();
const showroom = await sharedShowroom();

const list = `${showroom.server.url}northgate/`;
const vehicle = `${list}${PLATES.mixed.toLowerCase()}/`;

/** Pairs of overlapping texts or buttons in the gallery. */
const collisions = (page: Page, root: string) =>
  page.evaluate(`(() => {
    const root = document.querySelector(${JSON.stringify(root)});
    const { left, right } = root.querySelector('.stage').getBoundingClientRect();
    const shown = [...root.querySelectorAll('.controls > *, .watch, .cta svg, .cta span')]
      .map((node) => [node.className.baseVal ?? (node.className || node.textContent), node.getBoundingClientRect()])
      .filter(([, box]) => box.width > 0 && box.right > left + 1 && box.left < right - 1);
    return shown.flatMap(([name, a], index) =>
      shown
        .slice(index + 1)
        .filter(
          ([, b]) =>
            Math.min(a.right, b.right) - Math.max(a.left, b.left) > 0.5 &&
            Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 0.5,
        )
        .map(([other]) => name + ' / ' + other),
    );
  })()`);

it('text of 200 % on a small phone breaks no plate and no name of a fact, and cuts off no price and no name', async () => {
  await using page = await visit(browser, vehicle, phoneOf(320, 568));
  const columns = () =>
    page
      .locator('.details .facts > div')
      .evaluateAll((facts) => new Set(facts.map((fact) => fact.getBoundingClientRect().x)).size);
  expect(await columns()).toBe(2);
  await enlargeText(page);
  const right = await page.evaluate(`(() => {
    const price = document.querySelector('.about .price');
    price.textContent = '129\u00a0900\u00a0PLN';
    const text = document.createRange();
    text.selectNodeContents(price);
    return text.getBoundingClientRect().right;
  })()`);
  expect(right).toBeLessThanOrEqual(320);
  await resize(page, 360, 740);
  await page.goto(vehicle);
  expect(await columns()).toBe(1);
  expect(await brokenWords(page)).toEqual([]);
  await page.goto(list);
  const cutOff = await page.evaluate(`(() => {
    const name = document.querySelector('.card .name');
    name.textContent = 'Mercedes-Benz C 200 AMG Line 9G-Tronic';
    return name.scrollHeight - name.clientHeight;
  })()`);
  expect(cutOff).toBeLessThan(4);
  const lines = await page
    .locator('.line .plate')
    .evaluateAll((plates) => plates.map((plate) => plate.getClientRects()[0]?.height ?? 0));
  expect(lines.length).toBeGreaterThan(0);
  expect(Math.max(...lines)).toBeLessThan(60);
});

it.each([
  ['desktop', DESKTOP],
  ['small window', { viewport: { width: 700, height: 600 } }],
  ['small phone', phoneOf(320, 568)],
  ['phone on its side', phoneOf(844, 390)],
] as const)('nothing in the gallery overlaps, also with large text: %s', async (_, device) => {
  await using page = await visit(browser, vehicle, device);
  for (const [at, hash] of ['', '#2', '', '#2'].entries()) {
    if (at === 2) await enlargeText(page);
    await page.goto('about:blank');
    await page.goto(`${vehicle}${hash}`);
    expect(await collisions(page, '.gallery')).toEqual([]);
    // All texts of a video are within the stage.
    const label = page.locator('.cta').first();
    expect(await label.evaluate((cta) => cta.scrollHeight - cta.clientHeight)).toBeLessThan(2);
    await page.locator('.gallery .full').click();
    await expect.poll(() => page.locator('dialog[open]').count()).toBe(1);
    expect(await collisions(page, 'dialog')).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
  }
});

/** Texts that extend beyond the screen outside of a scrollable element. */
const BEYOND = `[...document.querySelectorAll('body *')]
  .filter((node) => !node.closest('.stage, .strip, .makes, textarea, pre'))
  .filter((node) => node.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
  .filter((node) => node.checkVisibility() && node.getBoundingClientRect().width > 1)
  .map((node) => node.outerHTML.slice(0, 80))`;

it.each([
  ['usual', 16],
  ['large', 32],
] as const)('everything fits on a small phone, %s text', async (_, standard) => {
  const kinds = ['', 'northgate/', `northgate/${PLATES.mixed.toLowerCase()}/`, 'privacy/'];
  const more = ['northgate/gh78jkl/', 'northgate/make/skoda/', 'northgate/embed/', '404.html'];
  await using page = await visit(browser, showroom.server.url, phoneOf(320, 568));
  const client = await page.context().newCDPSession(page);
  await client.send('Page.setFontSizes', { fontSizes: { standard } });
  for (const kind of [...kinds, ...more]) {
    expect((await page.goto(showroom.server.url + kind))?.ok(), kind).toBe(true);
    expect(await page.evaluate(BEYOND), kind).toEqual([]);
  }
  await page.goto(list);
  await page.locator('.filter').click();
  await page.locator('.filters fieldset').first().waitFor();
  expect(await page.evaluate(BEYOND)).toEqual([]);
  // Most of the screen shows values.
  const space = () => page.locator('.facets').evaluate((one) => one.clientHeight);
  expect(await space()).toBeGreaterThan(200);
  // No word is broken between letters.
  const shown = page.locator('.filters .shown');
  expect(await shown.evaluate((one) => one.clientHeight)).toBeLessThan(standard * 7);
  // Zoomed to 400 %, the buttons scroll with the values.
  await resize(page, 320, 256);
  expect(await space()).toBeGreaterThan(200);
});

it("only the first contact button has the dealer's colour", async () => {
  await using page = await visit(browser, vehicle);
  const brand = await page.evaluate(`(() => {
    const probe = document.body.appendChild(document.createElement('i'));
    probe.style.background = 'var(--brand)';
    return getComputedStyle(probe).backgroundColor;
  })()`);
  const coloured = () =>
    page.locator('.about .contacts .button').evaluateAll((all, colour) => {
      const { getComputedStyle } = globalThis as unknown as {
        getComputedStyle(node: unknown): { backgroundColor: string };
      };
      return all.map((one) => getComputedStyle(one).backgroundColor === colour);
    }, brand);
  const [first, ...others] = await coloured();
  expect([first, others.includes(true), others.length > 0]).toEqual([true, false, true]);
  // A dealer without a phone.
  await page.evaluate("document.querySelector('.about .contacts li').remove()");
  expect((await coloured())[0]).toBe(true);
});

/** Luminance contrast of two computed colours, as WCAG 2 counts it. */
const CONTRAST = `(a, b) => {
  const luminance = (colour) => {
    const [r, g, b] = colour.match(/[\\d.]+/g).map((part) => {
      const value = part / 255;
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}`;

it('the hint in the search field is legible in light and dark mode', async () => {
  await using page = await visit(browser, list);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const contrast = await page.evaluate(`(() => {
      const field = document.querySelector('[name=q]');
      const { color, opacity } = getComputedStyle(field, '::placeholder');
      if (opacity !== '1') return 0;
      return (${CONTRAST})(color, getComputedStyle(field).backgroundColor);
    })()`);
    expect(contrast, colorScheme).toBeGreaterThan(4.5);
  }
});

it('buttons with and without an icon are in line, also in a text', async () => {
  await using page = await visit(browser, vehicle);
  const edges = await page.evaluate(`(() => {
    const text = document.querySelector('main').appendChild(document.createElement('p'));
    text.innerHTML = '<a class="button">A</a> <a class="button"><svg></svg>B</a>';
    return [...text.children].map((one) => one.offsetTop);
  })()`);
  expect(new Set(edges as number[]).size).toBe(1);
});

it('the play icon of a video is filled everywhere', async () => {
  await using page = await visit(browser, list);
  for (const [url, icon] of [
    [list, '.card .film svg'],
    [vehicle, '.cta svg'],
    [vehicle, '.strip svg'],
  ] as const) {
    await page.goto(url);
    // Isolated, enlarged, black on white: is its middle filled?
    await page.evaluate(`(() => {
      const svg = document.querySelector(${JSON.stringify(icon)});
      Object.assign(svg.style, {
        position: 'fixed', inset: '0 auto auto 0', zIndex: 99, width: '100px', height: '100px',
        padding: 0, borderRadius: 0, background: '#fff', color: '#000',
      });
      document.body.append(svg);
    })()`);
    const middle = await page.screenshot({ clip: { x: 45, y: 45, width: 10, height: 10 } });
    const { channels } = await sharp(middle).stats();
    expect(channels[0]?.max, icon).toBeLessThan(60);
  }
});

it('in forced colours, the current thumbnail and page are visible, and marks are opaque', async () => {
  await using page = await visit(browser, vehicle, { forcedColors: 'active' });
  // Forced colours remove shadows and backgrounds.
  const lines = (selector: string) =>
    page.evaluate(`(() => {
      const node = document.querySelector(${JSON.stringify(selector)});
      const { borderTop, borderTopWidth, outline, outlineStyle } = getComputedStyle(node);
      return [borderTopWidth === '0px' || borderTop, outlineStyle === 'none' || outline];
    })()`);
  const others = '.strip a:not([aria-current])';
  expect(await lines('.strip [aria-current]')).not.toEqual(await lines(others));
  await page.goto(list);
  expect(await lines('.pages .current')).not.toEqual(await lines('.pages a:not([rel])'));
  const grounds = await page.evaluate<string[]>(
    `[...document.querySelectorAll('.badges > span, .card > .heart')].map((mark) => getComputedStyle(mark).backgroundColor)`,
  );
  expect(new Set(grounds)).toEqual(new Set(['rgb(255, 255, 255)']));
});

it('a vehicle in windows of unusual shapes: edges, a dark ground, a common left edge', async () => {
  await using page = await visit(browser, vehicle);
  // The icons below the contacts are in line with the name.
  const icon = await boxOf(page, '.actions svg');
  expect(Math.abs(icon.x - (await boxOf(page, 'h1')).x)).toBeLessThan(1);
  // The picture reaches both edges of a low, narrow window.
  await resize(page, 480, 320);
  expect(await boxOf(page, '.frame')).toMatchObject({ x: 0, width: 480 });
  // Beside a picture of another shape, the gallery is dark.
  await using phone = await visit(browser, vehicle, phoneOf(844, 390));
  const { x, y, width, height } = await boxOf(phone, '.frame');
  expect(width / height).toBeGreaterThan(1.5);
  const clip = { x: x + 4, y: y + height / 2, width: 6, height: 6 };
  const { channels } = await sharp(await phone.screenshot({ clip })).stats();
  expect(Math.max(...channels.slice(0, 3).map(({ max }) => max))).toBeLessThan(100);
});

const WIDTHS = [
  320, 360, 390, 480, 545, 640, 700, 768, 830, 900, 1024, 1100, 1180, 1280, 1440, 1920,
];

it.each([
  ['front', ''],
  ['list', 'northgate/'],
  ['vehicle', `northgate/${PLATES.mixed.toLowerCase()}/`],
  ['vehicle with a first picture in portrait format', 'riverside/rs51tuv/'],
  ['shown picture of a vehicle', `northgate/${PLATES.thirty.toLowerCase()}/#2`],
  ['withdrawn vehicle', 'northgate/zz99old/'],
])('pictures are loaded in their displayed size on screens of any width: %s', async (_, part) => {
  await using page = await visit(browser, showroom.server.url + part);
  for (const width of WIDTHS) {
    for (const height of [Math.round(width * 0.48), 900]) {
      await page.setViewportSize({ width, height });
      const wrong = await wrongSizes(page);
      // The picture that a link names may also be larger, because it was not in its place when the page was built.
      const blurred = wrong.filter((line) => !part.includes('#') || line.includes(' 0.'));
      expect(blurred, `${width} × ${height}`).toEqual([]);
    }
  }
});

it.each([
  ['the current thumbnail in the viewer', vehicle, 'dialog .strip [aria-current]', '4px'],
  ['the heart on a picture', list, '.card .heart', '2px'],
])(
  'the line around %s with the focus is visible on a dark ground',
  async (_, url, selector, width) => {
    await using page = await visit(browser, url, { colorScheme: 'light' });
    if (url === vehicle) await page.locator('.gallery .full').click();
    const line = await page.evaluate(`(() => {
    const node = document.querySelector(${JSON.stringify(selector)});
    node.focus({ focusVisible: true });
    const { outlineColor, outlineWidth } = getComputedStyle(node);
    return [outlineColor, outlineWidth];
  })()`);
    expect(line).toEqual(['rgb(255, 255, 255)', width]);
  },
);

it('the line around a picture with the focus is above the picture', async () => {
  await using page = await visit(browser, vehicle);
  await page.evaluate(`document.querySelector('.shot').focus({ focusVisible: true })`);
  const { x, y, height } = await boxOf(page, '.shot');
  const clip = { x: x + 2, y: y + height / 2, width: 2, height: 6 };
  const { channels } = await sharp(await page.screenshot({ clip })).stats();
  expect(channels.slice(0, 3).map(({ min }) => min)).toEqual([255, 255, 255]);
});
