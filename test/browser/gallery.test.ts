import { describe, expect, it } from 'vitest';
import {
  expectAt,
  expectOpen,
  focused,
  hand,
  openVehicle,
  painted,
  shown,
} from '../support/gallery.ts';
import {
  DESKTOP,
  FAILED,
  layoutShift,
  PHONE,
  resize,
  sourceOf,
  visit,
  WINDOW,
} from '../support/page.ts';
import { sharedBrowser, sharedShowroom } from '../support/shared.ts';
import { PLATES } from '../support/showroom.ts';
import { NORTHGATE, openSite, pictures, vehicle } from '../support/site.ts';

const browser = await sharedBrowser();
const showroom = await sharedShowroom();

it('moves by buttons and thumbnails, shows its position and wraps around', async () => {
  await using page = await openVehicle(PLATES.thirty, WINDOW);
  await page.locator('.gallery .next').click();
  await expect.poll(() => shown(page)).toBe(2);
  await expectAt(page, '2 of 30', '.gallery');
  expect(page.url()).toMatch(/#2$/);
  await page.locator('.strip a').nth(4).click();
  await expect.poll(() => shown(page)).toBe(5);
  expect(await page.locator('.strip [aria-current]').getAttribute('href')).toBe('#5');
  await page.locator('.strip a').first().click();
  await expect.poll(() => shown(page)).toBe(1);
  await page.locator('.gallery .previous').click();
  await expectAt(page, '30 of 30', '.gallery');
  await expect.poll(() => shown(page)).toBe(30);
});

it.each([
  ['desktop', DESKTOP],
  ['phone', PHONE],
])(
  'loads the first picture first without layout shifts, and opens at the picture in the URL, %s',
  async (_, device) => {
    await using page = await openVehicle(PLATES.thirty, device);
    const first = page.locator('.slide img').first();
    expect(await first.getAttribute('fetchpriority')).toBe('high');
    expect(await first.getAttribute('loading')).not.toBe('lazy');
    expect(await page.locator('.slide img').nth(20).getAttribute('loading')).toBe('lazy');
    const wide = page.requested.filter((url) => /-320-\w+\.webp$/.test(url));
    expect(wide.length).toBeLessThan(12);
    const sizes = await page
      .locator('main img')
      .evaluateAll((images) =>
        images.every((image) => image.hasAttribute('width') && image.hasAttribute('height')),
      );
    expect(sizes).toBe(true);
    expect(await layoutShift(page)).toBe(0);
    // It opens at the picture in the URL and stays there when the device rotates, like the viewer.
    await page.goto('about:blank');
    await page.goto(`${showroom.server.url}northgate/cd34efg/#5`);
    await expect.poll(() => shown(page)).toBe(5);
    await expectAt(page, '5 of 30', '.gallery');
    const { width, height } = page.viewportSize() ?? { width: 0, height: 0 };
    await resize(page, height, width);
    await expect.poll(() => shown(page)).toBe(5);
    await page.locator('.gallery .full').click();
    await resize(page, width, height);
    await expect.poll(() => shown(page, 'dialog')).toBe(5);
    await expectAt(page, '5 of 30');
  },
);

describe('gallery, by keyboard', () => {
  it('arrows, Home and End move; the stage and the strip are one Tab stop each', async () => {
    await using page = await openVehicle(PLATES.thirty, WINDOW);
    // Without a focused element, they scroll the page.
    await page.keyboard.press('End');
    await expect.poll(() => page.evaluate('scrollY')).toBeGreaterThan(100);
    await page.locator('.slide a').first().focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await expectAt(page, '3 of 30', '.gallery');
    await expect.poll(() => focused(page, "closest('li')?.id")).toBe('3');
    await page.keyboard.press('End');
    await expectAt(page, '30 of 30', '.gallery');
    await page.keyboard.press('Home');
    await expect.poll(() => shown(page)).toBe(1);
    await page.keyboard.press('ArrowLeft');
    await expectAt(page, '30 of 30', '.gallery');
    expect(await page.locator('.stage a[tabindex="0"]').count()).toBe(1);
    expect(await page.locator('.strip a[tabindex="0"]').count()).toBe(1);
  });

  it('Enter opens the viewer, Escape closes it, and the focus returns', async () => {
    await using page = await openVehicle(PLATES.thirty, WINDOW);
    await page.locator('.slide a').first().focus();
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => shown(page)).toBe(2);
    await page.keyboard.press('Enter');
    await expectOpen(page);
    await expectAt(page, '2 of 30');
    await page.keyboard.press('ArrowRight');
    await expectAt(page, '3 of 30');
    await page.keyboard.press('Escape');
    await expectOpen(page, false);
    await expect.poll(() => shown(page)).toBe(3);
    expect(await focused(page, "closest('li')?.id")).toBe('3');
    await page.locator('.gallery .full').focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    await expectOpen(page, false);
    expect(await focused(page, 'className')).toContain('full');
  });

  it('jumps without animation for visitors who prefer reduced motion', async () => {
    await using page = await openVehicle(PLATES.thirty, { ...WINDOW, reducedMotion: 'reduce' });
    await page.locator('.gallery .next').click();
    expect(await shown(page)).toBe(2);
  });
});

