import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { openExternalSite } from '../support/external-site.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { boxOf, loadedWidth, PHONE, phoneOf, resize, visit } from '../support/page.ts';
import { sharedBrowser, sharedShowroom } from '../support/shared.ts';
import { PLATES } from '../support/showroom.ts';

const browser = await sharedBrowser();
const showroom = await sharedShowroom();
const foreign = await forAllTests(openExternalSite());

const SCRIPT = `<script async src="${showroom.server.url}embed.js"></script>`;

const element = (attributes: string, content = '<a href="https://dealer.example/">A car</a>') =>
  foreign.page(`${SCRIPT}<vehicle-media ${attributes}>${content}</vehicle-media><p>after</p>`);

/** An element for a vehicle of the dealer. */
const mediaOf = (vrm: string, more = '') =>
  `<vehicle-media dealer="northgate" vrm="${vrm}" ${more}></vehicle-media>`;

const state = (page: Page) => page.locator('vehicle-media').getAttribute('state');
const frameHeight = async (page: Page) =>
  (await page.locator('vehicle-media iframe').boundingBox())?.height ?? 0;
const contentHeight = (page: Page, frame = 'vehicle-media iframe') =>
  page
    .frameLocator(frame)
    .locator('body')
    .evaluate((body) => body.getBoundingClientRect().height);

