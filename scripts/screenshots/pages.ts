import type { Page } from 'playwright-core';

/** A page to take a screenshot of. */
export interface Sight {
  /** First part of the file's name. */
  name: string;
  /** Relative to the URL of the site. */
  address: string;
  /** Actions of a visitor before the screenshot. */
  act?: (page: Page) => Promise<unknown>;
}

/** URL paths that depend on the stock. */
export interface Addresses {
  dealer: string;
  /** The vehicle with the most media, and a vehicle without facts. */
  fullest: string;
  plain: string;
  /** A vehicle that the service no longer lists. */
  withdrawn: string;
  /** Last part of the URL of a make's page: for the first dealer, and for all dealers. */
  make: string;
  makeOfAll: string;
}

async function saveThree(page: Page): Promise<void> {
  const hearts = page.locator('.card .heart');
  for (const index of [0, 2, 3]) await hearts.nth(index).click();
  await page.goto(new URL('../saved/', page.url()).href, { waitUntil: 'networkidle' });
}

/** Every kind of page. */
export const sights = ({
  dealer,
  fullest,
  plain,
  withdrawn,
  make,
  makeOfAll,
}: Addresses): Sight[] => [
  { name: 'front', address: '' },
  { name: 'dealer', address: dealer },
  { name: 'vehicle', address: fullest },
  { name: 'vehicle-plain', address: plain },
  {
    name: 'viewer',
    address: fullest,
    act: async (page) => {
      await page.locator('.gallery .shot').first().click();
      await page.locator('dialog[open] img').first().waitFor();
    },
  },
  { name: 'sticker', address: `${fullest}sticker/` },
  { name: 'make', address: `${dealer}make/${make}/` },
  { name: 'make-of-all', address: `make/${makeOfAll}/` },
  { name: 'withdrawn', address: withdrawn },
  { name: 'embed-withdrawn', address: `embed/${withdrawn}` },
  {
    name: 'filters',
    address: dealer,
    act: async (page) => {
      await page.locator('button.filter').click();
      await page.locator('.filters fieldset').first().waitFor();
    },
  },
  {
    name: 'found',
    address: `${dealer}?q=corvane`,
    act: (page) => page.locator('.result', { hasText: /\d/ }).waitFor(),
  },
  {
    name: 'no-results',
    address: `${dealer}?q=zzzzzz`,
    act: (page) => page.locator('.result', { hasText: /\S/ }).waitFor(),
  },
  { name: 'saved-nothing', address: 'saved/' },
  { name: 'saved', address: dealer, act: saveThree },
  {
    name: 'saved-compared',
    address: dealer,
    act: async (page) => {
      await saveThree(page);
      for (const box of await page.locator('.check input:visible').all()) await box.check();
    },
  },
  { name: 'imprint', address: 'imprint/' },
  { name: 'lines', address: `${dealer}embed/` },
  { name: 'embed', address: `embed/${fullest}` },
  { name: 'not-found', address: '404.html' },
];
