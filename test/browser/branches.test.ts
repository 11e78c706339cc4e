import { expect, it } from 'vitest';
import { forAllTests } from '../support/for-all-tests.ts';
import { boxOf, DESKTOP, PHONE, phoneOf, resize, visit, wrongSizes } from '../support/page.ts';
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
      { ...branch(2, 'south', ['KL90MNP']), contact: { whatsapp: '+44 1632 960001' } },
    ],
    site: { locales: ['fr-FR'], favourites: true },
  }),
);
const at = (address: string) => new URL(address, site.server.url).href;

it('a list with one vehicle has no search, order and filters, and shows it large', async () => {
  await using page = await visit(browser, at('south/'), phoneOf(360, 740));
  expect(await page.locator('.card').count()).toBe(1);
  expect(await page.locator('.tools').count()).toBe(0);
  // The only button has a text.
  const font = "getComputedStyle(document.querySelector('main > .bar .whatsapp')).fontSize";
  expect(await page.evaluate(font)).not.toBe('0px');
  await using desktop = await visit(browser, at('south/'), DESKTOP);
  const [card, cover] = [await boxOf(desktop, '.card'), await boxOf(desktop, '.cover img')];
  expect([card.width > 1000, cover.width > 600]).toEqual([true, true]);
  // Contacts are next to the heading, and the last icon of the header ends at the edge of the page.
  const [heading, contacts] = [await boxOf(desktop, 'h1'), await boxOf(desktop, '.contacts')];
  expect(contacts.y).toBeLessThan(heading.bottom);
  expect(contacts.right).toBeCloseTo(card.right, 0);
  expect(Math.abs((await boxOf(desktop, '.hearts svg')).right - card.right)).toBeLessThan(2);
  // The disc of the heart is smaller than the button.
  const clip = "getComputedStyle(document.querySelector('.card .heart')).backgroundClip";
  expect(await desktop.evaluate(clip)).toBe('content-box');
  expect((await boxOf(desktop, '.card .heart')).width).toBe(44);
  await page.goto(at('north/'));
  expect(await page.locator('.tools').isVisible()).toBe(true);
  expect(await page.locator('.lead').count()).toBe(0);
});

it('a vehicle is saved once for all languages, and shown in the language of the page', async () => {
  await using page = await visit(browser, at('north/'), DESKTOP);
  const isSaved = () => page.locator('.card .heart').first().getAttribute('aria-pressed');
  await page.locator('.card .heart').first().click();
  await page.goto(at('fr/north/'));
  expect(await isSaved()).toBe('true');
  await page.locator('.card a').first().click();
  await page.waitForURL(at('fr/north/ab12cde/'));
  await page.goto(at('north/ab12cde/'));
  for (const language of ['fr/', '']) {
    await page.goto(at(`${language}saved/`));
    for (const list of ['#vehicles-saved', '#vehicles-seen']) {
      const links = page.locator(`${list} a[href]`);
      expect(await links.evaluateAll((all) => all.map(String))).toEqual([
        at(`${language}north/ab12cde/`),
      ]);
    }
  }
  await page.locator('#vehicles-saved .heart:visible').click();
  await page.goto(at('fr/north/'));
  expect(await isSaved()).toBe('false');
});

it('the page of a vehicle that moved to another dealer leads to its new page, in each language', async () => {
  const [north, south] = site.service.data.dealers;
  const [moved, sold] = north?.vehicles.splice(1, 2) ?? [];
  if (moved) south?.vehicles.push(moved);
  await site.night();
  await using page = await visit(browser, at('north/'), PHONE);
  for (const language of ['', 'fr/']) {
    await page.goto(at(`${language}north/cd34-efg/`));
    await page.waitForURL(at(`${language}south/cd34-efg/`));
    expect(await page.locator('.vehicle').count()).toBe(1);
  }
  await page.goto(at(`north/${sold?.vrm.toLowerCase()}/`), { waitUntil: 'networkidle' });
  expect(await page.locator('.withdrawn .status').textContent()).toBe('No longer available');
  // Visible without scrolling, on a phone in landscape also.
  for (const [width, height] of [
    [360, 740],
    [568, 320],
    [740, 360],
    [1280, 900],
  ] as const) {
    await resize(page, width, height);
    expect((await boxOf(page, '.withdrawn h1')).bottom, `${width}`).toBeLessThan(height);
    expect(await wrongSizes(page), `${width}`).toEqual([]);
  }
});
