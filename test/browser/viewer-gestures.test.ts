import type { BrowserContextOptions, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { DESKTOP, PHONE, visit } from '../support/page.ts';
import { sharedBrowser, sharedShowroom } from '../support/shared.ts';
import { PLATES } from '../support/showroom.ts';

const browser = await sharedBrowser();
const showroom = await sharedShowroom();

type Point = readonly [x: number, y: number];

/** Fingers of the browser itself; their clock is ours, so that a slow machine makes no slow finger. */
async function hand(page: Page) {
  const client = await page.context().newCDPSession(page);
  let now = Date.now() / 1000;
  const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', points: readonly Point[]) =>
    client.send('Input.dispatchTouchEvent', {
      type,
      timestamp: now,
      touchPoints: points.map(([x, y], id) => ({ x, y, id })),
    });
  /** From places to others in so many milliseconds; `hold`: at rest before they are lifted. */
  return async (from: readonly Point[], to: readonly Point[], took = 130, hold = false) => {
    await send('touchStart', from);
    for (let step = 1; step <= 8; step++) {
      now += took / 8000;
      await send(
        'touchMove',
        from.map(([x, y], n) => {
          const [toX, toY] = to[n] ?? [x, y];
          return [x + ((toX - x) * step) / 8, y + ((toY - y) * step) / 8];
        }),
      );
    }
    if (hold) {
      now += 0.3;
      await send('touchMove', to);
      now += 0.3;
    }
    await send('touchEnd', []);
    now += 0.5;
  };
}

const isOpen = async (page: Page) => (await page.locator('dialog.viewer[open]').count()) === 1;
const resting = (page: Page) =>
  expect
    .poll(() =>
      page.evaluate(
        "new Promise((then) => requestAnimationFrame(() => requestAnimationFrame(() => then(document.getAnimations().filter((one) => one.playState === 'running').length))))",
      ),
    )
    .toBe(0);
/** Where the box of the shown picture is, and how large, in parts of the stage. */
const box = (page: Page) =>
  page.evaluate(`(() => {
    const list = document.querySelector('dialog .stage');
    const { left, top, width } = list.children[Math.round(list.scrollLeft / list.clientWidth)].querySelector('img').getBoundingClientRect();
    return { left, top, scale: width / list.clientWidth };
  })()`) as Promise<{ left: number; top: number; scale: number }>;

async function open(device: BrowserContextOptions, plate: string = PLATES.thirty, hash = '') {
  const address = `${showroom.server.url}northgate/${plate.toLowerCase()}/${hash}`;
  const visited = await visit(browser, address, device);
  await visited.page.locator('.gallery .full').click();
  await expect.poll(() => isOpen(visited.page)).toBe(true);
  await resting(visited.page);
  return visited;
}

describe('fingers', () => {
  it('pull the picture down: a little way it springs back, further or faster it closes', async () => {
    await using visited = await open(PHONE);
    const { page, problems } = visited;
    const move = await hand(page);
    await move([[195, 300]], [[195, 380]], 600, true);
    await resting(page);
    expect(await isOpen(page)).toBe(true);
    expect(await box(page)).toMatchObject({ top: 0, scale: 1 });
    // As far, and let go of at speed.
    await move([[195, 300]], [[195, 380]], 60);
    await expect.poll(() => isOpen(page)).toBe(false);
    await page.locator('.gallery .full').click();
    await expect.poll(() => isOpen(page)).toBe(true);
    await move([[195, 300]], [[195, 560]], 900, true);
    await expect.poll(() => isOpen(page)).toBe(false);
    expect(await page.evaluate('Boolean(history.state?.viewer)')).toBe(false);
    expect(problems).toEqual([]);
  });

  it('pinch the picture: a little smaller it springs back, much smaller it closes', async () => {
    await using visited = await open(PHONE);
    const { page, problems } = visited;
    const move = await hand(page);
    const pinch = (before: number, after: number) =>
      move(
        [
          [195 - before, 422],
          [195 + before, 422],
        ],
        [
          [195 - after, 422],
          [195 + after, 422],
        ],
        300,
      );
    await pinch(40, 100);
    await resting(page);
    expect((await box(page)).scale).toBeCloseTo(2.5, 1);
    // What is enlarged goes back to its size first.
    await pinch(150, 30);
    await resting(page);
    expect(await isOpen(page)).toBe(true);
    expect(await box(page)).toMatchObject({ left: 0, top: 0, scale: 1 });
    await pinch(100, 90);
    await resting(page);
    expect(await box(page)).toMatchObject({ left: 0, top: 0, scale: 1 });
    await pinch(100, 40);
    await expect.poll(() => isOpen(page)).toBe(false);
    expect(problems).toEqual([]);
  });

  it('push the enlarged picture on, over its edge by a rubber band, and back to it', async () => {
    await using visited = await open(PHONE);
    const { page } = visited;
    const move = await hand(page);
    await page.locator('dialog .zoom').tap();
    await resting(page);
    const start = await box(page);
    await move([[195, 422]], [[145, 422]], 600, true);
    await resting(page);
    const still = await box(page);
    expect(still.left - start.left).toBeCloseTo(-50, 0);
    await move([[195, 422]], [[145, 422]], 100);
    await resting(page);
    expect((await box(page)).left - still.left).toBeLessThan(-80);
    // Beyond the edge: the finger is still there.
    const client = await page.context().newCDPSession(page);
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', x?: number) =>
      client.send('Input.dispatchTouchEvent', {
        type,
        touchPoints: x === undefined ? [] : [{ x, y: 422 }],
      });
    for (let turn = 0; turn < 3; turn++) {
      await touch('touchStart', 380);
      for (let x = 360; x >= 0; x -= 20) await touch('touchMove', x);
      if (turn < 2) await touch('touchEnd');
    }
    const edge = 390 - 2.5 * 390;
    await expect.poll(async () => (await box(page)).left).toBeLessThan(edge - 20);
    await touch('touchEnd');
    await resting(page);
    expect((await box(page)).left).toBeCloseTo(edge, 0);
    expect(await isOpen(page)).toBe(true);
  });

  it('swipe to the next picture, and do not close on the way', async () => {
    await using visited = await open(PHONE);
    const { page } = visited;
    const move = await hand(page);
    await move([[350, 300]], [[40, 320]]);
    await expect.poll(() => page.locator('dialog .counter').textContent()).toBe('2 of 30');
    await resting(page);
    expect(await isOpen(page)).toBe(true);
  });
});

describe('a click', () => {
  it('on the black beside the picture closes, on the picture does not', async () => {
    await using visited = await open({ viewport: { width: 1366, height: 657 } });
    const { page, problems } = visited;
    await page.mouse.click(683, 300);
    await page.waitForTimeout(400);
    expect(await isOpen(page)).toBe(true);
    await page.mouse.click(60, 450);
    await expect.poll(() => isOpen(page)).toBe(false);
    expect(problems).toEqual([]);
  });

  it('on a thumbnail below shows its picture; the focus begins at Close and stays inside', async () => {
    await using visited = await open(DESKTOP);
    const { page } = visited;
    const focused = () => page.evaluate('document.activeElement.className');
    expect(await focused()).toContain('close');
    await page.locator('dialog .strip a').nth(3).click();
    await expect.poll(() => page.locator('dialog .counter').textContent()).toBe('4 of 30');
    for (let turn = 0; turn < 12; turn++) {
      await page.keyboard.press('Tab');
      const inside =
        "document.activeElement === document.body || Boolean(document.activeElement.closest('dialog'))";
      expect(await page.evaluate(inside)).toBe(true);
    }
    await page.keyboard.press('Escape');
    await expect.poll(() => isOpen(page)).toBe(false);
    expect(await focused()).toContain('full');
  });
});

describe('a player that does not come', () => {
  it.each([
    ['its host is blocked', 'abort'],
    ['it hangs', 'hang'],
  ])('gives way to its still, with a link to watch the video, where %s', async (_, how) => {
    await using visited = await visit(
      browser,
      `${showroom.server.url}northgate/${PLATES.onlyVideo.toLowerCase()}/`,
    );
    const { page } = visited;
    await page.route('**/hosted/embed/**', async (route) => {
      if (how === 'abort') await route.abort('blockedbyclient');
    });
    await page.locator('.gallery [data-play]').click();
    expect(await page.locator('.gallery iframe').count()).toBe(1);
    const link = page.locator('.gallery .play');
    await expect.poll(() => page.locator('.gallery iframe').count(), { timeout: 15_000 }).toBe(0);
    expect(await link.isVisible()).toBe(true);
    expect(await link.textContent()).toBe('Watch the video: Tour');
    expect(await link.evaluate((one) => one.matches(':focus'))).toBe(true);
    await link.click();
    await page.waitForURL(`${showroom.service.baseUrl}/player/1301`);
  });
});
