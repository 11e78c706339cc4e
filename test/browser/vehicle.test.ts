import { describe, expect, it } from 'vitest';
import { openVehicle, playing } from '../support/gallery.ts';
import { boxOf, DESKTOP, FAILED, PHONE, phoneOf, resize, visit } from '../support/page.ts';
import { sharedBrowser, sharedShowroom } from '../support/shared.ts';
import { PLATES } from '../support/showroom.ts';

const browser = await sharedBrowser();
const showroom = await sharedShowroom();

const address = (plate: string = PLATES.mixed) =>
  `${showroom.server.url}northgate/${plate.toLowerCase()}/`;
const clipboard = { permissions: ['clipboard-read', 'clipboard-write'] };

describe.each([
  ['a phone', phoneOf(360, 740), 'swiped'],
  ['a phone on its side', phoneOf(740, 360), 'beside'],
  ['a tablet', { viewport: { width: 768, height: 1024 } }, 'moved'],
  ['a laptop', { viewport: { width: 1366, height: 657 } }, 'mosaic'],
  ['a low wide screen', { viewport: { width: 1920, height: 700 } }, 'mosaic'],
  ['a large screen', { viewport: { width: 1920, height: 1080 } }, 'wide'],
] as const)('the stage on %s', (_, device, form) => {
  it('fits the screen, begins with a picture and has its controls', async () => {
    await using page = await openVehicle(PLATES.mixed, device);
    const { width, height } = page.viewportSize() ?? { width: 0, height: 0 };
    const frame = await boxOf(page, '.frame');
    expect(frame.height).toBeLessThanOrEqual(Math.min(0.7 * height, 640) + 0.5);
    expect(frame.height).toBeGreaterThan(190);
    expect(await page.locator('.slide').first().locator('.shot').count()).toBe(1);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    const seen = async (selector: string) => page.locator(selector).first().isVisible();
    const isMosaic = form === 'mosaic' || form === 'wide';
    expect(await seen('.frame .counter')).toBe(!isMosaic);
    expect(await seen('.frame .next')).toBe(form === 'moved');
    expect(await seen('.strip')).toBe(form === 'moved');
    expect(await seen('.frame .all')).toBe(isMosaic);
    const about = await boxOf(page, '.about');
    if (form === 'swiped') {
      const header = await boxOf(page, '.masthead');
      expect(frame).toMatchObject({ x: 0, y: header.bottom, width });
    }
    if (form === 'beside' || form === 'mosaic') expect(about.x).toBeGreaterThan(frame.right);
    else expect(about.y).toBeGreaterThan(frame.bottom);
    if (form === 'wide') {
      expect(frame).toMatchObject({ x: 160, width: 1600 });
      expect((await boxOf(page, '.about .price')).bottom).toBeLessThan(height);
    }
    // Every picture is loaded in its displayed size: "sizes" has its width.
    if (isMosaic) {
      const shares = () =>
        page
          .locator('.slide img')
          .evaluateAll((images) =>
            (images as never as { naturalWidth: number; clientWidth: number }[])
              .filter(({ clientWidth }) => clientWidth > 0)
              .map(({ naturalWidth, clientWidth }) => (naturalWidth / clientWidth).toFixed(1)),
          );
      await expect.poll(shares).toEqual(['1.0', '1.0', '1.0']);
    }
    expect(await page.locator('.slide').nth(1).locator('.play').count()).toBe(1);
  });
});

it('a mosaic has one large and two small pictures; a button opens all pictures', async () => {
  await using page = await openVehicle(PLATES.mixed);
  const shown = page.locator('.frame .slide:visible');
  expect(await shown.count()).toBe(3);
  const [large, small, other] = await Promise.all(
    [0, 1, 2].map(async (at) => shown.nth(at).boundingBox()),
  );
  expect((large?.width ?? 0) / (small?.width ?? 1)).toBeCloseTo(2, 1);
  expect(other?.height).toBeCloseTo(small?.height ?? 0, 0);
  // The Tab key reaches all three.
  expect(await page.locator('.frame .shot:visible[tabindex="-1"]').count()).toBe(0);
  const all = page.getByRole('button', { name: 'All 5 photos' });
  await all.click();
  await expect.poll(() => page.locator('dialog[open]').count()).toBe(1);
  for (let turn = 0; turn < 4; turn++) await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Escape');
  await expect.poll(() => page.locator('dialog').count()).toBe(0);
  // The last shown picture is not in the mosaic, so the focus returns to the button.
  expect(await page.evaluate('document.activeElement.classList.contains("full")')).toBe(true);
  expect(await shown.count()).toBe(3);
  // A first picture in portrait format is shown whole.
  await page.goto(`${showroom.server.url}riverside/rs51tuv/`);
  expect(await shown.count()).toBe(3);
  expect(await page.locator('.mosaic').count()).toBe(0);
});