describe('a swipe shows the next picture', () => {
  it('and updates the position', async () => {
    await using page = await openVehicle(PLATES.thirty, PHONE);
    await painted(page);
    await (await hand(page)).move([[350, 130]], [[30, 130]]);
    await expect.poll(() => shown(page)).toBe(2);
    await expectAt(page, '2 of 30', '.gallery');
  });

  it('even before the script has loaded', async () => {
    await using page = await visit(browser, 'about:blank', PHONE);
    const script = Promise.withResolvers<void>();
    await page.route('**/gallery.js?*', async (route) => {
      await script.promise;
      await route.continue();
    });
    await page.goto(`${showroom.server.url}northgate/cd34efg/`, { waitUntil: 'commit' });
    await page.locator('.slide img').first().waitFor();
    // A touch on an unpainted element hits nothing.
    await painted(page);
    await (await hand(page)).move([[350, 130]], [[30, 130]]);
    // Without motion: a scrolling stage notifies the script itself.
    const rest = () => page.locator('.stage').evaluate((at) => at.scrollLeft / at.clientWidth);
    await expect.poll(rest).toBe(1);
    await page.waitForTimeout(100);
    script.resolve();
    await page.waitForLoadState('load');
    await expectAt(page, '2 of 30', '.gallery');
    expect(await shown(page)).toBe(2);
    expect(page.url()).toMatch(/#2$/);
  });
});

describe('videos', () => {
  it('the video host gets no request before the click; one click plays and focuses the video', async () => {
    await using page = await openVehicle(PLATES.mixed, WINDOW);
    await page.waitForLoadState('networkidle');
    const host = new URL(showroom.service.baseUrl).host;
    const hosts = () => [...new Set(page.requested.map((url) => new URL(url).host))];
    expect(hosts()).toEqual([new URL(page.url()).host]);
    const facade = page.locator('.slide [data-play]').first();
    expect(await sourceOf(facade.locator('img'))).toContain('/media/');
    await facade.click();
    const frame = page.frameLocator('.slide iframe');
    await expect.poll(() => frame.locator('main').getAttribute('data-state')).toBe('playing');
    expect(await focused(page, 'tagName')).toBe('IFRAME');
    const iframe = page.locator('.slide iframe');
    expect(await iframe.getAttribute('title')).toContain('Walkaround');
    expect(await iframe.getAttribute('referrerpolicy')).toBe('strict-origin-when-cross-origin');
    await page.locator('.gallery .next').click();
    await expect.poll(() => page.locator('.slide iframe').count()).toBe(0);
    await expectAt(page, '3 of 7', '.gallery');
    await expect.poll(() => shown(page)).toBe(3);
    expect(await facade.isVisible()).toBe(true);
    expect(hosts()).toEqual([new URL(page.url()).host, host]);
  });

  it('a video without a still has a play button, and no drawn car behind it', async () => {
    await using page = await openVehicle(PLATES.onlyVideo, { expected: FAILED });
    await page.route('**/*.webp', (route) => route.abort());
    await page.reload();
    await expect.poll(() => page.locator('.play .nopicture svg').count()).toBe(1);
    expect(await page.locator('.play .cta svg').isVisible()).toBe(true);
    // The play button is in the place of the car and the text.
    expect(await page.locator('.play .nopicture > :visible').count()).toBe(0);
  });

  it('a video without an embeddable player opens its page', async () => {
    await using page = await openVehicle(PLATES.mixed, DESKTOP, '#7');
    await page.locator('.slide .play:not([data-play])').click();
    await page.waitForURL(`${showroom.service.baseUrl}/player/1002`);
  });
});

it('without JavaScript all pictures and links work, and no dead control is shown', async () => {
  await using page = await openVehicle(PLATES.mixed, { javaScriptEnabled: false });
  expect(await page.locator('.slide .shot img').count()).toBe(5);
  expect(await page.locator('.shot').first().getAttribute('href')).toContain('/pictures/1100.jpg');
  expect(await page.locator('.play').first().getAttribute('href')).toContain('/player/1001');
  for (const dead of ['.controls', '.share', '.copy']) {
    expect(await page.locator(dead).first().isVisible()).toBe(false);
  }
  await page.locator('.strip a').nth(3).click();
  await expect
    .poll(async () => (await page.locator('[id="4"]').boundingBox())?.x)
    .toBeCloseTo((await page.locator('.stage').boundingBox())?.x ?? 0, 0);
});

it('is complete within the text of a custom page, also of a vehicle without pictures', async () => {
  await using site = await openSite({
    dealers: [
      {
        ...NORTHGATE,
        vehicles: [vehicle('AB12CDE', pictures(100, 3)), vehicle('CD34EFG', [])],
      },
    ],
    files: {
      'pages/cars.liquid': `---
layout: page.njk
title: Cars
---
<ol><li>First</li></ol>
<article><p>A</p><p>B</p></article>
{% vehicleMediaHead vehicles.first %}
{% for vehicle in vehicles %}{% vehicleGallery vehicle %}{% endfor %}`,
    },
  });
  await using page = await visit(browser, `${site.server.url}cars/`, WINDOW);
  const styleOf = (selector: string) =>
    page.evaluate(`(({ listStyleType, paddingLeft }) => listStyleType + ' ' + paddingLeft)(
      getComputedStyle(document.querySelector('${selector}')))`);
  expect(await styleOf('.prose > ol')).toMatch(/^decimal [1-9]/);
  expect(await styleOf('.stage')).toBe('none 0px');
  // Layouts of blogs put their text into an element, and eleventy-img adds sizes.
  const inText = page.evaluate(`(() => {
    const picture = new Image(1600, 1200);
    document.querySelector('.prose article').append(picture);
    picture.src = document.querySelector('.slide img').currentSrc;
    const { marginTop } = getComputedStyle(document.querySelector('.prose article p + p'));
    return [marginTop, picture.width / picture.height];
  })()`);
  expect(await inText).toEqual(['16px', expect.closeTo(4 / 3, 1)]);
  expect(await page.locator('.gallery .slide').count()).toBe(3);
  expect(await page.locator('.frame.nopicture p').textContent()).toBe('Photos coming soon');
  await page.locator('.gallery .next').click();
  await expectAt(page, '2 of 3', '.gallery');
});
