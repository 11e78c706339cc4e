import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { type Visit, type VisitOptions, visit } from './page.ts';
import { sharedBrowser, sharedShowroom } from './shared.ts';
import { PLATES } from './showroom.ts';

/* The gallery of a vehicle and its viewer, as visitors use them. */

/** Opens the page of a vehicle of the showroom. */
export async function openVehicle(
  plate: string = PLATES.thirty,
  options: VisitOptions = {},
  hash = '',
): Promise<Visit> {
  const { server } = await sharedShowroom();
  const address = `${server.url}northgate/${plate.toLowerCase()}/${hash}`;
  return visit(await sharedBrowser(), address, options);
}

/** Opens the page of a vehicle, and its viewer. */
export async function openViewer(options?: VisitOptions, hash?: string, plate?: string) {
  const page = await openVehicle(plate, options, hash);
  await page.locator('.gallery .full').click();
  await expectOpen(page);
  await resting(page);
  return page;
}

/** Waits until the viewer is open or closed. */
export const expectOpen = (page: Page, open = true) =>
  expect.poll(() => page.locator('dialog.viewer[open]').count()).toBe(open ? 1 : 0);

/** Waits until the counter of the viewer, or of another part of the page, shows a picture, such as `2 of 30`. */
export const expectAt = (page: Page, text: string, root = 'dialog') =>
  expect.poll(() => page.locator(`${root} .counter`).textContent()).toBe(text);

/** Number of the slide that fills the stage, from 1. */
export const shown = (page: Page, root = '.gallery') =>
  page
    .locator(`${root} .stage`)
    .evaluate((stage) => Math.round(stage.scrollLeft / stage.clientWidth) + 1);

/** A property of the focused element. */
export const focused = (page: Page, what: string) =>
  page.evaluate(`document.activeElement?.${what}`);

/** State of the player in a part of the page. */
export const playing = (page: Page, root = 'dialog') =>
  page.frameLocator(`${root} iframe`).locator('main').getAttribute('data-state');

/** Waits until the sent input is on the screen. */
export const painted = (page: Page) =>
  page.evaluate('new Promise((then) => requestAnimationFrame(() => requestAnimationFrame(then)))');

/** Waits until all animations have ended. */
export async function resting(page: Page): Promise<void> {
  await painted(page);
  await expect
    .poll(() =>
      page.evaluate("document.getAnimations().filter((one) => one.playState === 'running').length"),
    )
    .toBe(0);
}

/** Scale of the picture in the viewer, its box, and the viewer's edges, on the screen. */
export const picture = (page: Page) =>
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
      box: { left: x, top: y },
      left,
      right: left + naturalWidth * fit,
      top,
      bottom: top + naturalHeight * fit,
    };
  })()`) as Promise<
    Record<'scale' | 'left' | 'right' | 'top' | 'bottom', number> & {
      box: { left: number; top: number };
    }
  >;

export const scale = async (page: Page) => (await picture(page)).scale;

type Point = readonly [x: number, y: number];

/** Touches of the browser itself, timed by our clock, so that a slow machine makes no slow swipe. */
export async function hand(page: Page) {
  const client = await page.context().newCDPSession(page);
  let now = Date.now() / 1000;
  const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', points: readonly Point[] = []) =>
    client.send('Input.dispatchTouchEvent', {
      type,
      timestamp: now,
      touchPoints: points.map(([x, y], id) => ({ x, y, id })),
    });
  const wait = (milliseconds: number) => {
    now += milliseconds / 1000;
  };
  return {
    send,
    wait,
    async tap(point: Point) {
      await send('touchStart', [point]);
      wait(40);
      await send('touchEnd');
      wait(100);
    },
    /** Moves fingers between positions in the given milliseconds. `hold`: they rest before they are lifted. */
    async move(from: readonly Point[], to: readonly Point[], took = 130, hold = false) {
      await send('touchStart', from);
      for (let step = 1; step <= 8; step++) {
        wait(took / 8);
        await send(
          'touchMove',
          from.map(([x, y], n) => {
            const [toX, toY] = to[n] ?? [x, y];
            return [x + ((toX - x) * step) / 8, y + ((toY - y) * step) / 8];
          }),
        );
      }
      if (hold) {
        wait(300);
        await send('touchMove', to);
        wait(300);
      }
      await send('touchEnd');
      wait(16);
    },
  };
}
