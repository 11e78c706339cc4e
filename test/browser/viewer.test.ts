import type { BrowserContextOptions, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { violations } from '../support/axe.ts';
import { openExternalSite } from '../support/external-site.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { DESKTOP, PHONE, visit, WINDOW } from '../support/page.ts';
import { sharedBrowser, sharedShowroom } from '../support/shared.ts';
import { PLATES } from '../support/showroom.ts';

const browser = await sharedBrowser();
const showroom = await sharedShowroom();
const foreign = await forAllTests(openExternalSite());

const address = (plate: string, hash = '') =>
  `${showroom.server.url}northgate/${plate.toLowerCase()}/${hash}`;

/** A vehicle's page with the viewer open. */
async function open(
  device: BrowserContextOptions,
  hash = '',
  plate: string = PLATES.thirty,
): Promise<Awaited<ReturnType<typeof visit>>> {
  const visited = await visit(browser, address(plate, hash), device);
  await visited.page.locator('.gallery .full').click();
  await expect.poll(() => isOpen(visited.page)).toBe(true);
  return visited;
}

const isOpen = async (page: Page) => (await page.locator('dialog.viewer[open]').count()) === 1;
const counter = (page: Page, root = 'dialog') => page.locator(`${root} .counter`).textContent();
const playing = (page: Page) =>
  page.frameLocator('dialog iframe').locator('main').getAttribute('data-state');

/** Scale of the picture that is shown, and where its own edges are on the screen. */
const picture = (page: Page) =>
  page.evaluate(`(() => {
    const list = document.querySelector('dialog .stage');
    const slide = list.children[Math.round(list.scrollLeft / list.clientWidth)];
    const { width, height, x, y } = slide.querySelector('img').getBoundingClientRect();
    const { naturalWidth, naturalHeight } = slide.querySelector('img');
    const fit = Math.min(width / naturalWidth, height / naturalHeight);
    const left = x + (width - naturalWidth * fit) / 2;
    const top = y + (height - naturalHeight * fit) / 2;
    return {
      scale: width / list.clientWidth,
      left,
      right: left + naturalWidth * fit,
      top,
      bottom: top + naturalHeight * fit,
    };
  })()`) as Promise<Record<'scale' | 'left' | 'right' | 'top' | 'bottom', number>>;
const scale = async (page: Page) => (await picture(page)).scale;

type Point = readonly [x: number, y: number];

/** One finger; its clock is ours, so that a slow machine makes no slow finger. */
async function finger(page: Page) {
  const client = await page.context().newCDPSession(page);
  let now = Date.now() / 1000;
  const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', point?: Point) =>
    client.send('Input.dispatchTouchEvent', {
      type,
      timestamp: now,
      touchPoints: point ? [{ x: point[0], y: point[1] }] : [],
    });
  const wait = (milliseconds: number) => {
    now += milliseconds / 1000;
  };
  return {
    wait,
    async tap(point: Point) {
      await send('touchStart', point);
      wait(40);
      await send('touchEnd');
      wait(100);
    },
    async drag([x, y]: Point, [dx, dy]: Point, steps = 8) {
      await send('touchStart', [x, y]);
      for (let step = 1; step <= steps; step++) {
        wait(16);
        await send('touchMove', [x + (dx * step) / steps, y + (dy * step) / steps]);
      }
      await send('touchEnd');
      wait(16);
    },
  };
}

/** Until nothing glides any more. */
const resting = async (page: Page) => {
  await painted(page);
  await expect
    .poll(() =>
      page.evaluate("document.getAnimations().filter((one) => one.playState === 'running').length"),
    )
    .toBe(0);
};

/** Until what was sent is on the screen. */
const painted = (page: Page) =>
  page.evaluate('new Promise((then) => requestAnimationFrame(() => requestAnimationFrame(then)))');

describe('a picture in the viewer, by touch', () => {
  it('a double tap enlarges it, and it stays so until the next one', async () => {
    await using visited = await open(PHONE);
    const { page, problems } = visited;
    // All that the browser makes of taps: what undid the first tap came after it.
    await page.evaluate(
      "window.clicks = []; for (const type of ['click', 'dblclick']) addEventListener(type, () => clicks.push(type), true)",
    );
    const touch = await finger(page);
    await touch.tap([120, 420]);
    await touch.tap([124, 424]);
    await expect.poll(() => page.evaluate('clicks.length')).toBe(3);
    await painted(page);
    expect(await page.evaluate('clicks')).toEqual(['click', 'click', 'dblclick']);
    await expect.poll(() => scale(page)).toBeCloseTo(2.5, 2);
    touch.wait(2000);
    await touch.tap([200, 420]);
    await resting(page);
    expect(await scale(page)).toBeCloseTo(2.5, 2);
    await touch.tap([200, 420]);
    await expect.poll(() => scale(page)).toBe(1);
    expect(problems).toEqual([]);
  });

  it('two quick swipes are swipes', async () => {
    await using visited = await open(PHONE);
    const { page } = visited;
    const touch = await finger(page);
    await painted(page);
    // Beside the buttons, and each as soon as the one before has ended.
    await touch.drag([350, 300], [-300, 0]);
    await touch.drag([350, 300], [-300, 0]);
    await expect.poll(() => counter(page)).not.toBe('1 of 30');
    await painted(page);
    expect(await page.locator('dialog .zoomed').count()).toBe(0);
  });

  it.each([
    ['to the left and up', [-380, -400]],
    ['to the right and down', [380, 400]],
  ] as const)('cannot be dragged out of sight %s', async (_, by) => {
    await using visited = await open(PHONE);
    const { page } = visited;
    const touch = await finger(page);
    await touch.tap([195, 422]);
    await touch.tap([195, 422]);
    await expect.poll(() => scale(page)).toBeCloseTo(2.5, 2);
    for (let turn = 0; turn < 4; turn++) {
      await touch.drag([by[0] < 0 ? 385 : 5, by[1] < 0 ? 800 : 40], by);
    }
    await resting(page);
    const { left, right, top, bottom } = await picture(page);
    // Wider than the screen: it fills it, and one edge is reached. Lower than it: it stays in the middle.
    expect(left).toBeLessThanOrEqual(0.5);
    expect(right).toBeGreaterThanOrEqual(389.5);
    expect(by[0] < 0 ? right : left).toBeCloseTo(by[0] < 0 ? 390 : 0, 0);
    expect(bottom - top).toBeLessThan(844);
    expect((top + bottom) / 2).toBeCloseTo(422, 0);
  });
});

describe('a picture in the viewer, by mouse and keyboard', () => {
  it('is dragged by the mouse, as far as its edge', async () => {
    await using visited = await open(DESKTOP);
    const { page } = visited;
    await page.mouse.dblclick(640, 450);
    await resting(page);
    expect(await scale(page)).toBeCloseTo(2.5, 2);
    const before = await picture(page);
    await page.mouse.move(640, 450);
    await page.mouse.down();
    await page.mouse.move(600, 430, { steps: 4 });
    await page.mouse.move(540, 400, { steps: 4 });
    const after = await picture(page);
    expect(after.left - before.left).toBeCloseTo(-100, 0);
    expect(after.top - before.top).toBeCloseTo(-50, 0);
    await page.mouse.up();
    await page.mouse.move(1200, 400);
    await page.mouse.down();
    await page.mouse.move(5, 400, { steps: 4 });
    await page.mouse.up();
    await resting(page);
    expect((await picture(page)).right).toBeCloseTo(1280, 0);
    await page.mouse.dblclick(640, 450);
    await expect.poll(() => scale(page)).toBe(1);
  });

  it('arrow keys move it while it is enlarged, and lead to others while it is not', async () => {
    await using visited = await open(DESKTOP);
    const { page } = visited;
    await page.locator('dialog .zoom').focus();
    await page.keyboard.press('Enter');
    await resting(page);
    expect(await scale(page)).toBeCloseTo(2.5, 2);
    const at = await picture(page);
    const press = async (key: string) => {
      await page.keyboard.press(key);
      await resting(page);
      return picture(page);
    };
    expect((await press('ArrowRight')).left).toBeLessThan(at.left - 50);
    expect((await press('ArrowLeft')).left).toBeCloseTo(at.left, 0);
    expect((await press('ArrowDown')).top).toBeLessThan(at.top - 50);
    for (let turn = 0; turn < 20; turn++) await page.keyboard.press('ArrowUp');
    expect((await press('ArrowUp')).top).toBeCloseTo(0, 0);
    expect(await counter(page)).toBe('1 of 30');
    await page.keyboard.press('Enter');
    await expect.poll(() => scale(page)).toBeCloseTo(1, 1);
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => counter(page)).toBe('2 of 30');
  });
});

