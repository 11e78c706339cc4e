import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { violations } from '../support/axe.ts';
import { openExternalSite } from '../support/external-site.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import {
  expectAt,
  expectOpen,
  openVehicle,
  openViewer,
  picture,
  playing,
  resting,
  scale,
} from '../support/gallery.ts';
import { DESKTOP, PHONE, visit, WINDOW } from '../support/page.ts';
import { sharedBrowser, sharedShowroom } from '../support/shared.ts';
import { PLATES } from '../support/showroom.ts';

const browser = await sharedBrowser();
const showroom = await sharedShowroom();
const foreign = await forAllTests(openExternalSite());

it('an enlarged picture is dragged by the mouse up to its edge, and moved by arrow keys', async () => {
  await using page = await openViewer(DESKTOP);
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
  await expectAt(page, '1 of 30');
  await page.keyboard.press('Enter');
  await expect.poll(() => scale(page)).toBeCloseTo(1, 1);
  // Otherwise they change the picture.
  await page.keyboard.press('ArrowRight');
  await expectAt(page, '2 of 30');
});

/** Our controls that cover the player. */
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
  it('has no overlay, on the page and in the viewer', async () => {
    await using page = await openVehicle(PLATES.mixed, device);
    const { height } = (await page.locator('.gallery .frame').boundingBox()) ?? { height: 0 };
    await page.locator('.gallery [data-play]').first().click();
    await page.locator('.gallery iframe').waitFor();
    expect(await covered(page, '.gallery')).toEqual([]);
    // Our controls move within the frame without a layout shift below.
    expect((await page.locator('.gallery .frame').boundingBox())?.height).toBeCloseTo(height, 0);
    expect(await page.locator('.gallery .full').isVisible()).toBe(true);
    // Only one player at a time: opening the viewer removes the one on the page.
    await page.locator('.gallery .full').click();
    await expectOpen(page);
    expect(await page.locator('iframe').count()).toBe(0);
    await page.locator('dialog [data-play]').first().click();
    await expect.poll(() => playing(page)).toBe('playing');
    expect(await covered(page, 'dialog')).toEqual([]);
    expect(await violations(page)).toEqual([]);
    await page.locator('dialog .next').click();
    await expectAt(page, '3 of 7');
    expect(await page.locator('.playing').count()).toBe(0);
    expect(await page.locator('dialog .zoom').isVisible()).toBe(true);
  });
});

describe('a video in the viewer, with the keyboard', () => {
  it('is reached by arrows; Escape closes it while it plays and returns the focus', async () => {
    await using page = await openViewer(DESKTOP, '#1', PLATES.mixed);
    await page.locator('dialog .slide a[tabindex="0"]').focus();
    await page.keyboard.press('ArrowRight');
    await expectAt(page, '2 of 7');
    await page.keyboard.press('Enter');
    await expect.poll(() => playing(page)).toBe('playing');
    // The focus is visible, and only one Tab from the player's own controls.
    const outline = 'getComputedStyle(document.activeElement).outlineStyle';
    expect(await page.evaluate(outline)).toBe('solid');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.tagName')).toBe('IFRAME');
    await expect.poll(() => page.frameLocator('dialog iframe').locator(':focus').count()).toBe(1);
    await page.keyboard.press('Space');
    await expect.poll(() => playing(page)).toBe('paused');
    await page.keyboard.press('Shift+Tab');
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).not.toBe('IFRAME');
    await page.keyboard.press('Escape');
    await expectOpen(page, false);
  });

  it('Escape closes right after the click that plays, and after the mouse left the player', async () => {
    await using page = await openViewer(DESKTOP, '#2', PLATES.mixed);
    await page.locator('dialog [data-play]').first().click();
    await expect.poll(() => playing(page)).toBe('playing');
    await page.keyboard.press('Escape');
    await expectOpen(page, false);
    // The browser navigates back asynchronously.
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
    await expectOpen(page, false);
  });
});

