import { expect, it, onTestFinished } from 'vitest';
import { violationsInBothColours } from '../support/axe.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import {
  brokenWords,
  enlargeText,
  FAILED,
  layoutShift,
  PHONE,
  pathsOf,
  phoneOf,
  visit,
  wrongSizes,
} from '../support/page.ts';
import { sharedBrowser } from '../support/shared.ts';
import { hoursBefore, openSite, pictures, vehicle } from '../support/site.ts';

const logo = (shape: number) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${shape * 100} 100"><path fill="#2563eb" d="M5 5h${shape * 100 - 10}v90H5z"/></svg>`;

/** Many dealers with few vehicles each. */
const DEALERS = 10;
const EACH = 3;
const plateOf = (dealer: number, at: number) => `AB${10 + dealer}XY${'CDE'[at]}`;

const site = await forAllTests(
  openSite({
    files: {
      'wide.svg': logo(4),
      'group.svg': logo(1),
      ...Object.fromEntries(
        Array.from({ length: DEALERS }, (_, dealer) => [
          `${dealer}.csv`,
          `plate,make,model,price,fuel\n${plateOf(dealer, 0)},Albion,Wren ${dealer},${5000 + dealer * 100},Petrol\n`,
        ]),
      ),
    },
    dealers: Array.from({ length: DEALERS }, (_, dealer) => ({
      id: 1 + dealer,
      name: `Dealer ${1 + dealer}`,
      slug: `dealer-${1 + dealer}`,
      stock: { file: `${dealer}.csv` },
      ...(dealer === 0 && {
        logo: 'wide.svg',
        address: { street: '1 Mill Lane', city: 'Easton', postalCode: 'ZZ1 1AA', country: 'GB' },
        openingHours: { week: ['Mo-Fr 08:30-18:30'] },
      }),
      vehicles: Array.from({ length: EACH }, (_, at) =>
        vehicle(
          plateOf(dealer, at),
          pictures(100 + dealer * 2 + at, at < 2 ? 1 : 0),
          hoursBefore(dealer * 3 + at),
        ),
      ),
    })),
    site: { title: 'Example Group', favourites: true, logo: 'group.svg', colour: '#7a3e9d' },
    service: { pictureScale: 0.25 },
  }),
);
const browser = await sharedBrowser();
const at = (address: string) => new URL(address, site.server.url).href;

it('the search of all dealers reads one file and finds the vehicles of each dealer', async () => {
  await using page = await visit(browser, at(''), PHONE);
  const asked: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('.json')) asked.push(new URL(request.url()).pathname);
  });
  const links = () => pathsOf(page.locator('.card a'));
  await page.locator('[name=q]').fill(plateOf(DEALERS - 1, 2));
  await expect
    .poll(links)
    .toEqual([`/dealer-${DEALERS}/${plateOf(DEALERS - 1, 2).toLowerCase()}/`]);
  await page.locator('[name=q]').fill('petrol wren under 5150');
  await expect.poll(links).toEqual(['/dealer-1/ab10xyc/', '/dealer-2/ab11xyc/']);
  expect(asked).toEqual(['/index.json']);
  // Results of several dealers have the dealer and its town.
  const cardTexts = () =>
    page.locator('.card').evaluateAll((cards) => cards.map((card) => card.textContent ?? ''));
  expect((await cardTexts()).map((text) => /Dealer \d(?:, Easton)?/.exec(text)?.[0])).toEqual([
    'Dealer 1, Easton',
    'Dealer 2',
  ]);

  // The list of a dealer reads its own file with the same cards.
  await page.goto(at(`dealer-2/?q=wren`));
  await expect.poll(links).toEqual(['/dealer-2/ab11xyc/']);
  expect((await cardTexts()).join()).not.toContain('Dealer');
  expect(asked.slice(1)).toEqual(['/dealer-2/index.json']);
  await page.goto(at('?dealer=Dealer+3'));
  await expect.poll(async () => (await links()).length).toBe(EACH);
});

