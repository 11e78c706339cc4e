import { describe, expect, it } from 'vitest';
import { boxOf, DESKTOP, FAILED, phoneOf, resize, visit } from '../support/page.ts';
import { sharedBrowser, sharedShowroom } from '../support/shared.ts';

const browser = await sharedBrowser();
const showroom = await sharedShowroom();

const list = (query = '') => `${showroom.server.url}northgate/${query}`;

describe('a list', () => {
  it('finds a plate while you type, without an earlier request', async () => {
    await using page = await visit(browser, list());
    expect(page.requested.some((url) => url.endsWith('index.json'))).toBe(false);
    // Buttons disappear only if their scripts are blocked.
    expect(await page.evaluate('document.getAnimations().length')).toBe(0);
    await page.locator('[name=q]').pressSequentially('kl1');
    await expect.poll(() => page.locator('.result').textContent()).toBe('10 vehicles found');
    await page.locator('[name=q]').pressSequentially('5 m');
    await expect.poll(() => page.locator('.result').textContent()).toBe('1 vehicle found');
    expect(await page.locator('.card .name').textContent()).toBe('KL15 MNP');
    expect(await page.locator('.pages').isVisible()).toBe(false);
    await page.locator('[name=q]').fill('nothing like it');
    await expect.poll(() => page.locator('.result').textContent()).toMatch(/^No matching vehicles/);
    expect(await page.locator('.card').count()).toBe(4);
    await page.locator('.chips .clear').click();
    await expect.poll(() => page.locator('.card').count()).toBe(6);
    expect(await page.locator('.pages').isVisible()).toBe(true);
    // A hostile plate is a text.
    await page.goto(list('?q=b'));
    await expect.poll(() => page.locator('.result').textContent()).toContain('found');
    expect(await page.locator('.card', { hasText: '</script>' }).count()).toBe(1);
  });

  it('reports a missing index and keeps the list', async () => {
    await using page = await visit(browser, list(), { expected: FAILED });
    await page.route('**/index.json', (route) => route.abort());
    await page.locator('[name=q]').fill('kl');
    await expect.poll(() => page.locator('.result').textContent()).toContain('unavailable');
    expect(await page.locator('.card').count()).toBe(6);
    // In the dialog, which covers the other message.
    const button = page.locator('.filters .shown');
    await page.locator('.filter').click();
    await expect.poll(() => button.textContent()).toContain('unavailable');
    await page.unroute('**/index.json');
    await page.locator('.filters .close').click();
    await page.locator('.filter').click();
    await expect.poll(() => button.textContent()).toContain('Show');
  });
});

it.each([
  ['northgate/', 'list|saved', ['.tools', '.card .heart']],
  ['northgate/ab12cde/', 'gallery|share|saved', ['.frame .full', '.print', '.share', '.heart']],
] as const)(
  'buttons of blocked scripts disappear from /%s, and nothing moves',
  async (part, scripts, dead) => {
    const context = await browser.newContext(phoneOf(360, 740));
    await using _ = { [Symbol.asyncDispose]: () => context.close() };
    const page = await context.newPage();
    const visible = async () =>
      Promise.all(dead.map((one) => page.locator(one).filter({ visible: true }).count()));
    await page.goto(showroom.server.url + part);
    const all = await visible();
    expect(all).not.toContain(0);
    const height = () => page.evaluate('document.documentElement.scrollHeight');
    await page.route(new RegExp(`/(?:${scripts})\\.js`), (route) => route.abort());
    await page.reload();
    const before = await height();
    expect(await visible()).toEqual(all);
    await expect.poll(visible, { timeout: 20_000 }).toEqual(dead.map(() => 0));
    expect(await height()).toBe(before);
    expect(await page.locator('.bar a').first().isVisible()).toBe(true);
  },
);

describe('makes', () => {
  it('link to their vehicles without JavaScript, from the front page and from a list', async () => {
    await using page = await visit(browser, showroom.server.url, {
      ...DESKTOP,
      javaScriptEnabled: false,
    });
    await page.locator('.makes a', { hasText: 'Škoda' }).click();
    await page.waitForURL('**/make/skoda/');
    expect(await page.locator('.card .name').allTextContents()).toEqual([
      'Škoda Superb',
      'SKODA Octavia',
      'Škoda Fabia',
    ]);
    await page.locator('.dealers a', { hasText: 'Northgate Cars' }).click();
    await page.waitForURL('**/northgate/make/skoda/');
    expect(await page.locator('.card').count()).toBe(3);
    await page.locator('.back a').click();
    await page.waitForURL('**/northgate/');
    expect(await page.locator('.makes a').allTextContents()).toEqual(['Škoda 3']);
  });

  it('are filtered on the page if the index is available', async () => {
    await using page = await visit(browser, showroom.server.url, { expected: FAILED });
    const focused = () => page.evaluate('document.activeElement.className');
    await page.locator('.makes a', { hasText: 'Škoda' }).press('Enter');
    await expect.poll(() => page.locator('.result').textContent()).toBe('3 vehicles found');
    // The link is hidden, and then the chip disappears.
    await expect.poll(focused).toBe('button chip');
    expect(new URL(page.url()).search).toBe('?make=SKODA');
    expect(await page.locator('.dealers').isVisible()).toBe(false);
    await page.locator('.chip').press('Enter');
    await expect.poll(() => page.locator('.dealers').isVisible()).toBe(true);
    await expect.poll(focused).toBe('button filter');
    await page.route('**/index.json', (route) => route.abort());
    await page.reload();
    await page.locator('.makes a', { hasText: 'Škoda' }).click();
    await page.waitForURL('**/make/skoda/');
  });
});

