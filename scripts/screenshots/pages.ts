import type { Page } from 'playwright-core';

/** A page to look at. */
export interface Sight {
  /** First part of the file's name. */
  name: string;
  /** Below the site's address. */
  address: string;
  /** What a visitor does there first. */
  act?: (page: Page) => Promise<unknown>;
}

/** Addresses that depend on the stock: of the vehicle with most media, and of one without facts. */
export interface Addresses {
  dealer: string;
  fullest: string;
  plain: string;
  /** Of a vehicle that the service no longer lists. */
  withdrawn: string;
  /** Last part of the address of a make's page, of the first dealer and of all. */
  make: string;
  makeOfAll: string;
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
    name: 'saved',
    address: dealer,
    act: async (page) => {
      const hearts = page.locator('.card .heart');
      for (const at of [0, 2, 3]) await hearts.nth(at).click();
      await page.goto(new URL('../saved/', page.url()).href, { waitUntil: 'networkidle' });
    },
  },
  { name: 'imprint', address: 'imprint/' },
  { name: 'lines', address: `${dealer}embed/` },
  { name: 'embed', address: `embed/${fullest}` },
  { name: 'not-found', address: '404.html' },
];
