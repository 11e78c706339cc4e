import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { DEVICES } from '../support/axe.ts';
import { openExternalSite } from '../support/external-site.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { visit } from '../support/page.ts';
import { sharedBrowser, sharedShowroom } from '../support/shared.ts';

/*
 * The static server of the tests adds the headers in `_headers` to every response, like Cloudflare and
 * Netlify. pages.test.ts checks that they do not block our own pages.
 */

const browser = await sharedBrowser();
const showroom = await sharedShowroom();
const foreign = await forAllTests(openExternalSite());
const url = (part: string) => `${showroom.server.url}${part}`;

describe('the security headers', () => {
  it('are right for pages, embed pages, pictures and data', async () => {
    const headers = async (part: string) => (await fetch(url(part))).headers;
    const vehicle = await headers('northgate/ab12cde/');
    expect(vehicle.get('content-security-policy')).toMatch(
      /^default-src 'none'.*, frame-ancestors 'self'$/,
    );
    expect(vehicle.get('x-content-type-options')).toBe('nosniff');
    const embed = await headers('embed/northgate/ab12cde/');
    expect(embed.get('content-security-policy')).toMatch(/^default-src 'none'[^,]*$/);
    const html = await readFile(path.join(showroom.output, 'northgate/index.html'), 'utf8');
    const [, picture = ''] = /src="\/(media\/[^"]+)"/.exec(html) ?? [];
    const [, sheet = ''] = /href="\/(assets\/[^"?]+)/.exec(html) ?? [];
    for (const file of [picture, sheet]) {
      expect((await headers(file)).get('cache-control'), file).toContain('immutable');
    }
    expect(vehicle.get('cache-control')).toContain('max-age=60,');
    const times = await headers('api/records/times.json');
    expect(times.get('cache-control')).toBe('no-cache');
    for (const file of ['northgate/media.json', 'northgate/ab12cde/oembed.json', 'embed.js']) {
      expect((await headers(file)).get('access-control-allow-origin'), file).toBe('*');
    }
    expect(vehicle.get('access-control-allow-origin')).toBeNull();
  });

  it('stop other websites from framing a vehicle page', async () => {
    const html = `<iframe src="${url('northgate/ab12cde/')}" title="x"></iframe>`;
    await using page = await visit(browser, foreign.page(html), { expected: 'frame-ancestors' });
    await expect.poll(() => page.problems).toHaveLength(1);
    expect(await page.frameLocator('iframe').locator('.gallery').count()).toBe(0);
  });

  it('block foreign scripts and pictures', async () => {
    const expected = 'Content Security Policy';
    await using page = await visit(browser, url('northgate/ab12cde/'), { expected });
    await page.evaluate(`{
      const script = document.createElement('script');
      script.textContent = 'window.ran = true';
      document.body.append(script, Object.assign(new Image(), { src: 'https://other.example/x.png' }));
    }`);
    await expect.poll(() => page.problems.join()).toMatch(/script-src.*img-src/s);
    expect(await page.evaluate('window.ran')).toBeUndefined();
  });
});

/** Headers of a website that is isolated from other origins. */
const ISOLATED = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

describe.each(DEVICES)('leave the element working on another website, %s:', (_, device) => {
  it('its video and its full screen', async () => {
    const element = `<script async crossorigin src="${url('embed.js')}"></script><vehicle-media dealer="northgate" vrm="AB12 CDE"></vehicle-media>`;
    const website = foreign.page(element, device.isMobile ? {} : ISOLATED);
    await using page = await visit(browser, website, device);
    await expect.poll(() => page.locator('vehicle-media').getAttribute('state')).toBe('ready');
    const frame = page.frameLocator('vehicle-media iframe');
    await frame.locator('[data-play]').first().click();
    const player = frame.frameLocator('.slide iframe');
    await expect.poll(() => player.locator('main').getAttribute('data-state')).toBe('playing');
    await frame.locator('.gallery .full').click();
    await expect.poll(() => frame.locator('dialog[open]').count()).toBe(1);
    await expect
      .poll(() => page.evaluate('document.fullscreenElement?.tagName'))
      .toBe('VEHICLE-MEDIA');
    await expect
      .poll(() => frame.locator('dialog').boundingBox())
      .toMatchObject({ x: 0, y: 0, ...page.viewportSize() });
    // The viewer is visible and receives the click.
    await frame.locator('dialog .close').press('ArrowRight');
    await expect.poll(() => frame.locator('dialog .counter').textContent()).toBe('3 of 7');
    await frame.locator('dialog .close').click();
    await expect.poll(() => page.evaluate('document.fullscreenElement')).toBeNull();
  });
});