it('a printed list has no parts that are for the screen, but the number of found vehicles', async () => {
  await using page = await visit(browser, showroom.server.url);
  const parts = page.locator('.tools > :not(.result), .makes, .masthead nav, .skip, main > .bar');
  expect(await parts.filter({ visible: true }).count()).toBeGreaterThan(2);
  await page.emulateMedia({ media: 'print' });
  expect(await parts.filter({ visible: true }).count()).toBe(0);
  expect(await page.locator('.card').first().isVisible()).toBe(true);
  await page.emulateMedia({ media: 'screen' });
  await page.locator('[name=q]').fill('albion');
  const found = page.getByText('1 vehicle found');
  await expect.poll(() => found.isVisible()).toBe(true);
  await page.emulateMedia({ media: 'print' });
  expect(await found.isVisible()).toBe(true);
  expect(await parts.filter({ visible: true }).count()).toBe(0);
});

it('a phone of 320 pixels shows an icon for the order', async () => {
  await using page = await visit(browser, list(), phoneOf(320, 640));
  const field = page.getByLabel('Sort by');
  expect(await boxOf(page, '.sort')).toMatchObject({ width: 44, height: 44 });
  const colour = () =>
    page.evaluate("getComputedStyle(document.querySelector('.sort')).backgroundColor");
  const before = await colour();
  await field.selectOption('oldest');
  // The icon shows that another order was chosen.
  expect(await colour()).not.toBe(before);
  await field.selectOption('');
  expect(await colour()).toBe(before);
});

describe('a link from a list to a vehicle', () => {
  it('is prefetched when the pointer rests on a card', async () => {
    await using page = await visit(browser, list());
    const debug = await page.context().newCDPSession(page);
    const fetched: string[] = [];
    debug.on('Preload.prefetchStatusUpdated', ({ prefetchUrl, status }) => {
      if (status === 'Ready') fetched.push(new URL(prefetchUrl).pathname);
    });
    await debug.send('Preload.enable');
    await page.locator('.card a[href*=ab12cde]').hover();
    await expect.poll(() => fetched, { timeout: 15_000 }).toEqual(['/northgate/ab12cde/']);
  });

  it.each(['no-preference', 'reduce'] as const)(
    'animates its picture in both directions: reduced motion: %s',
    async (reducedMotion) => {
      await using page = await visit(browser, list(), { reducedMotion });
      await page.addInitScript(`addEventListener('pagereveal', ({ viewTransition }) => {
        globalThis.transition = Boolean(viewTransition);
      })`);
      const wanted = reducedMotion === 'no-preference';
      await page.locator('.card a[href*=ab12cde]').click();
      await page.waitForURL(/ab12cde/);
      await expect.poll(() => page.evaluate('globalThis.transition')).toBe(wanted);
      const name = await page.evaluate(
        "getComputedStyle(document.querySelector('.stage img')).viewTransitionName",
      );
      expect(name).toBe(wanted ? 'vehicle' : 'none');
    },
  );
});

it('a page can be added to a home screen with a valid manifest and icons', async () => {
  await using page = await visit(browser, list());
  const debug = await page.context().newCDPSession(page);
  const { data, errors } = await debug.send('Page.getAppManifest');
  expect(errors).toEqual([]);
  const { icons, start_url: start } = JSON.parse(data ?? '{}');
  expect(start).toBe('/');
  const icon = await page.locator('link[rel=icon]').getAttribute('href');
  const addresses = [icon, ...icons.map(({ src }: { src: string }) => src)];
  expect(addresses).toHaveLength(3);
  for (const address of addresses) {
    const answer = await page.request.get(new URL(address, page.url()).href);
    expect([answer.status(), answer.headers()['content-type']]).toEqual([200, 'image/png']);
  }
});

/** Gaps of each card, from its picture through its texts to its lower edge. */
const SPACES = `[...document.querySelectorAll('.card a')].map((card) => {
  const boxes = [...card.querySelectorAll('.cover, .name, .facts, .line > *')]
    .map((part) => part.getBoundingClientRect())
    .filter(({ height }) => height > 0);
  const ends = [...boxes.map(({ top }) => top).slice(1), card.getBoundingClientRect().bottom];
  return boxes.map(({ bottom }, n) => Math.round(ends[n] - bottom)).filter((space) => space >= 0);
})`;

it('card texts are evenly spaced, and a single plate is centred', async () => {
  await using page = await visit(browser, list(), phoneOf(360, 740));
  for (const [dealer, width] of [
    ['northgate', 360],
    ['riverside', 360],
    ['riverside', 700],
  ] as const) {
    await page.goto(`${showroom.server.url}${dealer}/`);
    await resize(page, width, 740);
    const spaces = (await page.evaluate(SPACES)) as number[][];
    expect(spaces.length).toBeGreaterThan(0);
    for (const card of spaces) {
      const [first = 0] = card;
      expect(Math.max(...card), `${dealer} ${width}`).toBeLessThanOrEqual(14);
      expect(card.at(-1)).toBeCloseTo(first, -1);
    }
  }
});
