import type { Locator, Page } from 'playwright-core';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { openExternalSite } from '../support/external-site.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { layoutShift, visit } from '../support/page.ts';
import { sharedBrowser, sharedShowroom } from '../support/shared.ts';

const browser = await sharedBrowser();
const showroom = await sharedShowroom();
const foreign = await forAllTests(openExternalSite());

const script = `<script async src="${showroom.server.url}embed.js"></script>`;
const SCREEN = { viewport: { width: 1280, height: 1600 } };

const vehicle = (attributes = '') =>
  `<vehicle-media dealer="northgate" vrm="AB12CDE" ${attributes}></vehicle-media>`;

const ready = (page: Page) =>
  expect.poll(() => page.locator('vehicle-media:not([state="ready"])').count()).toBe(0);

type Rgb = readonly number[];
const rgbOf = (text: string): Rgb => (text.match(/\d+/g) ?? []).slice(0, 3).map(Number);

/** Background colour of a frame in its empty lower right corner. */
async function groundOf(page: Page, frame: Locator): Promise<Rgb> {
  const box = await frame.boundingBox();
  if (!box) throw new Error('There is no frame');
  const clip = { x: box.x + box.width - 9, y: box.y + box.height - 9, width: 1, height: 1 };
  return [
    ...(await sharp(await page.screenshot({ clip }))
      .removeAlpha()
      .raw()
      .toBuffer()),
  ];
}

/** A colour of the page in a frame. */
async function colourIn(frame: Locator, property: 'color' | 'backgroundColor'): Promise<Rgb> {
  const inside = await (await frame.elementHandle())?.contentFrame();
  const style = await inside?.evaluate<string>(`getComputedStyle(document.body).${property}`);
  return rgbOf(style ?? '');
}

const isLight = (rgb: Rgb) => rgb.every((value) => value > 200);
const isDark = (rgb: Rgb) => rgb.every((value) => value < 70);

const DARK = { background: 'background:#012345', rgb: [1, 35, 69], isRead: isLight };
const LIGHT = { background: 'background:#fedcba', rgb: [254, 220, 186], isRead: isDark };

/** Parts of websites: background, other styles, and attributes of the element. */
const PLACES = [
  [LIGHT, 'color:#222'],
  [DARK, 'color:#eee'],
  [DARK, 'color:#eee;color-scheme:dark'],
  [DARK, 'color:canvastext;color-scheme:dark'],
  [DARK, 'color:oklch(0.95 0.02 200)'],
  [LIGHT, 'color:lab(20 5 5)'],
  [LIGHT, 'color:color-mix(in srgb, #111, #333)'],
  [DARK, 'color:color-mix(in srgb, #eee, #fff)'],
  [DARK, 'color:#222', 'theme="dark"'],
  [LIGHT, 'color:#eee', 'theme="light"'],
  [DARK, 'color:#eee', 'theme="auto"'],
] as const;

