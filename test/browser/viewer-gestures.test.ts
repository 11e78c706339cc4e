import { describe, expect, it } from 'vitest';
import {
  expectAt,
  expectOpen,
  focused,
  hand,
  openVehicle,
  openViewer,
  painted,
  picture,
  resting,
  scale,
} from '../support/gallery.ts';
import { DESKTOP, FAILED, PHONE } from '../support/page.ts';
import { sharedShowroom } from '../support/shared.ts';
import { PLATES } from '../support/showroom.ts';

const showroom = await sharedShowroom();

/** A picture that fills the screen at its initial position. */
const AT_REST = { scale: 1, box: { left: 0, top: 0 } };

describe('fingers', () => {
  it('drag the picture down: a short drag springs back, a long or fast one closes', async () => {
    await using page = await openViewer(PHONE);
    const { move, wait } = await hand(page);
    await move([[195, 300]], [[195, 380]], 600, true);
    await resting(page);
    await expectOpen(page);
    expect(await picture(page)).toMatchObject(AT_REST);
    wait(500);
    // The same distance, but released at speed.
    await move([[195, 300]], [[195, 380]], 60);
    await expectOpen(page, false);
    await page.locator('.gallery .full').click();
    await expectOpen(page);
    wait(500);
    await move([[195, 300]], [[195, 560]], 900, true);
    await expectOpen(page, false);
    expect(await page.evaluate('Boolean(history.state?.viewer)')).toBe(false);
  });

  it('pinch the picture: slightly smaller springs back, much smaller closes', async () => {
    await using page = await openViewer(PHONE);
    const { move, wait } = await hand(page);
    const pair = (gap: number) =>
      [
        [195 - gap, 422],
        [195 + gap, 422],
      ] as const;
    const pinch = async (before: number, after: number) => {
      await move(pair(before), pair(after), 300);
      wait(500);
    };
    await pinch(40, 100);
    await resting(page);
    expect(await scale(page)).toBeCloseTo(2.5, 1);
    // An enlarged picture returns to its size first.
    await pinch(150, 30);
    await resting(page);
    await expectOpen(page);
    expect(await picture(page)).toMatchObject(AT_REST);
    await pinch(100, 90);
    await resting(page);
    expect(await picture(page)).toMatchObject(AT_REST);
    await pinch(100, 40);
    await expectOpen(page, false);
  });

  it('drag the zoomed picture, elastically beyond its edge and back', async () => {
    await using page = await openViewer(PHONE);
    const { move, send, wait } = await hand(page);
    const left = async () => (await picture(page)).box.left;
    await page.locator('dialog .zoom').tap();
    await resting(page);
    const start = await left();
    await move([[195, 422]], [[145, 422]], 600, true);
    await resting(page);
    const still = await left();
    expect(still - start).toBeCloseTo(-50, 0);
    wait(500);
    await move([[195, 422]], [[145, 422]], 100);
    await resting(page);
    expect((await left()) - still).toBeLessThan(-80);
    wait(500);
    for (let turn = 0; turn < 2; turn++) {
      await move([[380, 422]], [[0, 422]], 300);
      wait(500);
    }
    // Beyond the edge while the finger still touches.
    await send('touchStart', [[380, 422]]);
    for (let x = 360; x >= 0; x -= 20) {
      wait(16);
      await send('touchMove', [[x, 422]]);
    }
    const edge = 390 - 2.5 * 390;
    await expect.poll(left).toBeLessThan(edge - 20);
    await send('touchEnd');
    await resting(page);
    expect(await left()).toBeCloseTo(edge, 0);
    await expectOpen(page);
  });

  it('swipe to the next picture without closing; two quick swipes are two swipes', async () => {
    await using page = await openViewer(PHONE);
    const { move, wait } = await hand(page);
    await move([[350, 300]], [[40, 320]]);
    await expectAt(page, '2 of 30');
    await resting(page);
    await expectOpen(page);
    wait(500);
    const place = () =>
      page.locator('dialog .stage').evaluate((stage) => stage.scrollLeft / stage.clientWidth);
    await expect.poll(place).toBe(1);
    // Beside the buttons, with the second swipe immediately after the first. A busy browser may drop swipes
    // before the page sees them, so the pair is repeated. No pair may enlarge the picture.
    await expect
      .poll(async () => {
        await move([[350, 300]], [[50, 300]]);
        await move([[350, 300]], [[50, 300]]);
        await painted(page);
        expect(await page.locator('dialog .zoomed').count()).toBe(0);
        wait(500);
        return place();
      })
      .toBeGreaterThan(1.5);
  });

  it('zoom in by a double tap until the next double tap', async () => {
    await using page = await openViewer(PHONE);
    // Events that the browser derives from two taps. The later ones once undid the first tap.
    await page.evaluate(
      "window.clicks = []; for (const type of ['click', 'dblclick']) addEventListener(type, () => clicks.push(type), true)",
    );
    const { tap, wait } = await hand(page);
    await tap([120, 420]);
    await tap([124, 424]);
    await expect.poll(() => page.evaluate('clicks.length')).toBe(3);
    await painted(page);
    expect(await page.evaluate('clicks')).toEqual(['click', 'click', 'dblclick']);
    await expect.poll(() => scale(page)).toBeCloseTo(2.5, 2);
    wait(2000);
    await tap([200, 420]);
    await resting(page);
    expect(await scale(page)).toBeCloseTo(2.5, 2);
    await tap([200, 420]);
    await expect.poll(() => scale(page)).toBe(1);
  });

  it('cannot drag the picture out of view', async () => {
    await using page = await openViewer(PHONE);
    const { move, tap, wait } = await hand(page);
    await tap([195, 422]);
    await tap([195, 422]);
    await expect.poll(() => scale(page)).toBeCloseTo(2.5, 2);
    for (const [from, to, edge] of [
      [[385, 800], [5, 400], 390],
      [[5, 90], [385, 490], 0],
    ] as const) {
      wait(500);
      for (let turn = 0; turn < 4; turn++) await move([from], [to]);
      await resting(page);
      const { left, right, top, bottom } = await picture(page);
      // Wider than the screen: it fills the screen and one edge is reached. Lower than the screen: it stays
      // centred.
      expect(left).toBeLessThanOrEqual(0.5);
      expect(right).toBeGreaterThanOrEqual(389.5);
      expect(edge === 0 ? left : right).toBeCloseTo(edge, 0);
      expect(bottom - top).toBeLessThan(844);
      expect((top + bottom) / 2).toBeCloseTo(422, 0);
    }
  });
});