/** Parts of our controls that lie on the player. */
const covered = (page: Page, root: string) =>
  page.evaluate(`(() => {
    const player = document.querySelector(${JSON.stringify(`${root} iframe`)}).getBoundingClientRect();
    return [...document.querySelectorAll(${JSON.stringify(`${root} .controls > *`)})]
      .filter((control) => {
        const { width, left, right, top, bottom } = control.getBoundingClientRect();
        return (
          width > 0 &&
          Math.min(right, player.right) - Math.max(left, player.left) > 0.5 &&
          Math.min(bottom, player.bottom) - Math.max(top, player.top) > 0.5
        );
      })
      .map((control) => control.className);
  })()`);

describe.each([
  ['window', WINDOW],
  ['phone', PHONE],
  ['phone on its side', { ...PHONE, viewport: { width: 844, height: 390 } }],
] as const)('a playing video, %s', (_, device) => {
  it('has nothing of ours on it, on the page and in the viewer', async () => {
    await using visited = await visit(browser, address(PLATES.mixed), device);
    const { page, problems } = visited;
    const { height } = (await page.locator('.gallery .frame').boundingBox()) ?? { height: 0 };
    await page.locator('.gallery [data-play]').first().click();
    await page.locator('.gallery iframe').waitFor();
    expect(await covered(page, '.gallery')).toEqual([]);
    // Ours make room within the frame: nothing below it moves.
    expect((await page.locator('.gallery .frame').boundingBox())?.height).toBeCloseTo(height, 0);
    expect(await page.locator('.gallery .full').isVisible()).toBe(true);
    // One player at once: that of the page goes when the viewer comes.
    await page.locator('.gallery .full').click();
    await expect.poll(() => isOpen(page)).toBe(true);
    expect(await page.locator('iframe').count()).toBe(0);
    await page.locator('dialog [data-play]').first().click();
    await expect.poll(() => playing(page)).toBe('playing');
    expect(await covered(page, 'dialog')).toEqual([]);
    expect(await violations(page)).toEqual([]);
    await page.locator('dialog .next').click();
    await expect.poll(() => counter(page)).toBe('3 of 7');
    expect(await page.locator('.playing').count()).toBe(0);
    expect(await page.locator('dialog .zoom').isVisible()).toBe(true);
    expect(problems).toEqual([]);
  });
});

