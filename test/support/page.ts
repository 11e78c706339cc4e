import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

export const PHONE: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
  deviceScaleFactor: 2,
};
export const DESKTOP: BrowserContextOptions = { viewport: { width: 1280, height: 900 } };
/** Not wide enough for pictures side by side. */
export const WINDOW: BrowserContextOptions = { viewport: { width: 800, height: 900 } };

export interface Visit extends AsyncDisposable {
  page: Page;
  /** Errors of the console and of scripts, policy violations among them. */
  problems: string[];
  /** Addresses of all requests. */
  requests: string[];
}

/** Opens what a list can be filtered by, and ticks or unticks a value there. */
export async function tick(page: Page, value: string): Promise<void> {
  await page.locator('.filter').click();
  await page.locator('.filters .check', { hasText: value }).locator('input').click();
  await page.locator('.filters .shown').click();
}

/** Opens an address in a context of its own and notes what goes wrong. */
export async function visit(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = DESKTOP,
): Promise<Visit> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const problems: string[] = [];
  const requests: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('request', (request) => requests.push(request.url()));
  await page.goto(url, { waitUntil: 'load' });
  return { page, problems, requests, [Symbol.asyncDispose]: () => context.close() };
}