describe('a click', () => {
  it('beside the picture closes, on the picture does not', async () => {
    await using page = await openViewer({ viewport: { width: 1366, height: 657 } });
    await page.mouse.click(683, 300);
    await page.waitForTimeout(400);
    await expectOpen(page);
    await page.mouse.click(60, 450);
    await expectOpen(page, false);
  });

  it('on a thumbnail shows its picture; the focus begins at Close and stays inside', async () => {
    await using page = await openViewer(DESKTOP);
    expect(await focused(page, 'className')).toContain('close');
    expect(await page.locator('dialog .stage a[tabindex="0"]').count()).toBe(1);
    await page.locator('dialog .strip a').nth(3).click();
    await expectAt(page, '4 of 30');
    for (let turn = 0; turn < 12; turn++) {
      await page.keyboard.press('Tab');
      const inside =
        "document.activeElement === document.body || Boolean(document.activeElement.closest('dialog'))";
      expect(await page.evaluate(inside)).toBe(true);
    }
    await page.keyboard.press('Escape');
    await expectOpen(page, false);
    expect(await focused(page, 'className')).toContain('full');
  });
});

it.each([
  ['its host is blocked', 'abort'],
  ['it hangs', 'hang'],
  ['it hangs, without the focus if the visitor has moved on', 'left'],
])('a player is replaced by its still with a link to the video if %s', async (_, how) => {
  await using page = await openVehicle(PLATES.onlyVideo, { expected: FAILED });
  await page.route('**/hosted/embed/**', async (route) => {
    if (how === 'abort') await route.abort('blockedbyclient');
  });
  await page.locator('.gallery [data-play]').click();
  expect(await page.locator('.gallery iframe').count()).toBe(1);
  const link = page.locator('.gallery .play');
  if (how === 'left') await page.locator('.about .share').focus();
  await expect.poll(() => page.locator('.gallery iframe').count()).toBe(0);
  expect(await link.isVisible()).toBe(true);
  expect((await link.textContent())?.trim()).toBe('Watch the video: Tour');
  expect(await link.evaluate((one) => one.matches(':focus'))).toBe(how !== 'left');
  await link.click();
  await page.waitForURL(`${showroom.service.baseUrl}/player/1301`);
});