describe('Back', () => {
  it('closes the viewer and stays on the page; the next Back leaves it', async () => {
    await using page = await visit(browser, `${showroom.server.url}northgate/`, WINDOW);
    await page.locator('.card a', { hasText: 'CD34' }).click();
    await page.waitForURL(/cd34efg/);
    await page.locator('.gallery .next').click();
    await expectAt(page, '2 of 30', '.gallery');
    const entries = () => page.evaluate('history.length');
    const before = Number(await entries());
    await page.locator('.gallery .full').click();
    await expectOpen(page);
    await page.locator('dialog .next').click();
    await expectAt(page, '3 of 30');
    await page.goBack();
    await expectOpen(page, false);
    await expectAt(page, '3 of 30', '.gallery');
    await expect.poll(() => page.url()).toMatch(/cd34efg\/#3$/);
    // Forward to the viewer opens it. So does loading its page again.
    await page.goForward();
    await expectOpen(page);
    await page.reload();
    await expectOpen(page);
    await expectAt(page, '3 of 30');
    // Closing with a key adds no history entry.
    await page.keyboard.press('Escape');
    await expectOpen(page, false);
    await expect.poll(() => page.evaluate('Boolean(history.state?.viewer)')).toBe(false);
    await expect.poll(() => page.url()).toMatch(/cd34efg\/#3$/);
    await expectAt(page, '3 of 30', '.gallery');
    expect(await entries()).toBe(before + 1);
    await page.goBack();
    await page.waitForURL(/northgate\/$/);
  });

  it.each([
    ['in a frame', 'allowfullscreen'],
    ['in a sandbox', 'sandbox="allow-scripts"'],
  ])('closes the viewer %s, and the surrounding website stays', async (_, attributes) => {
    const embed = `${showroom.server.url}embed/northgate/cd34efg/#?secret=aBc123`;
    const url = foreign.page(
      `<iframe src="${embed}" width="800" height="700" ${attributes}></iframe>`,
    );
    await using page = await visit(browser, url);
    const frame = page.frameLocator('iframe');
    await frame.locator('.gallery .full').click();
    await expect.poll(() => frame.locator('dialog[open]').count()).toBe(1);
    await frame.locator('dialog .next').click();
    await expect.poll(() => frame.locator('dialog .counter').textContent()).toBe('2 of 30');
    // Equals the browser's button. Playwright's method would wait for a page.
    await page.evaluate('history.back()');
    await expect.poll(() => frame.locator('dialog').count()).toBe(0);
    expect(page.url()).toBe(url);
    await expect
      .poll(() => frame.locator('.gallery .counter').first().textContent())
      .toBe('2 of 30');
  });

  it('covers the surrounding website if the browser has no full screen, as on an iPhone', async () => {
    const url = foreign.page(`<meta name="viewport" content="width=device-width">
<div style="padding: 80px; transform: scale(1)"><vehicle-media dealer="northgate" vrm="CD34EFG"></vehicle-media></div>
<script async src="${showroom.server.url}embed.js"></script>`);
    await using page = await visit(browser, foreign.page(''), PHONE);
    await page.addInitScript('delete Element.prototype.requestFullscreen');
    await page.goto(url);
    const frame = page.frameLocator('vehicle-media iframe');
    const boxes = async () => [
      await page.locator('vehicle-media iframe').boundingBox(),
      await page.locator('vehicle-media').boundingBox(),
    ];
    await expect.poll(() => page.locator('vehicle-media').getAttribute('state')).toBe('ready');
    const before = await boxes();
    const close = [
      () => frame.locator('dialog .close').tap(),
      () => page.evaluate('history.back()'),
    ];
    for (const leave of close) {
      await frame.locator('.gallery .full').tap();
      await expect.poll(boxes).toEqual([{ x: 0, y: 0, width: 390, height: 844 }, before[1]]);
      await leave();
      await expect.poll(boxes).toEqual(before);
    }
    // A page that removes the element while its viewer is open, and inserts it again.
    await frame.locator('.gallery .full').tap();
    const height = () => page.locator('vehicle-media').getAttribute('style');
    await expect.poll(height).toMatch(/height: \d/);
    await page.evaluate(
      "document.querySelector('div').append(document.querySelector('vehicle-media'))",
    );
    expect(await height()).toBe('');
    await expect.poll(boxes).toEqual(before);
  });
});