it.each([360, 768, 1280])(
  'the front page of %i pixels begins with one large picture of the newest vehicle',
  async (width) => {
    const options = width < 700 ? phoneOf(width, 740) : { viewport: { width, height: 900 } };
    await using page = await visit(browser, at(''), options);
    const lead = page.locator('.card').first();
    expect(await lead.locator('.name').textContent()).toBe('Albion Wren 0');
    expect(await lead.locator('.price').textContent()).toBe('£5,000');
    const [card, other] = [
      await lead.boundingBox(),
      await page.locator('.card').nth(1).boundingBox(),
    ];
    const picture = await lead.locator('img').boundingBox();
    // As wide as the page on a phone, and wider than two other cards on a desktop.
    expect(picture?.width).toBeGreaterThan(
      width < 700 ? 320 : (other?.width ?? 0) * (width < 1000 ? 1 : 2),
    );
    expect(card?.width).toBeGreaterThanOrEqual(width < 700 ? 320 : width * 0.9);
    // The button for saving is on the picture, and never on the name.
    const heart = await lead.locator('.heart').boundingBox();
    const [right, end] = [heart, picture].map((box) => (box?.x ?? 0) + (box?.width ?? 0));
    expect(right).toBeLessThan(end ?? 0);
    expect(await lead.locator('img').getAttribute('loading')).toBeNull();
    expect(await page.locator('.card').count()).toBe(9);
    expect(await layoutShift(page)).toBe(0);
    await page.clock.setFixedTime(hoursBefore(0));
    await page.reload();
    const mark = await lead.locator('.new').boundingBox();
    expect(mark?.x).toBeLessThan((picture?.x ?? 0) + 20);
    expect(await violationsInBothColours(page)).toEqual([]);
  },
);

it('the front page shows dealers as cards, the logo and the colour of the group, without scripts', async () => {
  await using page = await visit(browser, at(''), { ...PHONE, javaScriptEnabled: false });
  const dealers = page.locator('.dealers > li');
  const dealer = dealers.first();
  expect(await dealer.locator('.covers img').count()).toBe(2);
  expect(await dealer.locator('.who img').getAttribute('alt')).toBe('Dealer 1');
  expect(await dealer.textContent()).toMatch(
    /3 vehicles · Easton\s*Monday – Friday\s*8:30 – 18:30/,
  );
  expect(await dealers.nth(1).locator('.name').textContent()).toBe('Dealer 2');
  expect(await page.locator('.masthead img').getAttribute('src')).toMatch(/^\/assets\/logo\.svg\?/);
  expect(await page.locator('link[rel=stylesheet]').getAttribute('href')).toContain(
    'site-7a3e9d.css',
  );
});

it('the heading does not repeat the name in the masthead', async () => {
  await using page = await visit(browser, at(''), PHONE);
  // biome-ignore lint/performance/useDomNodeTextContent: texts as they are laid out.
  const seen = async () => (await page.locator('h1').innerText()).replace(/.*:\s*/, '');
  const heading = () => page.locator('h1').textContent();
  expect([await heading(), await seen()]).toEqual(['Example Group: 30 vehicles', '30 vehicles']);
  expect((await page.locator('h1 .hidden').boundingBox())?.width).toBeLessThanOrEqual(1);
  await page.goto(at('dealer-2/'));
  expect(await heading()).toBe('Dealer 2: 3 vehicles');
  // A wide logo replaces the name, so the heading contains it.
  await page.goto(at('dealer-1/'));
  expect(await heading()).toBe('Dealer 1');
});

it('a missing page, nothing saved or no result: a sentence, a button and the newest vehicles', async () => {
  await using page = await visit(browser, at(''), { ...PHONE, expected: FAILED });
  const main = page.locator('main');
  const cards = () => page.locator('main .card a[href]:visible').count();
  for (const [address, sentence] of [
    ['nothing/', /does not exist/],
    ['saved/', /not saved any/],
    ['dealer-2/?q=zzzz', /No matching vehicles/],
  ] as const) {
    await page.goto(at(address));
    await expect.poll(cards, { message: address }).toBeGreaterThan(2);
    await expect.poll(() => main.textContent()).toMatch(sentence);
    const button = main.locator('.empty > p .button, .message .button, .chips .clear').first();
    expect(await button.isVisible()).toBe(true);
    await button.click();
    await page.waitForURL((url) => !url.href.endsWith(address));
    await expect.poll(cards).toBeGreaterThan(2);
    expect(new URL(page.url()).search).toBe('');
  }
});

it('large text on a small phone breaks no word of the opening hours, which pages show once', async () => {
  for (const part of ['', `${plateOf(0, 0).toLowerCase()}/`]) {
    await using page = await visit(browser, at(`dealer-1/${part}`), phoneOf(360, 640));
    await enlargeText(page);
    expect(await page.locator('.where dl, .footer dl').count()).toBe(1);
    expect(await brokenWords(page)).toEqual([]);
  }
});

it('a panorama is not the large picture of the front page, which would blur it', async () => {
  const { data } = site.service;
  onTestFinished(async () => {
    data.dealers[0]?.vehicles.shift();
    await site.night();
  });
  data.dealers[0]?.vehicles.unshift(vehicle('PA99NOR', pictures(900, 1), hoursBefore(-1)));
  data.override(900, { width: 1600, height: 300, orientation: 1 });
  await site.night();
  await using page = await visit(browser, at(''));
  const names = await page.locator('.card .name').allTextContents();
  expect(names.slice(0, 2)).toEqual(['Albion Wren 0', 'PA99 NOR']);
  expect(await page.locator('.lead').count()).toBe(1);
  expect(await wrongSizes(page)).toEqual([]);
});
