import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { openExternalSite } from '../support/external-site.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { DESKTOP, visit } from '../support/page.ts';
import { sharedBrowser, sharedShowroom } from '../support/shared.ts';
import { PLATES } from '../support/showroom.ts';

const browser = await sharedBrowser();
const showroom = await sharedShowroom();
const foreign = await forAllTests(openExternalSite());

const element = (attributes: string) =>
  foreign.page(
    `<script async src="${showroom.server.url}embed.js"></script>
<vehicle-media ${attributes}><a href="https://dealer.example/">A car</a></vehicle-media><p>after</p>`,
  );

const state = (page: Page) => page.locator('vehicle-media').getAttribute('state');
const frameHeight = async (page: Page) =>
  (await page.locator('vehicle-media iframe').boundingBox())?.height ?? 0;
const contentHeight = (page: Page) =>
  page
    .frameLocator('vehicle-media iframe')
    .locator('body')
    .evaluate((body) => body.getBoundingClientRect().height);

describe('<vehicle-media> on another website', () => {
  it('finds the vehicle by its plate as people type it, and is as high as its content', async () => {
    await using visited = await visit(browser, element('dealer="northgate" vrm="ab12 cde"'));
    const { page, problems } = visited;
    await expect.poll(() => state(page)).toBe('ready');
    const frame = page.frameLocator('vehicle-media iframe');
    await expect.poll(() => frame.locator('.slide').count()).toBe(7);
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
    await frame.locator('.next').click();
    await expect.poll(() => frame.locator('.counter').textContent()).toBe('2 of 7');
    expect(problems).toEqual([]);
  });

  it('takes the address of an embed page as well, and follows a change of its attributes', async () => {
    const src = `${showroom.server.url}embed/northgate/cd34efg/`;
    await using visited = await visit(browser, element(`src="${src}"`));
    const { page } = visited;
    const frame = page.frameLocator('vehicle-media iframe');
    await expect.poll(() => frame.locator('.slide').count()).toBe(30);
    await page
      .locator('vehicle-media')
      .evaluate((node) =>
        node.setAttribute('src', node.getAttribute('src')?.replace('cd34efg', 'ab12cde') ?? ''),
      );
    await expect.poll(() => frame.locator('.slide').count()).toBe(7);
  });

  it('says quietly that a vehicle is gone', async () => {
    await using visited = await visit(browser, element('dealer="northgate" vrm="XX99 XXX"'));
    const { page, problems } = visited;
    await expect.poll(() => state(page)).toBe('gone');
    await expect.poll(() => frameHeight(page)).toBeLessThan(120);
    expect(
      await page.frameLocator('vehicle-media iframe').locator('.gone').textContent(),
    ).toContain('no longer available');
    expect(problems).toEqual([]);
  });

  it('shows what the website put inside where no page of ours answers', async () => {
    const src = `${showroom.server.url}embed/northgate/sold/`;
    await using visited = await visit(browser, element(`src="${src}"`));
    const { page } = visited;
    await expect.poll(() => state(page), { timeout: 8000 }).toBe('gone');
    expect(await page.locator('vehicle-media iframe').count()).toBe(0);
    expect(await page.locator('vehicle-media a').isVisible()).toBe(true);
  });

  it.each([
    'src="https://evil.example/embed/a/b/"',
    'src="javascript:alert(1)"',
    'dealer="../x" vrm="AB12CDE"',
    '',
  ])('frames nothing that is not ours: %s', async (attributes) => {
    await using visited = await visit(browser, element(attributes));
    const { page } = visited;
    await expect.poll(() => state(page)).toBe('gone');
    expect(await page.locator('vehicle-media iframe').count()).toBe(0);
  });

  it('is only loaded when it comes near', async () => {
    const url = foreign.page(
      `<script async src="${showroom.server.url}embed.js"></script><div style="height:9000px"></div><vehicle-media dealer="northgate" vrm="AB12CDE"></vehicle-media>`,
    );
    await using visited = await visit(browser, url);
    const { page, requests } = visited;
    await page.waitForLoadState('networkidle');
    expect(requests.filter((request) => request.includes('/embed/'))).toEqual([]);
    await page.locator('vehicle-media').scrollIntoViewIfNeeded();
    await expect.poll(() => state(page)).toBe('ready');
  });
});

interface OEmbed {
  type: string;
  html: string;
  [key: string]: unknown;
}

/** What WordPress does to an answer of a provider it does not know (wp_filter_oembed_result). */
function wordpressHtml({ html }: OEmbed, secret: string): string {
  const [, quote = '', iframe = ''] =
    /(<blockquote>.*?<\/blockquote>)?.*(<iframe.*?><\/iframe>)/s.exec(
      html
        .replace('<blockquote class="wp-embedded-content">', '<blockquote>')
        .replace(/ (?:class|frameborder|allowfullscreen)(?:="[^"]*")?/g, ''),
    ) ?? [];
  const framed = iframe
    .replace(
      '<iframe',
      `<iframe class="wp-embedded-content" sandbox="allow-scripts" security="restricted" data-secret="${secret}" style="position: absolute; visibility: hidden;"`,
    )
    .replace(/src="([^"]*)"/, `src="$1#?secret=${secret}"`);
  return `${quote}${framed}`;
}

