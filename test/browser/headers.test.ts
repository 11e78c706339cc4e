import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { openExternalSite } from '../support/external-site.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { PAGE_KINDS } from '../support/kinds.ts';
import { DESKTOP, PHONE, tick } from '../support/page.ts';
import { sharedBrowser, sharedShowroom } from '../support/shared.ts';

/*
 * The static server of the tests gives every answer the headers that `_headers` asks for, as
 * Cloudflare and Netlify do. Here it is looked at what they forbid, and that nothing of ours is.
 */

const browser = await sharedBrowser();
const showroom = await sharedShowroom();
const foreign = await forAllTests(openExternalSite());

const url = (part: string) => `${showroom.server.url}${part}`;

interface Watched extends AsyncDisposable {
  page: Page;
  /** Violations of a policy, in any frame, and what the console says of refusals. */
  violations: string[];
}

/** Opens an address and notes every violation of a policy, in frames as well. */
async function watch(address: string, options: BrowserContextOptions = DESKTOP): Promise<Watched> {
  const context = await browser.newContext(options);
  const violations: string[] = [];
  await context.exposeFunction('noteViolation', (text: string) => violations.push(text));
  await context.addInitScript(`addEventListener('securitypolicyviolation', (event) =>
    noteViolation(event.effectiveDirective + ' ' + event.blockedURI + ' on ' + event.documentURI))`);
  const page = await context.newPage();
  page.on('console', (message) => {
    if (/polic|refused|violat|blocked/i.test(message.text())) violations.push(message.text());
  });
  await page.goto(address, { waitUntil: 'load' });
  return { page, violations, [Symbol.asyncDispose]: () => context.close() };
}

const loaded = (page: Page, selector: string) =>
  page
    .locator(selector)
    .evaluateAll((images) =>
      images
        .map((image) => image as unknown as { loading: string; naturalWidth: number })
        .filter(({ loading, naturalWidth }) => loading !== 'lazy' && naturalWidth === 0),
    );

describe('the headers are in force', () => {
  it('on pages, embed pages, pictures and data, each with what is right for it', async () => {
    const headers = async (part: string) => (await fetch(url(part))).headers;
    const vehicle = await headers('northgate/ab12cde/');
    expect(vehicle.get('content-security-policy')).toMatch(
      /^default-src 'none'.*, frame-ancestors 'self'$/,
    );
    expect(vehicle.get('x-content-type-options')).toBe('nosniff');
    const embed = await headers('embed/northgate/ab12cde/');
    expect(embed.get('content-security-policy')).toMatch(
      /^default-src 'none'.*, frame-ancestors \*$/,
    );
    const html = await readFile(path.join(showroom.folder, 'northgate/index.html'), 'utf8');
    const [, picture = ''] = /src="\/(media\/[^"]+)"/.exec(html) ?? [];
    expect((await headers(picture)).get('cache-control')).toContain('immutable');
    const times = await headers('api/records/times.json');
    expect(times.get('cache-control')).toBe('no-cache');
    for (const file of ['northgate/media.json', 'northgate/ab12cde/oembed.json', 'embed.js']) {
      expect((await headers(file)).get('access-control-allow-origin'), file).toBe('*');
    }
    expect(vehicle.get('access-control-allow-origin')).toBeNull();
  });

  it('no other website can frame a vehicle page', async () => {
    await using visited = await watch(
      foreign.page(`<iframe src="${url('northgate/ab12cde/')}" title="x"></iframe>`),
    );
    await expect.poll(() => visited.violations.join()).toContain('frame-ancestors');
    expect(await visited.page.frameLocator('iframe').locator('.gallery').count()).toBe(0);
  });

  it('no script and no picture of others gets into a page', async () => {
    await using visited = await watch(url('northgate/ab12cde/'));
    const { page, violations } = visited;
    await page.evaluate(`{
      const script = document.createElement('script');
      script.textContent = 'window.ran = true';
      document.body.append(script, Object.assign(new Image(), { src: 'https://other.example/x.png' }));
    }`);
    await expect.poll(() => violations.some((text) => text.startsWith('script-src'))).toBe(true);
    await expect.poll(() => violations.some((text) => text.startsWith('img-src'))).toBe(true);
    expect(await page.evaluate('window.ran')).toBeUndefined();
  });
});

describe.each([
  ['desktop', DESKTOP],
  ['phone', PHONE],
])('nothing of ours is forbidden, %s', (_, device) => {
  it.each(Object.entries(PAGE_KINDS))('%s', async (_kind, part) => {
    await using visited = await watch(url(part), device);
    await expect.poll(() => loaded(visited.page, 'img')).toEqual([]);
    expect(visited.violations).toEqual([]);
  });

  it('gallery, viewer, full screen and a video', async () => {
    await using visited = await watch(url('northgate/ab12cde/#2'), device);
    const { page, violations } = visited;
    await page.locator('[data-play]').first().click();
    const player = page.frameLocator('.slide iframe');
    await expect.poll(() => player.locator('main').getAttribute('data-state')).toBe('playing');
    await page.locator('.gallery .full').click();
    await page.locator('dialog .close').press('ArrowRight');
    await page.locator('dialog .zoom').click();
    await expect.poll(() => page.locator('dialog .zoomed').count()).toBe(1);
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('dialog').count()).toBe(0);
    expect(violations).toEqual([]);
  });

  it('search, order and filter of a list', async () => {
    await using visited = await watch(url('northgate/'), device);
    const { page, violations } = visited;
    await page.locator('[name=q]').fill('cd34');
    await expect.poll(() => page.locator('.card').count()).toBe(1);
    await expect.poll(() => loaded(page, '.card img')).toEqual([]);
    await page.locator('[name=q]').fill('');
    await tick(page, 'With video');
    await expect.poll(() => page.locator('.result').textContent()).toBe('2 vehicles found');
    expect(violations).toEqual([]);
  });

  it('the element on another website, its video and its full screen', async () => {
    await using visited = await watch(
      foreign.page(
        `<script async src="${url('embed.js')}"></script><vehicle-media dealer="northgate" vrm="AB12 CDE"></vehicle-media>`,
      ),
      device,
    );
    const { page, violations } = visited;
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
    const { width, height } = page.viewportSize() ?? { width: 0, height: 0 };
    await expect
      .poll(() => frame.locator('dialog').boundingBox())
      .toMatchObject({ x: 0, y: 0, width, height });
    // The viewer is what is seen and what a click meets.
    await frame.locator('dialog .close').press('ArrowRight');
    await expect.poll(() => frame.locator('dialog .counter').textContent()).toBe('3 of 7');
    await frame.locator('dialog .close').click();
    await expect.poll(() => page.evaluate('document.fullscreenElement')).toBeNull();
    expect(violations).toEqual([]);
  });

  it('a vehicle that is gone, on another website', async () => {
    await using visited = await watch(
      foreign.page(
        `<script async src="${url('embed.js')}"></script><vehicle-media dealer="northgate" vrm="NO11 ONE"></vehicle-media>`,
      ),
      device,
    );
    await expect
      .poll(() => visited.page.locator('vehicle-media').getAttribute('state'))
      .toBe('gone');
    expect(visited.violations).toEqual([]);
  });
});

it('media.json can be read by the script of another website', async () => {
  await using visited = await watch(foreign.page(''));
  const count = await visited.page.evaluate(
    `fetch(${JSON.stringify(url('northgate/media.json'))}).then((answer) => answer.json()).then(({ vehicles }) => vehicles.length)`,
  );
  expect(count).toBe(21);
  expect(visited.violations).toEqual([]);
});
