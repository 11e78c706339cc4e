import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { DESKTOP, PHONE, visit, WINDOW } from '../support/page.ts';
import { sharedBrowser, sharedShowroom } from '../support/shared.ts';
import { PLATES } from '../support/showroom.ts';

const browser = await sharedBrowser();
const showroom = await sharedShowroom();

const address = (plate: string, hash = '') =>
  `${showroom.server.url}northgate/${plate.toLowerCase()}/${hash}`;

const counter = (page: Page, root = '.gallery') => page.locator(`${root} .counter`).textContent();

/** Number of the slide that fills the stage, from 1. */
const shown = (page: Page, root = '.gallery') =>
  page
    .locator(`${root} .stage`)
    .evaluate((stage) => Math.round(stage.scrollLeft / stage.clientWidth) + 1);

/** Something of the element that has the focus. */
const focused = (page: Page, what: string) => page.evaluate(`document.activeElement?.${what}`);

it('moves by buttons and thumbnails, says where it is, and goes round', async () => {
  await using visited = await visit(browser, address(PLATES.thirty), WINDOW);
  const { page, problems } = visited;
  await page.locator('.gallery .next').click();
  await expect.poll(() => shown(page)).toBe(2);
  expect(await counter(page)).toBe('2 of 30');
  expect(page.url()).toMatch(/#2$/);
  await page.locator('.strip a').nth(4).click();
  await expect.poll(() => shown(page)).toBe(5);
  expect(await page.locator('.strip [aria-current]').getAttribute('href')).toBe('#5');
  for (let at = 5; at > 1; at--) await page.locator('.gallery .previous').click();
  await page.locator('.gallery .previous').click();
  await expect.poll(() => counter(page)).toBe('30 of 30');
  await expect.poll(() => shown(page)).toBe(30);
  expect(problems).toEqual([]);
});

describe.each([
  ['desktop', DESKTOP],
  ['phone', PHONE],
])('gallery, %s', (_, device) => {
  it('opens at the picture that the address names', async () => {
    await using visited = await visit(browser, address(PLATES.thirty, '#3'), device);
    await expect.poll(() => shown(visited.page)).toBe(3);
    expect(await counter(visited.page)).toBe('3 of 30');
  });

  it('shows the same picture after the device was turned, on the page and in the viewer', async () => {
    await using visited = await visit(browser, address(PLATES.thirty, '#5'), device);
    const { page } = visited;
    await expect.poll(() => shown(page)).toBe(5);
    const { width, height } = page.viewportSize() ?? { width: 0, height: 0 };
    await page.setViewportSize({ width: height, height: width });
    await expect.poll(() => page.evaluate('innerWidth')).toBe(height);
    await expect.poll(() => shown(page)).toBe(5);
    await page.locator('.gallery .full').click();
    await page.setViewportSize({ width, height });
    await expect.poll(() => page.evaluate('innerWidth')).toBe(width);
    await expect.poll(() => shown(page, 'dialog')).toBe(5);
    expect(await counter(page, 'dialog')).toBe('5 of 30');
  });

  it('loads the first picture first, others as they come near, and moves nothing', async () => {
    await using visited = await visit(browser, address(PLATES.thirty), device);
    const { page, requests } = visited;
    const first = page.locator('.slide img').first();
    expect(await first.getAttribute('fetchpriority')).toBe('high');
    expect(await first.getAttribute('loading')).not.toBe('lazy');
    expect(await page.locator('.slide img').nth(20).getAttribute('loading')).toBe('lazy');
    const wide = requests.filter((url) => /-320-\w+\.webp$/.test(url));
    expect(wide.length).toBeLessThan(12);
    const sizes = await page
      .locator('main img')
      .evaluateAll((images) =>
        images.every((image) => image.hasAttribute('width') && image.hasAttribute('height')),
      );
    expect(sizes).toBe(true);
    const shift = await page.evaluate(`new Promise((resolve) => {
      const sum = (list) => list.getEntries().reduce((all, { value }) => all + value, 0);
      new PerformanceObserver((list) => resolve(sum(list))).observe({ type: 'layout-shift', buffered: true });
      setTimeout(() => resolve(0), 300);
    })`);
    expect(shift).toBe(0);
  });
});

describe('gallery, by keyboard', () => {
  it('arrows, Home and End move; one stop for Tab in the stage and one in the strip', async () => {
    await using visited = await visit(browser, address(PLATES.thirty), WINDOW);
    const { page } = visited;
    await page.locator('.slide a').first().focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => counter(page)).toBe('3 of 30');
    await expect.poll(() => focused(page, "closest('li')?.id")).toBe('3');
    await page.keyboard.press('End');
    expect(await counter(page)).toBe('30 of 30');
    await page.keyboard.press('Home');
    await expect.poll(() => shown(page)).toBe(1);
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => counter(page)).toBe('30 of 30');
    expect(await page.locator('.stage a[tabindex="0"]').count()).toBe(1);
    expect(await page.locator('.strip a[tabindex="0"]').count()).toBe(1);
  });

  it('Enter opens the viewer, Escape closes it, and the focus is where it was', async () => {
    await using visited = await visit(browser, address(PLATES.thirty), WINDOW);
    const { page, problems } = visited;
    await page.locator('.slide a').first().focus();
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => shown(page)).toBe(2);
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('dialog.viewer[open]').count()).toBe(1);
    await expect.poll(() => counter(page, 'dialog')).toBe('2 of 30');
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => counter(page, 'dialog')).toBe('3 of 30');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('dialog').count()).toBe(0);
    await expect.poll(() => shown(page)).toBe(3);
    expect(await focused(page, "closest('li')?.id")).toBe('3');
    await page.locator('.gallery .full').focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('dialog').count()).toBe(0);
    expect(await focused(page, 'className')).toContain('full');
    expect(problems).toEqual([]);
  });

  it('jumps instead of gliding for those who ask for calm', async () => {
    await using visited = await visit(browser, address(PLATES.thirty), {
      ...WINDOW,
      reducedMotion: 'reduce',
    });
    const { page } = visited;
    await page.locator('.gallery .next').click();
    expect(await shown(page)).toBe(2);
  });
});