describe('<vehicle-media> on another website', () => {
  it('finds the vehicle by its plate in any spelling and is as high as its content', async () => {
    await using page = await visit(browser, element('dealer="northgate" vrm="ab12 cde"'));
    await expect.poll(() => state(page)).toBe('ready');
    const frame = page.frameLocator('vehicle-media iframe');
    await expect.poll(() => frame.locator('.slide').count()).toBe(7);
    // It is printed without buttons.
    const parts = ['.next', '.full', '.strip'];
    for (const part of parts) expect(await frame.locator(part).isVisible(), part).toBe(true);
    await page.emulateMedia({ media: 'print' });
    for (const part of parts) expect(await frame.locator(part).isVisible(), part).toBe(false);
    expect(await frame.locator('.slide').first().isVisible()).toBe(true);
    await page.emulateMedia({ media: 'screen' });
    await expect
      .poll(async () => Math.abs((await frameHeight(page)) - (await contentHeight(page))))
      .toBeLessThan(2);
    const wide = await frameHeight(page);
    expect(wide).toBeGreaterThan(400);
    await page.setViewportSize({ width: 400, height: 800 });
    await expect.poll(() => frameHeight(page)).toBeLessThan(wide - 100);
    await expect
      .poll(async () => Math.abs((await frameHeight(page)) - (await contentHeight(page))))
      .toBeLessThan(2);
    // Only the page in the frame may report something.
    await page.evaluate(`postMessage({ source: 'vehicle-media', event: 'missing' }, '*')`);
    // Otherwise, screen readers would announce "1 of 7" when the website loads.
    expect(await frame.getByRole('status').count()).toBe(0);
    await frame.locator('.next').click();
    await expect.poll(() => frame.getByRole('status').textContent()).toBe('2 of 7');
    // Files as wide as the frame, not as a column of the vehicle's page.
    const sizes = (n: number) => frame.locator('.slide img').nth(n).getAttribute('sizes');
    expect([await sizes(0), await sizes(1)]).toEqual(['100vw', 'auto, 100vw']);
  });

  it('reports nothing while a script inserts it, and follows changed attributes', async () => {
    const insert = `<script>window.states = [];
for (const state of ['ready', 'gone']) addEventListener('vehicle-media-' + state, () => states.push(state));
customElements.whenDefined('vehicle-media').then(() => {
  const media = document.body.appendChild(document.createElement('vehicle-media'));
  media.setAttribute('src', '${showroom.server.url}embed/northgate/cd34efg/');
});</script>`;
    await using page = await visit(browser, foreign.page(SCRIPT + insert));
    const frame = page.frameLocator('vehicle-media iframe');
    await expect.poll(() => frame.locator('.slide').count()).toBe(30);
    await expect.poll(() => page.evaluate('states')).toEqual(['ready']);
    // The URL of the vehicle's own page.
    const src = `${showroom.server.url}northgate/ab12cde/#2`;
    await page.evaluate(`document.querySelector('vehicle-media').setAttribute('src', '${src}')`);
    await expect.poll(() => frame.locator('.slide').count()).toBe(7);
  });

  it('fires its events on a page whose library replaces Event, such as MooTools 1.3', async () => {
    const listen = `<script>window.Event = function () {};
addEventListener('vehicle-media-ready', () => { window.fired = true; });</script>`;
    await using page = await visit(browser, foreign.page(listen + SCRIPT + mediaOf('AB12CDE')));
    await expect.poll(() => page.evaluate('window.fired')).toBe(true);
  });

  it.each([
    ['not listed', 'dealer="northgate" vrm="XX99 XXX"', '.gone', ' '],
    ['withdrawn', `src="${showroom.server.url}embed/northgate/zz99old/"`, '.quiet', undefined],
  ])('shows a short notice that a vehicle is %s', async (_, attributes, notice, content) => {
    await using page = await visit(browser, element(attributes, content));
    await expect.poll(() => state(page)).toBe('gone');
    await expect.poll(() => frameHeight(page)).toBeLessThan(120);
    const shown = page.frameLocator('vehicle-media iframe').locator(notice);
    expect(await shown.isVisible()).toBe(true);
    expect(await shown.textContent()).toContain('no longer available');
  });

  it('does not frame a URL outside the site, and warns', async () => {
    const foreignUrls = [
      'src="https://evil.example/embed/a/b/"',
      'src="javascript:alert(1)"',
      'src="https://[x/"',
      'vrm="AB12CDE"',
      '',
    ];
    const html = `<script>console.warn = (...all) => (window.warned ??= []).push(all.join(' '))</script>${SCRIPT}`;
    const media = foreignUrls.map(
      (more) => `<vehicle-media ${more}><a href="/">A</a></vehicle-media>`,
    );
    await using page = await visit(browser, foreign.page(html + media.join('')));
    const all = foreignUrls.length;
    await expect.poll(() => page.locator('vehicle-media[state=gone]').count()).toBe(all);
    expect(await page.locator('vehicle-media iframe').count()).toBe(0);
    expect(await page.locator('vehicle-media a:visible').count()).toBe(all);
    const text = expect.stringContaining(`src=${showroom.server.url}embed/`);
    expect(await page.evaluate('window.warned')).toEqual(Array(all).fill(text));
  });

  it.each([
    ['as a module', (src: string) => `<script type="module" src="${src}"></script>`],
    ['imported', (src: string) => `<script type="module">import ${JSON.stringify(src)}</script>`],
    [
      'in a shadow root',
      (
        src: string,
      ) => `<main></main><script>document.querySelector('main').attachShadow({ mode: 'open' })
.appendChild(document.createElement('script')).src = ${JSON.stringify(src)}</script>`,
    ],
  ])('finds its site %s, if another service also has an embed.js', async (_, load) => {
    const html = `<script type="text/plain" src="/other/embed.js"></script>
${load(`${showroom.server.url}embed.js`)}${mediaOf('AB12CDE')}`;
    await using page = await visit(browser, foreign.page(html));
    await expect.poll(() => state(page)).toBe('ready');
  });

  it('can be hidden by the website, and is loaded when it is shown', async () => {
    const style = '<style>.hide { display: none }</style>';
    const all = mediaOf('AB12CDE', 'hidden') + mediaOf('AB12CDE', 'class="hide"');
    await using page = await visit(browser, foreign.page(SCRIPT + style + all));
    const media = page.locator('vehicle-media');
    await expect.poll(() => page.locator('vehicle-media iframe').count()).toBe(2);
    expect(await media.filter({ visible: true }).count()).toBe(0);
    for (const one of await media.all()) {
      await one.evaluate((node) => node.removeAttribute('hidden'));
      await one.evaluate((node) => node.removeAttribute('class'));
      await expect.poll(() => one.getAttribute('state')).toBe('ready');
      expect((await one.boundingBox())?.width).toBeGreaterThan(1000);
    }
  });

  it('has space below the picture on a phone, also without pictures', async () => {
    const all = SCRIPT + mediaOf(PLATES.mixed) + mediaOf(PLATES.empty);
    await using page = await visit(browser, foreign.page(all), PHONE);
    for (const one of await page.locator('vehicle-media').all()) {
      await one.scrollIntoViewIfNeeded();
      await expect.poll(() => one.getAttribute('state')).toBe('ready');
      const frame = one.locator('iframe').contentFrame();
      const picture = await frame.locator('.frame').boundingBox();
      const plate = await frame.locator('.source .plate').boundingBox();
      expect((plate?.y ?? 0) - (picture?.y ?? 0) - (picture?.height ?? 0)).toBeGreaterThan(6);
    }
  });

  it.each([
    ['on a phone, also if it was hidden', PHONE, 'hidden'],
    ['in a column on a tablet', phoneOf(820, 1180), 'style="width: 500px"'],
  ])('takes nearly its height before it is loaded, %s', async (_, device, more) => {
    await using page = await visit(browser, foreign.page(''), device);
    const slow = Promise.withResolvers<void>();
    await page.route('**/embed/**', (route) => slow.promise.then(() => route.continue()));
    // A visible frame delays the load event.
    await page.goto(element(`dealer="northgate" vrm="AB12CDE" ${more}`), { waitUntil: 'commit' });
    await page.locator('vehicle-media iframe').waitFor({ state: 'attached' });
    await page.locator('vehicle-media').evaluate((node) => node.removeAttribute('hidden'));
    const before = await frameHeight(page);
    slow.resolve();
    await expect.poll(() => state(page)).toBe('ready');
    await expect.poll(async () => Math.abs((await frameHeight(page)) - before)).toBeLessThan(10);
  });

  it('loads only when it is near the viewport', async () => {
    const url = foreign.page(`${SCRIPT}<div style="height:9000px"></div>${mediaOf('AB12CDE')}`);
    await using page = await visit(browser, url);
    await page.waitForLoadState('networkidle');
    expect(page.requested.filter((request) => request.includes('/embed/'))).toEqual([]);
    await page.locator('vehicle-media').scrollIntoViewIfNeeded();
    await expect.poll(() => state(page)).toBe('ready');
  });
});

