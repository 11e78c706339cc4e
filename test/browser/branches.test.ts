import { expect, it } from 'vitest';
import { forAllTests } from '../support/for-all-tests.ts';
import { PHONE, visit } from '../support/page.ts';
import { sharedBrowser } from '../support/shared.ts';
import { openSite, pictures, vehicle } from '../support/site.ts';

const branch = (id: number, slug: string, plates: string[]) => ({
  id,
  name: `Branch ${slug}`,
  slug,
  vehicles: plates.map((plate, index) => vehicle(plate, pictures(id * 100 + index, 1))),
});

const browser = await sharedBrowser();
const site = await forAllTests(
  openSite({
    dealers: [
      branch(1, 'north', ['AB12CDE', 'CD34 EFG', 'EF56GHJ', 'GH78JKL']),
      branch(2, 'south', ['KL90MNP']),
    ],
    site: { locales: ['fr-FR'] },
  }),
);
const at = (address: string) => new URL(address, site.server.url).href;

it('a list with one vehicle has no search, order and filters', async () => {
  await using page = await visit(browser, at('south/'), PHONE);
  expect(await page.locator('.card').count()).toBe(1);
  expect(await page.locator('.tools').count()).toBe(0);
  await page.goto(at('north/'));
  expect(await page.locator('.tools').isVisible()).toBe(true);
});

it('the page of a vehicle that moved to another dealer leads to its new page, in each language', async () => {
  const [north, south] = site.service.data.dealers;
  const [moved, sold] = north?.vehicles.splice(1, 2) ?? [];
  if (moved) south?.vehicles.push(moved);
  await site.night();
  await using page = await visit(browser, at('north/cd34-efg/'), PHONE);
  for (const language of ['', 'fr/']) {
    await page.goto(at(`${language}north/cd34-efg/`));
    await page.waitForURL(at(`${language}south/cd34-efg/`));
    expect(await page.locator('.vehicle').count()).toBe(1);
  }
  await page.goto(at(`north/${sold?.vrm.toLowerCase()}/`), { waitUntil: 'networkidle' });
  expect(await page.locator('.withdrawn .status').textContent()).toBe('No longer available');
});