describe('a video in the viewer, by keyboard', () => {
  it('is reached by arrows; Escape closes while it plays, and comes back from within it', async () => {
    await using visited = await open(DESKTOP, '#1', PLATES.mixed);
    const { page, problems } = visited;
    await page.locator('dialog .slide a[tabindex="0"]').focus();
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => counter(page)).toBe('2 of 7');
    await page.keyboard.press('Enter');
    await expect.poll(() => playing(page)).toBe('playing');
    expect(new URL(showroom.service.baseUrl).origin).not.toBe(new URL(page.url()).origin);
    // The player's own keys are one step of Tab away, and no further.
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.tagName')).toBe('IFRAME');
    await expect.poll(() => page.frameLocator('dialog iframe').locator(':focus').count()).toBe(1);
    await page.keyboard.press('Space');
    await expect.poll(() => playing(page)).toBe('paused');
    await page.keyboard.press('Shift+Tab');
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).not.toBe('IFRAME');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('dialog').count()).toBe(0);
    expect(problems).toEqual([]);
  });

  it('Escape closes right after the click that plays, and once the mouse has left the player', async () => {
    await using visited = await open(DESKTOP, '#2', PLATES.mixed);
    const { page } = visited;
    await page.locator('dialog [data-play]').first().click();
    await expect.poll(() => playing(page)).toBe('playing');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('dialog').count()).toBe(0);
    // The browser goes back in its own time.
    await expect.poll(() => page.evaluate('Boolean(history.state?.viewer)')).toBe(false);
    await page.locator('.gallery .full').click();
    await page.locator('dialog [data-play]').first().click();
    await expect.poll(() => playing(page)).toBe('playing');
    await page.frameLocator('dialog iframe').locator('.play').click();
    await expect.poll(() => playing(page)).toBe('paused');
    expect(await page.evaluate('document.activeElement.tagName')).toBe('IFRAME');
    const { x, y } = (await page.locator('dialog .counter').boundingBox()) ?? { x: 0, y: 0 };
    await page.mouse.move(x + 4, y + 4, { steps: 3 });
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('dialog').count()).toBe(0);
  });
});