type OEmbed = { html: string; [key: string]: unknown };

/** Result of WordPress for a response of an unknown provider (wp_filter_oembed_result). */
function wordpressHtml({ html }: OEmbed, secret: string): string {
  const [, quote = '', iframe = ''] =
    /(<blockquote>.*?<\/blockquote>)?.*(<iframe.*?><\/iframe>)/s.exec(
      html
        .replace('<blockquote class="wp-embedded-content">', '<blockquote>')
        .replace(/ (?:class|style|loading|allow\w*)(?:="[^"]*")?/g, ''),
    ) ?? [];
  const framed = iframe
    .replace(
      '<iframe',
      `<iframe class="wp-embedded-content" sandbox="allow-scripts" security="restricted" data-secret="${secret}" style="position: absolute; visibility: hidden;"`,
    )
    .replace(/src="([^"]*)"/, `src="$1#?secret=${secret}"`);
  return `${quote}${framed}`;
}

/** The parts of wp-embed.js that control a frame. A plugin loads the script long after the frame. */
const WP_RECEIVER = `<script>
window.messages = [];
const receive = ({ data, source }) => {
  if (!data || !data.secret || !data.message || !data.value || /[^a-zA-Z0-9]/.test(data.secret)) return;
  const frame = document.querySelector('iframe[data-secret="' + data.secret + '"]');
  if (!frame || frame.contentWindow !== source) return;
  frame.removeAttribute('style');
  messages.push(data);
  if (data.message === 'height') frame.height = Math.max(200, Math.min(1000, parseInt(data.value, 10)));
  if (data.message === 'link' && new URL(data.value).host === new URL(frame.src).host) window.went = data.value;
};
addEventListener('load', () => setTimeout(() => {
  addEventListener('message', receive);
  const { contentWindow, dataset } = document.querySelector('iframe');
  contentWindow.postMessage({ message: 'ready', secret: dataset.secret }, '*');
}, 1000));
</script>`;

