import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { launchBrowser } from '../support/browser.ts';
import { openExternalSite } from '../support/external-site.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { visit } from '../support/page.ts';
import { sharedShowroom } from '../support/shared.ts';

// As on Windows, where scrollbars take up width. By default, tests have none.
const browser = await forAllTests(launchBrowser(['--blink-settings=hideScrollbars=false']));
const showroom = await sharedShowroom();
const foreign = await forAllTests(openExternalSite());

/** Width of the page in the frame without scrollbars, and whether visitors can reach its end. */
const inFrame = (page: Page) =>
  page.frames()[1]?.evaluate(`(({ clientWidth, clientHeight, scrollHeight, style }) =>
    [clientWidth, scrollHeight <= clientHeight || style.overflow !== 'hidden'])(document.documentElement)`);

async function staysWide(page: Page) {
  for (const width of [700, 500, 900]) {
    await page.locator('main').evaluate((main, to) => {
      main.style.width = `${to}px`;
    }, width);
    await expect.poll(() => inFrame(page), { message: `${width}` }).toEqual([width, true]);
  }
}

it('the gallery of an element has no scrollbar', async () => {
  const html = `<script async src="${showroom.server.url}embed.js"></script>
<main style="width:700px"><vehicle-media dealer="northgate" vrm="AB12CDE"></vehicle-media></main>`;
  await using page = await visit(browser, foreign.page(html));
  await expect.poll(() => page.locator('vehicle-media[state=ready]').count()).toBe(1);
  await staysWide(page);
});

it('the gallery in WordPress has a scrollbar only if it is higher than WordPress allows', async () => {
  const html = `<main style="width:700px"><iframe width="100%" height="600" style="border:0"
src="${showroom.server.url}embed/northgate/ab12cde/#?secret=aBc123DefG"></iframe></main>
<script>addEventListener('message', ({ data }) => {
  if (data.message === 'height') document.querySelector('iframe').height = data.value;
});</script>`;
  await using page = await visit(browser, foreign.page(html));
  await staysWide(page);
  await page.locator('main').evaluate((main) => {
    main.style.width = '1200px';
  });
  await expect.poll(() => inFrame(page)).toEqual([1185, true]);
});
