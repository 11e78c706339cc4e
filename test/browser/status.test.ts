import { expect, it } from 'vitest';
import { violationsInBothColours } from '../support/axe.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { visit } from '../support/page.ts';
import { sharedBrowser } from '../support/shared.ts';
import { NORTHGATE, openSite, pictures, vehicle } from '../support/site.ts';

const browser = await sharedBrowser();
const site = await forAllTests(
  openSite({
    site: { enquiry: { address: 'https://forms.example/x' }, favourites: true },
    dealers: [
      {
        ...NORTHGATE,
        contact: { phone: '+44 1632 960001' },
        openingHours: { week: ['Mo-Su 09:00-18:00'] },
        stock: { file: 'stock.csv' },
        vehicles: ['NK21WXY', 'QD34EFG', 'KM45ABC', 'KR56XYZ'].map((plate, index) =>
          vehicle(plate, pictures(100 * (index + 1), 3), new Date().toISOString()),
        ),
      },
    ],
    files: {
      'stock.csv':
        'plate,make,model,price\nNK21WXY,Ford,Puma,9000\nQD34EFG,Kia,Ceed,8000\nKM45ABC,Seat,Leon,7000\nKR56XYZ,Opel,Corsa,6000\n',
      'vehicles.csv':
        'plate,status,title,order\nNK21WXY,sold,,\nQD34EFG,reserved,,\nKR56XYZ,,Corsa of the week,1\n',
    },
  }),
);
const list = `${site.server.url}northgate/`;
const NAMES = '.card .name';

it('lists and search results show legible badges instead of "new", with chosen vehicles first', async () => {
  await using page = await visit(browser, list);
  expect(await violationsInBothColours(page)).toEqual([]);
  expect((await page.locator(NAMES).allTextContents()).at(0)).toBe('Corsa of the week');
  expect((await page.locator(NAMES).allTextContents()).at(-1)).toBe('Ford Puma');
  const sold = page.locator('.card', { hasText: 'Ford Puma' });
  expect(await sold.locator('.status').textContent()).toBe('Sold');
  expect(await sold.locator('.new').isVisible()).toBe(false);
  expect(await page.locator('.card', { hasText: 'Seat' }).locator('.status').count()).toBe(0);
  await page.locator('[name=q]').fill('a');
  await expect.poll(() => page.locator('.result').textContent()).toContain('found');
  expect((await page.locator(NAMES).allTextContents()).at(-1)).toBe('Ford Puma');
  expect(await page.locator('.card .status').allTextContents()).toEqual(['Reserved', 'Sold']);
});

it('a sold vehicle is printed as sold and has contacts, but no form that asks whether it is available, and is not similar', async () => {
  await using page = await visit(browser, `${list}nk21wxy/`);
  expect(await page.locator('h1 + .status').textContent()).toBe('Sold');
  expect(await page.locator('.sheet-price').allTextContents()).toEqual(['Sold', '£9,000']);
  expect(await violationsInBothColours(page)).toEqual([]);
  const parts = async () => [
    await page.locator('.about .phone').count(),
    await page.locator('.about .form, form').count(),
    (await page.locator('.similar .name').allTextContents()).sort(),
  ];
  const others = ['Corsa of the week', 'Kia Ceed', 'Seat Leon'];
  expect(await parts()).toEqual([1, 0, others]);
  await page.goto(`${list}km45abc/`);
  expect(await parts()).toEqual([1, 2, others.slice(0, 2)]);
  // On a site with one dealer, also pages without a vehicle show how to reach it.
  for (const part of ['404.html', 'saved/']) {
    await page.goto(site.server.url + part);
    expect(await page.locator('.masthead .call').textContent()).toContain('+44 1632 960001');
    expect(await page.locator('.footer .now').isVisible()).toBe(true);
  }
});