describe('pasted into WordPress', () => {
  const answer = async (): Promise<OEmbed> => {
    const html = await readFile(path.join(showroom.output, 'northgate/ab12cde/index.html'), 'utf8');
    // WordPress searches only the head for the link, with these patterns.
    const head = /<head.*?>(.*?)<\/head>/is.exec(html.slice(0, 150_000))?.[1] ?? '';
    const links = [...head.matchAll(/<link([^<>]+)\/?>/gi)].map(
      ([, attributes]) => attributes ?? '',
    );
    const link = links.find((attributes) => attributes.includes('application/json+oembed'));
    const href = /href="([^"]+)"/.exec(link ?? '')?.[1] ?? '';
    return (await fetch(href)).json() as Promise<OEmbed>;
  };

  it('is discovered, and the response follows the oEmbed specification', async () => {
    const oembed = await answer();
    expect(oembed).toMatchObject({ version: '1.0', type: 'rich', width: 600, height: 600 });
    // Other programs do not set its height.
    expect(oembed.html).toContain('aspect-ratio:1');
    expect(oembed).toMatchObject({ thumbnail_width: 1200, thumbnail_height: 630 });
    expect((await fetch(String(oembed.thumbnail_url))).status).toBe(200);
  });

  it('shows its pictures in the sandbox, reports its height and asks to open links', async () => {
    const secret = 'aBc123DefG';
    const url = foreign.page(`${WP_RECEIVER}${wordpressHtml(await answer(), secret)}`);
    await using page = await visit(browser, url);
    await expect.poll(() => page.evaluate('messages[0]?.message')).toBe('height');
    expect(await page.locator('iframe').isVisible()).toBe(true);
    const frame = page.frameLocator('iframe');
    await frame.locator('.next').click();
    await expect.poll(() => frame.locator('.counter').textContent()).toBe('2 of 7');
    await expect.poll(() => loadedWidth(frame.locator('.slide img').nth(1))).toBeGreaterThan(0);
    await frame.locator('.previous').click();
    await frame.locator('[data-play]').first().click();
    await expect
      .poll(() => page.evaluate('window.went'))
      .toBe(`${showroom.server.url}northgate/ab12cde/#2`);
    expect(await frame.locator('iframe').count()).toBe(0);
    // Not every theme limits the width of frames.
    await resize(page, 390, 844);
    expect((await boxOf(page, 'iframe')).right).toBeLessThan(390);
  });
});

it('the element works in the sandbox of a page builder, and its links if popups are allowed', async () => {
  const html = `<iframe sandbox="allow-scripts allow-popups" srcdoc='${SCRIPT}${mediaOf('AB12CDE')}'></iframe>`;
  await using page = await visit(browser, foreign.page(html));
  const opened = page.context().waitForEvent('page');
  const gallery = page.frameLocator('iframe').frameLocator('vehicle-media iframe');
  await gallery.locator('.source a').click();
  await (await opened).waitForURL(`${showroom.server.url}northgate/ab12cde/`);
});