describe('Back', () => {
  it('closes the viewer, stays on the page, and leaves it only after that', async () => {
    await using visited = await visit(browser, `${showroom.server.url}northgate/`, WINDOW);
    const { page, problems } = visited;
    await page.locator('.card a', { hasText: 'CD34' }).click();
    await page.waitForURL(/cd34efg/);
    await page.locator('.gallery .next').click();
    await expect.poll(() => counter(page, '.gallery')).toBe('2 of 30');
    const entries = () => page.evaluate('history.length');
    const before = Number(await entries());
    await page.locator('.gallery .full').click();
    await expect.poll(() => isOpen(page)).toBe(true);
    await page.locator('dialog .next').click();
    await expect.poll(() => counter(page)).toBe('3 of 30');
    await page.goBack();
    await expect.poll(() => page.locator('dialog').count()).toBe(0);
    expect(await counter(page, '.gallery')).toBe('3 of 30');
    await expect.poll(() => page.url()).toMatch(/cd34efg\/#3$/);
    // Forward to the viewer opens it; so does loading its page again.
    await page.goForward();
    await expect.poll(() => isOpen(page)).toBe(true);
    await page.reload();
    await expect.poll(() => isOpen(page)).toBe(true);
    await expect.poll(() => counter(page)).toBe('3 of 30');
    // Closed by a key, the viewer leaves nothing behind that Back would have to pass.
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('dialog').count()).toBe(0);
    await expect.poll(() => page.evaluate('Boolean(history.state?.viewer)')).toBe(false);
    await expect.poll(() => page.url()).toMatch(/cd34efg\/#3$/);
    expect(await counter(page, '.gallery')).toBe('3 of 30');
    expect(await entries()).toBe(before + 1);
    await page.goBack();
    await page.waitForURL(/northgate\/$/);
    expect(problems).toEqual([]);
  });

  it.each([
    ['in a frame', 'allowfullscreen'],
    ['in a sandbox', 'sandbox="allow-scripts"'],
  ])('closes the viewer %s, and the website around stays', async (_, attributes) => {
    const embed = `${showroom.server.url}embed/northgate/cd34efg/#?secret=aBc123`;
    const url = foreign.page(
      `<iframe src="${embed}" width="800" height="700" ${attributes}></iframe>`,
    );
    await using visited = await visit(browser, url);
    const { page, problems } = visited;
    const frame = page.frameLocator('iframe');
    await frame.locator('.gallery .full').click();
    await expect.poll(() => frame.locator('dialog[open]').count()).toBe(1);
    await frame.locator('dialog .next').click();
    await expect.poll(() => frame.locator('dialog .counter').textContent()).toBe('2 of 30');
    // What the browser's button does; Playwright's would wait for a page.
    await page.evaluate('history.back()');
    await expect.poll(() => frame.locator('dialog').count()).toBe(0);
    expect(page.url()).toBe(url);
    await expect
      .poll(() => frame.locator('.gallery .counter').first().textContent())
      .toBe('2 of 30');
    await frame.locator('.gallery .full').click();
    await expect.poll(() => frame.locator('dialog[open]').count()).toBe(1);
    await frame.locator('dialog .close').click();
    await expect.poll(() => frame.locator('dialog').count()).toBe(0);
    // A sandbox refuses the screen, and says so.
    expect(problems.filter((text) => !text.includes('fullscreen is not allowed'))).toEqual([]);
  });
});
