import { expect, it } from 'vitest';
import { violations } from '../support/axe.ts';
import { expectAt, expectOpen, openVehicle, openViewer, resting } from '../support/gallery.ts';
import { boxOf, DESKTOP, PHONE, phoneOf } from '../support/page.ts';
import { PLATES } from '../support/showroom.ts';

it.each([
  ['small phone', phoneOf(320, 568)],
  ['phone on its side', phoneOf(844, 390)],
  ['desktop', DESKTOP],
] as const)('the viewer has name, price, call and share in a slim bar, %s', async (_, device) => {
  await using page = await openViewer(device, '#1', PLATES.mixed);
  const top = await boxOf(page, 'dialog .top');
  expect([top.x, top.y]).toEqual([0, 0]);
  expect(top.height).toBeLessThanOrEqual(60);
  expect(await page.locator('dialog .top p').textContent()).toMatch(
    /^\s*Albion Wren\s+£14,995\s*$/,
  );
  expect(await page.locator('dialog .top a').getAttribute('href')).toBe('tel:+441632960001');
  const inBar = 'dialog .top :is(b, p span, .round)';
  const parts = await page
    .locator(inBar)
    .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().toJSON()));
  expect(parts).toHaveLength(6);
  for (const [index, part] of parts.entries()) {
    expect(part.top).toBeGreaterThanOrEqual(0);
    expect(part.bottom).toBeLessThanOrEqual(top.bottom);
    expect(part.right).toBeLessThanOrEqual(top.right);
    // Buttons are large enough for a finger and do not overlap.
    if (index < 2) continue;
    expect(Math.min(part.width, part.height)).toBeGreaterThanOrEqual(44);
    expect(part.left).toBeGreaterThanOrEqual((parts[index - 1]?.right ?? 0) - 0.5);
  }
  expect(await violations(page)).toEqual([]);
});

it('shares from the bar and shows that the URL was copied', async () => {
  await using page = await openViewer({
    ...DESKTOP,
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const label = page.locator('dialog .share span');
  const isSeen = () =>
    page.evaluate(
      `getComputedStyle(document.querySelector('dialog .share span')).clipPath === 'none'`,
    );
  expect(await isSeen()).toBe(false);
  await page.locator('dialog .share').click();
  await expect.poll(() => label.textContent()).toBe('Copied');
  expect(await isSeen()).toBe(true);
  expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(/\/northgate\/cd34efg\/$/);
  await expect.poll(isSeen).toBe(false);
  await expectOpen(page);
});

it('a phone in landscape has synchronised thumbnails beside the picture', async () => {
  await using page = await openViewer(phoneOf(844, 390));
  const stage = await boxOf(page, 'dialog .stage');
  const strip = await boxOf(page, 'dialog .strip');
  expect([stage.x, stage.y, stage.height]).toEqual([0, 0, 390]);
  expect([strip.x, strip.y, strip.right, strip.height]).toEqual([stage.right, 0, 844, 390]);
  await page.locator('dialog .strip a').nth(3).tap();
  await expectAt(page, '4 of 30');
  await page.locator('dialog .stage a[tabindex="0"]').focus();
  await page.keyboard.press('End');
  await expectAt(page, '30 of 30');
  const last = page.locator('dialog .strip a').last();
  await expect.poll(async () => (await last.boundingBox())?.y ?? 999).toBeLessThan(390 - 40);
  // In portrait there is no space for them.
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await page.locator('dialog .strip').isVisible()).toBe(false);
});

it('a playing video fills the width of a phone in landscape', async () => {
  await using page = await openViewer(phoneOf(844, 390), '#2', PLATES.mixed);
  await page.locator('dialog [data-play]').first().tap();
  const player = await boxOf(page, 'dialog iframe');
  expect([player.x, player.right, player.bottom]).toEqual([0, 844, 390]);
  expect(player.height).toBeGreaterThan(320);
});

/** Opens the viewer from a picture and measures the visible part at the start of the animation. */
const firstMoment = (n: number) => `(() => {
  document.querySelector('.stage > [id="${n}"] a').click();
  const image = document.querySelector('dialog .stage > [id="${n}"] img');
  const [growth] = image.getAnimations();
  growth.pause();
  growth.currentTime = 0;
  const { x, y, width, height } = image.getBoundingClientRect();
  const { clipPath, scale } = getComputedStyle(image);
  const [high, wide] = clipPath.match(/[-\\d.]+(?=px)/g).map((length) => length * scale);
  return [x + wide, y + high, width - 2 * wide, height - 2 * high].map(Math.round);
})()`;

it.each([
  ['a picture of several side by side', DESKTOP, 3],
  ['the picture of a phone', PHONE, 1],
] as const)('the viewer opens with an animation from %s', async (_, device, n) => {
  await using page = await openVehicle(PLATES.thirty, device);
  const tile = page.locator('.stage > li').nth(n - 1);
  const from = await tile.boundingBox();
  const first = await page.evaluate(firstMoment(n));
  expect(first).toEqual(
    [from?.x, from?.y, from?.width, from?.height].map((length) => Math.round(length ?? 0)),
  );
  await page.evaluate('document.getAnimations().forEach((one) => one.finish())');
  await resting(page);
  expect((await boxOf(page, `dialog [id="${n}"] img`)).x).toBe(0);
  // Back closes it, as usual.
  await page.goBack();
  await expectOpen(page, false);
});

it('the viewer opens without animation for reduced motion', async () => {
  await using page = await openVehicle(PLATES.thirty, { reducedMotion: 'reduce' });
  const running = await page.evaluate(`(() => {
    document.querySelector('.stage a').click();
    return document.getAnimations().length;
  })()`);
  await expectOpen(page);
  expect(running).toBe(0);
});