/** A finger that moves the stage to the next slide. */
async function swipe(page: Page) {
  const client = await page.context().newCDPSession(page);
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', x: number) =>
    client.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: type === 'touchEnd' ? [] : [{ x, y: 130 }],
    });
  // A finger on what was never painted is on nothing.
  await page.evaluate(
    'new Promise((then) => requestAnimationFrame(() => requestAnimationFrame(then)))',
  );
  await touch('touchStart', 350);
  for (let x = 330; x > 20; x -= 20) await touch('touchMove', x);
  await touch('touchEnd', 30);
}

describe('gallery, by touch', () => {
  it('a swipe shows the next picture', async () => {
    await using visited = await visit(browser, address(PLATES.thirty), PHONE);
    const { page } = visited;
    await swipe(page);
    await expect.poll(() => shown(page)).toBe(2);
    await expect.poll(() => counter(page)).toBe('2 of 30');
  });

  it('a swipe before the script has come counts', async () => {
    await using visited = await visit(browser, 'about:blank', PHONE);
    const { page } = visited;
    const script = Promise.withResolvers<void>();
    await page.route('**/gallery.js?*', async (route) => {
      await script.promise;
      await route.continue();
    });
    await page.goto(address(PLATES.thirty), { waitUntil: 'commit' });
    await page.locator('.slide img').first().waitFor();
    await swipe(page);
    // At rest: a stage that still glides tells the script by itself.
    const rest = () => page.locator('.stage').evaluate((at) => at.scrollLeft / at.clientWidth);
    await expect.poll(rest).toBe(1);
    await page.waitForTimeout(100);
    script.resolve();
    await page.waitForLoadState('load');
    await expect.poll(() => counter(page)).toBe('2 of 30');
    expect(await shown(page)).toBe(2);
    expect(page.url()).toMatch(/#2$/);
  });

  it('two fingers enlarge the picture in the viewer, and the zoom button does without them', async () => {
    await using visited = await visit(browser, address(PLATES.thirty), PHONE);
    const { page } = visited;
    await page.locator('.gallery .full').tap();
    await expect.poll(() => page.locator('dialog[open]').count()).toBe(1);
    const width = () =>
      page
        .locator('dialog .slide img')
        .first()
        .evaluate((picture) => picture.getBoundingClientRect().width);
    const scale = async () => (await width()) / 390;
    const client = await page.context().newCDPSession(page);
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', gap: number) =>
      client.send('Input.dispatchTouchEvent', {
        type,
        touchPoints:
          type === 'touchEnd'
            ? []
            : [
                { x: 195 - gap, y: 420 },
                { x: 195 + gap, y: 420 },
              ],
      });
    await touch('touchStart', 20);
    for (const gap of [30, 45, 60]) await touch('touchMove', gap);
    await touch('touchEnd', 0);
    await expect.poll(scale).toBeGreaterThan(2);
    await page.locator('dialog .zoom').tap();
    await expect.poll(scale).toBe(1);
    await page.locator('dialog .zoom').tap();
    await expect.poll(scale).toBe(2.5);
  });
});

describe('videos', () => {
  it('nothing is asked of the video host before the click; one click plays, and has the focus', async () => {
    await using visited = await visit(browser, address(PLATES.mixed), WINDOW);
    const { page, requests, problems } = visited;
    await page.waitForLoadState('networkidle');
    const host = new URL(showroom.service.baseUrl).host;
    expect(requests.filter((url) => new URL(url).host === host)).toEqual([]);
    const facade = page.locator('.slide [data-play]').first();
    expect(
      await facade
        .locator('img')
        .evaluate((image) => (image as never as { currentSrc: string }).currentSrc),
    ).toContain('/media/');
    await facade.click();
    const frame = page.frameLocator('.slide iframe');
    await expect.poll(() => frame.locator('main').getAttribute('data-state')).toBe('playing');
    expect(await focused(page, 'tagName')).toBe('IFRAME');
    const iframe = page.locator('.slide iframe');
    expect(await iframe.getAttribute('title')).toContain('Walkaround');
    expect(await iframe.getAttribute('referrerpolicy')).toBe('strict-origin-when-cross-origin');
    await page.locator('.gallery .next').click();
    await expect.poll(() => page.locator('.slide iframe').count()).toBe(0);
    expect(await facade.isVisible()).toBe(true);
    expect(problems).toEqual([]);
  });

  it('a video without a player for frames opens its page', async () => {
    await using visited = await visit(browser, address(PLATES.mixed, '#7'));
    const { page } = visited;
    await page.locator('.slide .play:not([data-play])').click();
    await page.waitForURL(`${showroom.service.baseUrl}/player/1002`);
  });
});

describe('without JavaScript', () => {
  it('all pictures, links to full size and video links are there, and nothing that would be dead', async () => {
    await using visited = await visit(browser, address(PLATES.mixed), {
      ...DESKTOP,
      javaScriptEnabled: false,
    });
    const { page } = visited;
    expect(await page.locator('.slide .shot img').count()).toBe(5);
    expect(await page.locator('.shot').first().getAttribute('href')).toContain(
      '/pictures/1100.jpg',
    );
    expect(await page.locator('.play').first().getAttribute('href')).toContain('/player/1001');
    for (const dead of ['.controls', '.share', '.copy']) {
      expect(await page.locator(dead).first().isVisible()).toBe(false);
    }
    await page.locator('.strip a').nth(3).click();
    await expect
      .poll(async () => (await page.locator('[id="4"]').boundingBox())?.x)
      .toBeCloseTo((await page.locator('.stage').boundingBox())?.x ?? 0, 0);
  });
});