it.each([
  ['desktop', DESKTOP, 'dialog'],
  ['phone', PHONE, '.frame'],
] as const)(
  'the play button on the first picture plays the video, %s',
  async (_, device, place) => {
    await using page = await openVehicle(PLATES.mixed, device);
    await page.getByRole('link', { name: 'Play video: Walkaround' }).first().click();
    await expect.poll(() => playing(page, place)).toBe('playing');
    // The player is in view, and not next to the screen.
    const player = await boxOf(page, `${place} iframe`);
    expect(player.x).toBeGreaterThanOrEqual(0);
    expect(player.right).toBeLessThanOrEqual(page.viewportSize()?.width ?? 0);
  },
);

describe('price and buttons at the bottom of a phone', () => {
  it('appear after those of the page scroll away and never cover the footer', async () => {
    await using page = await openVehicle(PLATES.mixed, phoneOf(360, 740));
    const bar = () => boxOf(page, '.bar');
    const scroll = (y: number) => page.evaluate(`scrollTo({ top: ${y}, behavior: 'instant' })`);
    expect((await bar()).y).toBeGreaterThanOrEqual(740);
    const buttons = await boxOf(page, '.about .contacts');
    await scroll(buttons.y - 300);
    expect((await bar()).y).toBeGreaterThanOrEqual(740);
    await scroll(buttons.bottom + 60);
    await expect.poll(async () => (await bar()).bottom).toBeCloseTo(740, 0);
    expect(await page.locator('.bar').textContent()).toContain('£14,995');
    const links = page.locator('.bar a');
    expect(await links.evaluateAll((all) => all.map((one) => one.getAttribute('href')))).toEqual([
      'tel:+441632960001',
      expect.stringContaining('https://wa.me/447700900001?text='),
    ]);
    // Focusing an element scrolls it above the bar.
    await page.locator('.neighbours a').last().focus();
    const focused = await boxOf(page, '.neighbours a:focus');
    expect(focused.bottom).toBeLessThanOrEqual((await bar()).y + 1);
    await scroll(99_999);
    expect((await bar()).bottom).toBeLessThanOrEqual((await boxOf(page, '.footer')).y + 1);
  });

  it('are in one row with a long price on every phone', async () => {
    await using page = await openVehicle(PLATES.mixed, PHONE);
    for (const width of [320, 360, 390]) {
      await resize(page, width, 740);
      await page.goto(address());
      const { height } = await boxOf(page, '.bar');
      await page.evaluate(`
        document.querySelector('.bar .price').textContent = '1.249.995\\u00a0GBP';
        document.querySelector('.bar .phone').lastChild.replaceWith('Anrufen');
      `);
      expect((await boxOf(page, '.bar')).height, `${width}`).toBe(height);
    }
  });

  it('are hidden on desktops, also zoomed to 400 %', async () => {
    await using page = await openVehicle(PLATES.mixed);
    expect(await page.locator('.bar').isVisible()).toBe(false);
    await page.setViewportSize({ width: 500, height: 700 });
    expect(await page.locator('.bar').isVisible()).toBe(true);
    await page.setViewportSize({ width: 320, height: 256 });
    expect(await page.locator('.bar').isVisible()).toBe(false);
  });
});