/** wp-embed.js, as far as it decides what a frame may do. */
const WP_RECEIVER = `<script>
window.said = [];
addEventListener('message', ({ data, source }) => {
  if (!data || !data.secret || !data.message || !data.value || /[^a-zA-Z0-9]/.test(data.secret)) return;
  const frame = document.querySelector('iframe[data-secret="' + data.secret + '"]');
  if (!frame || frame.contentWindow !== source) return;
  frame.removeAttribute('style');
  said.push(data);
  if (data.message === 'height') frame.height = Math.max(200, Math.min(1000, parseInt(data.value, 10)));
  if (data.message === 'link' && new URL(data.value).host === new URL(frame.src).host) window.went = data.value;
});
</script>`;

describe('pasted into WordPress', () => {
  const answer = async (): Promise<OEmbed> => {
    const html = await readFile(path.join(showroom.folder, 'northgate/ab12cde/index.html'), 'utf8');
    // WordPress looks for the link in the head alone, with these very patterns.
    const head = /<head.*?>(.*?)<\/head>/is.exec(html.slice(0, 150_000))?.[1] ?? '';
    const links = [...head.matchAll(/<link([^<>]+)\/?>/gi)].map(
      ([, attributes]) => attributes ?? '',
    );
    const link = links.find((attributes) => attributes.includes('application/json+oembed'));
    const href = /href="([^"]+)"/.exec(link ?? '')?.[1] ?? '';
    return (await fetch(href)).json() as Promise<OEmbed>;
  };

  it('is found, and the answer follows the specification', async () => {
    const oembed = await answer();
    expect(oembed).toMatchObject({ version: '1.0', type: 'rich' });
    expect(oembed.width).toBeGreaterThan(0);
    expect(oembed.height).toBeGreaterThan(0);
    const thumbnail = ['thumbnail_url', 'thumbnail_width', 'thumbnail_height'].map(
      (key) => key in oembed,
    );
    expect(new Set(thumbnail).size).toBe(1);
    expect((await fetch(String(oembed.thumbnail_url))).status).toBe(200);
  });

  it('shows its pictures in the sandbox, tells its height, and asks to go where it cannot', async () => {
    const secret = 'aBc123DefG';
    const url = foreign.page(`${WP_RECEIVER}${wordpressHtml(await answer(), secret)}`);
    await using visited = await visit(browser, url, DESKTOP);
    const { page, problems } = visited;
    const heights = () =>
      page.evaluate("said.filter(({ message }) => message === 'height').length");
    await expect.poll(heights).toBeGreaterThan(0);
    expect(await page.locator('iframe').isVisible()).toBe(true);
    const frame = page.frameLocator('iframe');
    await frame.locator('.next').click();
    await expect.poll(() => frame.locator('.counter').textContent()).toBe('2 of 7');
    await expect
      .poll(() =>
        frame
          .locator('.slide img')
          .nth(1)
          .evaluate((image) => (image as never as { naturalWidth: number }).naturalWidth),
      )
      .toBeGreaterThan(0);
    await frame.locator('.previous').click();
    await frame.locator('[data-play]').first().click();
    await expect
      .poll(() => page.evaluate('window.went'))
      .toBe(`${showroom.server.url}northgate/ab12cde/#2`);
    expect(await frame.locator('iframe').count()).toBe(0);
    expect(problems).toEqual([]);
  });
});

describe('the snippet that a vehicle page offers', () => {
  it('shows the vehicle when it is pasted as it is', async () => {
    await using own = await visit(browser, `${showroom.server.url}northgate/ab12cde/`);
    await own.page.locator('summary').click();
    const snippet = await own.page.locator('.snippet textarea').inputValue();
    await using visited = await visit(browser, foreign.page(snippet));
    const frame = visited.page.frameLocator('vehicle-media iframe');
    await expect.poll(() => frame.locator('.slide').count()).toBe(7);
  });

  it('shows a vehicle whose plate is an attack', async () => {
    const index = JSON.parse(
      await readFile(path.join(showroom.folder, 'northgate/media.json'), 'utf8'),
    );
    const { url } = index.vehicles.find(({ vrm }: { vrm: string }) => vrm === PLATES.hostile);
    await using own = await visit(browser, url);
    await own.page.locator('summary').click();
    const snippet = await own.page.locator('.snippet textarea').inputValue();
    await using visited = await visit(browser, foreign.page(snippet));
    const frame = visited.page.frameLocator('vehicle-media iframe');
    await expect.poll(() => frame.locator('.slide').count()).toBe(1);
    expect([...own.problems, ...visited.problems]).toEqual([]);
  });
});