describe('the element has the background of the website', () => {
  it.each(['light', 'dark'] as const)(
    'and its text is readable on a %s device',
    async (colorScheme) => {
      const places = PLACES.map(
        ([{ background }, style, more]) =>
          `<section style="width:300px;${background};${style}">${vehicle(more)}</section>`,
      );
      const html = `${script}<div style="display:flex;flex-wrap:wrap">${places.join('')}</div>`;
      await using page = await visit(browser, foreign.page(html), { ...SCREEN, colorScheme });
      await ready(page);
      for (const [index, [{ rgb, isRead }, style, more = '']] of PLACES.entries()) {
        const frame = page.locator('vehicle-media iframe').nth(index);
        const what = `${style} ${more}`;
        await expect.poll(() => groundOf(page, frame), { message: what }).toEqual(rgb);
        expect(isRead(await colourIn(frame, 'color')), what).toBe(true);
      }
    },
  );

  it('and its text is readable, also with a theme for one colour scheme', async () => {
    const sections = [LIGHT, DARK].map(
      ({ background, isRead }) =>
        `<section style="width:300px;${background};color:${isRead === isLight ? '#eee' : '#222'}">${vehicle()}</section>`,
    );
    await using page = await visit(browser, foreign.page(''), SCREEN);
    await page.route('**/assets/site*.css*', async (route) => {
      const response = await route.fetch();
      const theme = ':root{color-scheme:light;--ink:#222;--quiet:#333;--paper:#fff}';
      await route.fulfill({ response, body: (await response.text()) + theme });
    });
    await page.goto(foreign.page(script + sections.join('')));
    await ready(page);
    for (const [index, { rgb, isRead }] of [LIGHT, DARK].entries()) {
      const frame = page.locator('vehicle-media iframe').nth(index);
      await expect.poll(() => groundOf(page, frame)).toEqual(rgb);
      expect(await colourIn(frame, 'color')).toSatisfy(isRead);
    }
  });

  it('follows the website, the attribute and the device without reloading', async () => {
    const html = `<style>:root{color-scheme:light dark}.night{color:#eee}</style>${script}${vehicle()}`;
    const options = { ...SCREEN, colorScheme: 'light' } as const;
    await using page = await visit(browser, foreign.page(html), options);
    await ready(page);
    const ink = () => colourIn(page.locator('vehicle-media iframe'), 'color');
    await expect.poll(ink).toSatisfy(isDark);
    const pages = () => page.requested.filter((address) => address.includes('/embed/')).length;
    const before = pages();
    await page.evaluate("document.body.className = 'night'");
    await expect.poll(ink).toSatisfy(isLight);
    // As in a tab that was closed meanwhile.
    await page.evaluate("Object.assign(document.body, { hidden: true, className: '' })");
    await page.waitForTimeout(200);
    await page.evaluate('document.body.hidden = false');
    await expect.poll(ink).toSatisfy(isDark);
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(ink).toSatisfy(isLight);
    await page.locator('vehicle-media').evaluate((node) => node.setAttribute('theme', 'light'));
    await expect.poll(ink).toSatisfy(isDark);
    expect(pages()).toBe(before);
  });

  it('is readable if the style sheet of the website is slow', async () => {
    await using page = await visit(browser, foreign.page(''), {
      ...SCREEN,
      colorScheme: 'light',
    });
    await page.route('**/slow.css', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 1500));
      const body = `body{${DARK.background};color:#eee}`;
      await route.fulfill({ contentType: 'text/css', body });
    });
    const html = `${script}${vehicle()}<link rel="stylesheet" href="/slow.css">`;
    await page.goto(foreign.page(html));
    await ready(page);
    const frame = page.locator('vehicle-media iframe');
    await expect.poll(() => colourIn(frame, 'color')).toSatisfy(isLight);
    await expect.poll(() => groundOf(page, frame)).toEqual(DARK.rgb);
  });

  it('a frame without the element has a light background', async () => {
    const src = `${showroom.server.url}embed/northgate/ab12cde/`;
    const html = `<body style="${DARK.background}"><iframe src="${src}" title="x"></iframe>`;
    const options = { ...SCREEN, colorScheme: 'light' } as const;
    await using page = await visit(browser, foreign.page(html), options);
    expect(await colourIn(page.locator('iframe'), 'backgroundColor')).toSatisfy(isLight);
  });
});

describe('the element is as wide as its container', () => {
  const beside = '<div style="flex:0 0 200px">beside</div>';
  const WIDE: [html: string, width: number][] = [
    [`<div style="display:flex;width:900px">${beside}${vehicle()}</div>`, 700],
    [`<div style="display:flex;width:900px">${beside}${vehicle('class="spaced"')}</div>`, 650],
    [
      `<div style="display:flex;flex-direction:column;align-items:center;width:900px">${vehicle()}</div>`,
      900,
    ],
    [
      `<div style="display:grid;grid-template-columns:1fr 2fr;width:900px"><p></p>${vehicle()}</div>`,
      600,
    ],
    [`<div style="display:grid;justify-items:center;width:500px">${vehicle()}</div>`, 500],
    [`<div style="width:900px">${vehicle('class="spaced"')}</div>`, 850],
    [`<div style="display:flex">${vehicle('class="narrow"')}</div>`, 420],
  ];

  it('in rows, columns and grids, and as wide as the style of the website demands', async () => {
    const style = '<style>.spaced{margin:0 25px}.narrow{width:420px}</style>';
    const html = style + script + WIDE.map(([part]) => part).join('');
    await using page = await visit(browser, foreign.page(html), SCREEN);
    const elements = page.locator('vehicle-media');
    await expect
      .poll(() => elements.evaluateAll((all) => all.map((one) => one.clientWidth)))
      .toEqual(WIDE.map(([, width]) => width));
    const frame = await page.locator('vehicle-media iframe').first().boundingBox();
    expect(frame?.width).toBe(700);
  });

  it('and has its final height from the start, so nothing moves', async () => {
    const html = `${script.replace('async ', '')}<div style="width:640px">${vehicle()}</div><p>after</p>`;
    await using page = await visit(browser, foreign.page(html), SCREEN);
    await ready(page);
    expect(await layoutShift(page)).toBeLessThan(0.005);
  });
});

it('a frame always has a name: its title, the number plate or the text inside', async () => {
  const html = [
    vehicle('title="Our Wren"'),
    // As in the snippet, in which all vehicles have the same text.
    vehicle('title=" "').replace('></v', '><a href="/">Our cars</a></v'),
    `<vehicle-media src="${showroom.server.url}embed/northgate/ab12cde/">A Wren</vehicle-media>`,
  ];
  await using page = await visit(browser, foreign.page(script + html.join('')), SCREEN);
  const frames = page.locator('vehicle-media iframe');
  await expect
    .poll(() => frames.evaluateAll((all) => all.map((one) => one.title)))
    .toEqual(['Our Wren', 'AB12CDE', 'A Wren']);
  await page
    .locator('vehicle-media')
    .first()
    .evaluate((node) => node.setAttribute('title', 'Our Fell'));
  expect(await frames.first().getAttribute('title')).toBe('Our Fell');
});
