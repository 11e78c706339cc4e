import { expect, it } from 'vitest';
import type { UserConfig } from '../../src/config/schema.ts';
import { resting } from '../support/gallery.ts';
import { DESKTOP, PHONE, visit } from '../support/page.ts';
import { sharedBrowser } from '../support/shared.ts';
import { NORTHGATE, openSite, pictures, vehicle } from '../support/site.ts';

const browser = await sharedBrowser();

const shown = `(selector) => {
  const image = document.querySelector(selector);
  const { width, height } = image.getBoundingClientRect();
  return { type: image.currentSrc.split('.').at(-1), alone: !image.closest('picture'), width, height };
}`;

it.each<[string, UserConfig['media'], string, boolean]>([
  ['one format', {}, 'webp', true],
  ['one format and a JPEG of each', { fallback: 'all' }, 'webp', false],
  ['two formats', { formats: ['avif', 'webp'] }, 'avif', false],
  ['only JPEG', { formats: ['jpeg'] }, 'jpg', true],
])(
  'pictures in %s fill the stage and the viewer and can be enlarged',
  async (_, media, type, alone) => {
    const vehicles = [vehicle('CD34EFG', pictures(1200, 3))];
    await using site = await openSite({ dealers: [{ ...NORTHGATE, vehicles }], media });
    for (const [device, address] of [
      [DESKTOP, 'northgate/cd34efg/'],
      [PHONE, 'embed/northgate/cd34efg/'],
    ] as const) {
      await using page = await visit(browser, `${site.server.url}${address}`, device);
      const of = (selector: string) => page.evaluate(`(${shown})(${JSON.stringify(selector)})`);
      const box = (selector: string) => page.locator(selector).first().boundingBox();
      await expect.poll(() => of('.stage .shot img')).toMatchObject({ type, alone });
      // The full slide: the area beside the picture has the slide's background.
      expect(await box('.stage .shot img')).toEqual(await box('.stage .slide'));
      await page.locator('.gallery .full').click();
      await expect.poll(() => page.locator('dialog[open]').count()).toBe(1);
      await resting(page);
      expect(await of('dialog .shot img')).toMatchObject({ type, alone });
      expect(await box('dialog .shot img')).toEqual(await box('dialog .slide'));
      const before = await box('dialog .shot img');
      await page.locator('dialog .zoom').click();
      await expect
        .poll(async () => (await box('dialog .shot img'))?.width)
        .toBeCloseTo(2.5 * (before?.width ?? 0), 0);
      const sizes = await page
        .locator('dialog .slide')
        .first()
        .locator('source, img[srcset]')
        .evaluateAll((nodes) => nodes.map((node) => node.getAttribute('sizes')));
      // As wide as the screen or as the picture at full height, and enlarged.
      expect(sizes.length).toBeGreaterThan(0);
      for (const size of sizes) expect(size).toMatch(/^min\(250vw, [\d.]+vh\)$/);
    }
  },
);
