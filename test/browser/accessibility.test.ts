import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from '../support/browser.ts';
import { PAGE_KINDS } from '../support/kinds.ts';
import { DESKTOP, PHONE, visit } from '../support/page.ts';
import { openShowroom, type Showroom } from '../support/showroom.ts';

let browser: Browser;
let showroom: Showroom;
let axe: string;

beforeAll(async () => {
  axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  [browser, showroom] = await Promise.all([launchBrowser(), openShowroom()]);
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await showroom?.[Symbol.asyncDispose]();
});

/** Violations of a page, one line each; `target-size` is off in axe unless it is switched on. */
async function violations(page: Page): Promise<string[]> {
  // Through the debugger: the policy of our pages lets no foreign script in.
  await page.evaluate(axe);
  const results = (await page.evaluate(
    "axe.run(document, { rules: { 'target-size': { enabled: true } } })",
  )) as AxeResults;
  return results.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 120)} ${failureSummary}`),
  );
}

const devices = [
  ['phone, light', { ...PHONE, colorScheme: 'light' }],
  ['phone, dark', { ...PHONE, colorScheme: 'dark' }],
  ['desktop, light', { ...DESKTOP, colorScheme: 'light' }],
  ['desktop, dark', { ...DESKTOP, colorScheme: 'dark' }],
] as const;

describe.each(devices)('axe finds nothing, %s', (_, device) => {
  it.each(Object.entries(PAGE_KINDS))('%s', async (_kind, path) => {
    await using visited = await visit(browser, `${showroom.server.url}${path}`, device);
    expect(await violations(visited.page)).toEqual([]);
  });

  it('full-screen viewer', async () => {
    await using visited = await visit(
      browser,
      `${showroom.server.url}northgate/ab12cde/#2`,
      device,
    );
    await visited.page.locator('.gallery .full').click();
    await expect.poll(() => visited.page.locator('dialog[open]').count()).toBe(1);
    expect(await violations(visited.page)).toEqual([]);
  });

  it('search result and opened snippet', async () => {
    await using list = await visit(browser, `${showroom.server.url}northgate/?q=ab12`, device);
    await expect.poll(() => list.page.locator('.card').count()).toBe(1);
    expect(await violations(list.page)).toEqual([]);
    await using vehicle = await visit(browser, `${showroom.server.url}northgate/ab12cde/`, device);
    await vehicle.page.locator('summary').click();
    expect(await violations(vehicle.page)).toEqual([]);
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
  const found = await violations(visited.page);
  expect(found.some((line) => line.startsWith('image-alt') || line.startsWith('link-name'))).toBe(
    true,
  );
});