describe('the page of a dealer with snippets for other websites', () => {
  const address = `${showroom.server.url}northgate/embed/`;
  const clipboard = { permissions: ['clipboard-read', 'clipboard-write'] };
  const slides = (page: Page, element: string) => page.frameLocator(element).locator('.slide');

  it('has snippets for the newest vehicle that work on another website', async () => {
    await using page = await visit(browser, address, { ...clipboard });
    const lines = page.locator('.snippet textarea');
    await expect.poll(() => page.locator('[name=vrm]').inputValue()).toBe('AB12CDE');
    await expect.poll(() => slides(page, '.ground iframe').count()).toBe(7);
    const copied: string[] = [];
    for (const [index, button] of (await page.locator('.copy').all()).entries()) {
      await button.click();
      await expect.poll(() => button.textContent()).toContain('Copied');
      copied.push((await page.evaluate('navigator.clipboard.readText()')) as string);
      expect(copied[index]).toBe(await lines.nth(index).inputValue());
    }
    // A button that was clicked twice gets its text back.
    const button = page.locator('.copy').last();
    await button.click();
    await page.waitForTimeout(3500);
    expect((await button.textContent())?.trim()).toBe('Copy');
    expect(copied[0]).toContain('<vehicle-media dealer="northgate" vrm="AB12CDE">');
    const [element = '', frame = '', data = ''] = copied;
    await using pasted = await visit(browser, foreign.page(element + frame));
    await expect.poll(() => slides(pasted, 'vehicle-media iframe').count()).toBe(7);
    await expect.poll(() => slides(pasted, 'body > iframe').count()).toBe(7);
    expect(await (await fetch(data)).json()).toMatchObject({ version: 1 });
  });

  it('updates the snippets while you type and choose', async () => {
    await using page = await visit(browser, address);
    await page.locator('[name=vrm]').fill('cd34 efg');
    await expect.poll(() => slides(page, '.ground iframe').count()).toBe(30);
    await page.locator('[name=width][value="360"]').check({ force: true });
    expect((await page.locator('.ground iframe').boundingBox())?.width).toBe(360);
    await page.locator('[name=theme][value="dark"]').check({ force: true });
    const [first, second] = await page.locator('.snippet textarea').all();
    await expect.poll(() => first?.inputValue()).toContain('theme="dark" dealer="northgate"');
    expect(await second?.inputValue()).toContain('find/#vrm=cd34%20efg" title="cd34 efg"');
    await expect
      .poll(() => page.locator('.ground vehicle-media').getAttribute('theme'))
      .toBe('dark');
    await expect
      .poll(() => page.frameLocator('.ground iframe').locator('html').getAttribute('data-theme'))
      .toBe('dark');
  });

  it('shows in its preview whether a vehicle is found, and accepts a copied URL', async () => {
    await using page = await visit(browser, address);
    const notice = page.locator('.field [role=status]');
    await page.locator('[name=vrm]').fill('NOPE 1');
    await expect.poll(() => notice.textContent()).toBe('No matching vehicles.');
    const isDisabled = async () =>
      Promise.all((await page.locator('.copy').all()).map((button) => button.isDisabled()));
    // The last one does not have the plate.
    expect(await isDisabled()).toEqual([true, true, false]);
    for (const end of ['', '?utm_source=mail', '#3']) {
      await page.locator('[name=vrm]').fill(`${showroom.server.url}northgate/cd34efg/${end}`);
      await expect
        .poll(() => page.locator('.snippet textarea').first().inputValue())
        .toContain(`src="${showroom.server.url}embed/northgate/cd34efg/"`);
      await expect.poll(() => slides(page, '.ground iframe').count()).toBe(30);
      expect(await notice.textContent()).toBe('');
      expect(await isDisabled()).toEqual([false, false, false]);
      await page.locator('[name=vrm]').fill('EF56GHJ');
    }
  });

  it('has a frame that fits pages of any width', async () => {
    await using page = await visit(browser, address);
    await page.locator('[name=vrm]').fill('AB12CDE');
    await page.goto(foreign.page(await page.locator('.snippet textarea').nth(1).inputValue()));
    await expect.poll(() => slides(page, 'iframe').count()).toBe(7);
    for (const width of [360, 700, 1200]) {
      await resize(page, width, 900);
      const content = await contentHeight(page, 'iframe');
      const { height } = await boxOf(page, 'iframe');
      expect(height, `${width}`).toBeGreaterThanOrEqual(content);
      expect(height, `${width}`).toBeLessThan(content + 200);
    }
  });

  it('finds a vehicle with a hostile plate by its plate and by its URL', async () => {
    const index = JSON.parse(
      await readFile(path.join(showroom.output, 'northgate/media.json'), 'utf8'),
    );
    const { url } = index.vehicles.find(({ vrm }: { vrm: string }) => vrm === PLATES.hostile);
    await using visitor = await visit(browser, address);
    const lines = visitor.locator('.snippet textarea');
    await using page = await visit(browser, foreign.page(''));
    for (const typed of [PLATES.hostile, url]) {
      await visitor.locator('[name=vrm]').fill(typed);
      const pasted = `${await lines.nth(0).inputValue()}${await lines.nth(1).inputValue()}`;
      await page.goto(foreign.page(pasted));
      await expect.poll(() => slides(page, 'vehicle-media iframe').count()).toBe(1);
      await expect.poll(() => slides(page, 'body > iframe').count()).toBe(1);
      await expect.poll(() => slides(visitor, '.ground iframe').count()).toBe(1);
    }
  });

  it('has snippets with a sample plate if scripts are disabled', async () => {
    await using page = await visit(browser, address, { javaScriptEnabled: false });
    const lines = page.locator('.snippet textarea');
    expect(await lines.first().inputValue()).toContain('vrm="AB12 CDE"');
    for (const useless of ['.field', '.copy', '.preview']) {
      expect(await page.locator(useless).first().isVisible(), useless).toBe(false);
    }
  });
});