describe('the facts of a vehicle', () => {
  it('are beside the picture: name, line of facts, price, plate', async () => {
    await using page = await openVehicle(PLATES.mixed);
    expect(await page.locator('h1').textContent()).toBe('Albion Wren');
    expect(await page.locator('.key-facts').textContent()).toBe('2021\u00a0· 21,000\u00a0miles');
    expect(await page.locator('.about .price').textContent()).toBe('£14,995');
    expect(await page.locator('.about .plate').textContent()).toBe('AB12 CDE');
    await page.goto(address(PLATES.thirty));
    expect(await page.locator('.about .price').textContent()).toBe('Price on request');
    await page.goto(address('kl25mnp'));
    expect(await page.locator('h1.plate').textContent()).toBe('KL25 MNP');
    expect(await page.locator('.about .plate').count()).toBe(1);
    // Without photos, a notice and a drawn car, without counting to zero.
    await page.goto(address(PLATES.empty));
    expect(await page.locator('.frame').textContent()).toContain('Photos coming soon');
    expect((await boxOf(page, '.frame svg')).width).toBeGreaterThan(100);
    expect(await page.content()).not.toMatch(/\b0 (pictures|videos|photos)/);
  });

  it('are followed by four other vehicles and links to its neighbours in the list', async () => {
    await using page = await openVehicle(PLATES.thirty);
    expect(await page.locator('.similar a').count()).toBe(4);
    // A status is on the picture, so that the prices stay side by side.
    const { y } = await boxOf(page, '.similar .price');
    await page.evaluate(`document.querySelector('.similar a:has(.price) .name')
      .insertAdjacentHTML('afterend', '<span class="status">Reserved</span>')`);
    expect((await boxOf(page, '.similar .price')).y).toBe(y);
    const go = async (rel: string) => page.locator(`.neighbours [rel=${rel}]`).getAttribute('href');
    expect(await go('prev')).toBe('/northgate/ab12cde/');
    expect(await go('next')).toBe('/northgate/ef56ghj/');
    await page.locator('.similar a').first().click();
    await page.waitForURL((url) => !url.pathname.includes('cd34efg'));
    expect(await page.locator('h1').isVisible()).toBe(true);
  });

  it('keep their place and show a notice if pictures fail to load', async () => {
    await using page = await visit(browser, 'about:blank', { expected: FAILED });
    await page.route('**/media/**', (route) => route.abort());
    await page.goto(address(PLATES.mixed), { waitUntil: 'load' });
    const note = page.locator('.large .nopicture');
    await expect.poll(() => note.textContent()).toBe('Photo unavailable');
    expect((await boxOf(page, '.large .nopicture')).width).toBeGreaterThan(400);
    expect((await boxOf(page, '.frame')).height).toBeGreaterThan(300);
    await page.locator('.similar').scrollIntoViewIfNeeded();
    await expect.poll(() => page.locator('.similar .nopicture').count()).toBe(4);
    const options = { ...PHONE, javaScriptEnabled: false, expected: FAILED };
    await using plain = await openVehicle(PLATES.empty, options);
    await plain.route('**/media/**', (route) => route.abort());
    await plain.reload();
    await plain.locator('.similar').scrollIntoViewIfNeeded();
    expect((await boxOf(plain, '.similar img')).width).toBeLessThan(195);
  });
});

describe('sharing', () => {
  it('copies the URL if the browser has no share dialog, and confirms it', async () => {
    await using page = await openVehicle(PLATES.mixed, { ...clipboard });
    const button = page.locator('.actions .share');
    expect(await button.textContent()).toContain('Copy link');
    await button.click();
    await expect.poll(() => button.locator('[aria-live=polite]').textContent()).toBe('Copied');
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(address());
    await expect.poll(() => button.textContent()).toContain('Copy link');
  });

  it('passes title and URL to the share dialog of the device', async () => {
    // Headless browsers have no share dialog. The platform's side is fake, our side is real.
    await using page = await visit(browser, `${showroom.server.url}northgate/`, PHONE);
    await page.addInitScript(`
      navigator.canShare = () => true;
      navigator.share = async (what) => { window.shared = what; };`);
    await page.goto(address());
    expect(await page.locator('.actions .share').textContent()).toContain('Share');
    await page.locator('.actions .share').tap();
    expect(await page.evaluate('window.shared')).toEqual({
      title: '2021 Albion Wren, AB12 CDE',
      url: address(),
    });
  });
});
