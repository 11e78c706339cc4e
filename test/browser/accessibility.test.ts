import { describe, expect, it } from 'vitest';
import { DEVICES, violationsInBothColours } from '../support/axe.ts';
import { PAGE_KINDS } from '../support/kinds.ts';
import { visit } from '../support/page.ts';
import { sharedBrowser, sharedShowroom } from '../support/shared.ts';

const browser = await sharedBrowser();
const showroom = await sharedShowroom();

describe.each(DEVICES)('axe finds nothing, %s', (_, device) => {
  it.each(Object.entries(PAGE_KINDS))('%s', async (_kind, path) => {
    await using visited = await visit(browser, `${showroom.server.url}${path}`, device);
    expect(await violationsInBothColours(visited.page)).toEqual([]);
  });

  it('full-screen viewer', async () => {
    await using visited = await visit(
      browser,
      `${showroom.server.url}northgate/ab12cde/#2`,
      device,
    );
    await visited.page.locator('.gallery .full').click();
    await expect.poll(() => visited.page.locator('dialog[open]').count()).toBe(1);
    expect(await violationsInBothColours(visited.page)).toEqual([]);
  });

  it('search result', async () => {
    await using list = await visit(browser, `${showroom.server.url}northgate/?q=ab12`, device);
    await expect.poll(() => list.page.locator('.card').count()).toBe(1);
    expect(await violationsInBothColours(list.page)).toEqual([]);
  });
});

it('axe is at work: it finds what is broken on purpose', async () => {
  await using visited = await visit(browser, `${showroom.server.url}northgate/ab12cde/`);
  await visited.page
    .locator('.shot img')
    .first()
    .evaluate((image) => image.removeAttribute('alt'));
  await visited.page.locator('.next').evaluate((button) => {
    button.style.width = '10px';
    button.style.height = '10px';
  });
  await visited.page.locator('h1').evaluate((heading) => {
    heading.style.color = 'light-dark(black, #222)';
  });
  const found = await violationsInBothColours(visited.page);
  expect(found.some((line) => line.startsWith('image-alt') || line.startsWith('link-name'))).toBe(
    true,
  );
  expect(found.filter((line) => line.includes('color-contrast: <h1'))).toEqual([
    expect.stringMatching(/^dark: /),
  ]);
});
