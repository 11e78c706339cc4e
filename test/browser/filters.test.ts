import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { violations } from '../support/axe.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { boxOf, FAILED, PHONE, phoneOf, resize, tick, visit } from '../support/page.ts';
import { sharedBrowser } from '../support/shared.ts';
import { hoursBefore, NORTHGATE, openSite, pictures, vehicle } from '../support/site.ts';

const ROWS = [
  'KL10MNP,Škoda,Fabia,2015,4995,80000,Petrol,Automatic,Red,Hatchback',
  'KL11MNP,Škoda,Octavia,2018,14995,60000,Diesel,6-Speed Automatic,Corrida Red Metallic,Estate',
  'KL12MNP,Škoda,Superb,2021,24995,30000,Diesel,Automatic,Red,Estate',
  'KL13MNP,Škoda,Scala,2019,9995,50000,Petrol,Manual,Red,Hatchback',
  'KL14MNP,Škoda,Kamiq,2020,12995,40000,Petrol,Automatic,Diamond Black,SUV',
  'KL15MNP,Albion,Redwing,2017,7995,90000,Petrol Plug-in Hybrid,Automatic,Blue,SUV',
];
/** A plate with a word for an amount, makes with a short name, stock numbers, another currency, a sold vehicle. */
const HILL = `Plate,Make,Model,Year,Price,Stock number,Status
MAB1234,VW,Golf,2016,€9000,H-20081,
MTO1500,Volkswagen,Polo,2017,€8000,,sold
MXY2016,Peugeot,2008,2018,€7000,,
`;
const LOCALES = ['en-GB', 'de-DE', 'fr-FR', 'es-ES', 'it-IT', 'nl-NL', 'pl-PL'];
const plates = ROWS.map((row) => row.slice(0, 7));
const FILM = { id: 9, type: 'Video', label: 'Tour', mediaUrl: '{base_url}/player/9' };

const browser = await sharedBrowser();
const { server } = await forAllTests(
  openSite({
    files: {
      'hill.csv': HILL,
      'stock.csv': `Plate,Make,Model,Year,Price,Mileage,Fuel,Transmission,Colour,Body\n${ROWS.join('\n')}`,
    },
    site: { locales: LOCALES.slice(1) },
    dealers: [
      {
        ...NORTHGATE,
        vehicles: plates.map((vrm, at) => vehicle(vrm, pictures(at * 10 + 20, 1), hoursBefore(at))),
        stock: { file: 'stock.csv', columns: { plate: 'Plate' } },
      },
      {
        id: 7002,
        name: 'Riverside Motors',
        slug: 'riverside',
        vehicles: [vehicle('RS51TUV', [FILM]), vehicle('RS52TUV'), vehicle('RS53TUV')],
      },
      {
        id: 7003,
        name: 'Hill Cars',
        slug: 'hill',
        vehicles: ['MAB1234', 'MTO1500', 'MXY2016'].map((vrm) => vehicle(vrm)),
        stock: { file: 'hill.csv' },
      },
    ],
  }),
);

const list = (folder = '', query = '') => `${server.url}${folder}northgate/${query}`;
const result = (page: Page) => page.locator('.result').textContent();
/** Positions in ROWS of the shown vehicles. */
const found = (page: Page) =>
  page
    .locator('.card a')
    .evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''))
    .then((links) =>
      links.map((link) => plates.findIndex((vrm) => link.includes(vrm.toLowerCase()))),
    );

const type = async (page: Page, text: string) => {
  await page.locator('[name=q]').fill(text);
  await expect.poll(() => result(page), { message: text }).toMatch(text ? /\d/ : /^$/);
  // The index is loaded, so each further text is answered in the next frame.
  await page.evaluate('new Promise((drawn) => requestAnimationFrame(drawn))');
  return found(page);
};

it('"red skoda automatic under 15000" finds the same vehicles as the filters', async () => {
  await using page = await visit(browser, list(), PHONE);
  expect(await type(page, 'red skoda automatic under 15000')).toEqual([0, 1]);
  expect(await result(page)).toBe('2 vehicles found');
  await page.locator('[name=q]').fill('');
  for (const value of ['Red', 'Škoda', 'Automatic']) await tick(page, value);
  await page.locator('.filter').click();
  await page.locator('[name=price-to]').selectOption('15000');
  expect(await violations(page)).toEqual([]);
  // The result behind the dialog is inert, so the button reports the number to screen readers.
  await expect
    .poll(() => page.locator('.filters [aria-live=polite]').textContent())
    .toBe('Show 2 vehicles');
  await page.locator('.filters .shown').click();
  await expect.poll(() => result(page)).toBe('2 vehicles found');
  expect(await found(page)).toEqual([0, 1]);
  expect(new URL(page.url()).searchParams.get('price-to')).toBe('15000');
  await page.locator('.card a').first().click();
  await page.waitForURL(/kl10/);
  await page.goBack();
  await expect.poll(() => result(page)).toBe('2 vehicles found');
  await page.locator('.chip', { hasText: 'Up to £15,000' }).click();
  await expect.poll(() => found(page)).toEqual([0, 1, 2]);
  // Several values of one filter are alternatives.
  await page.locator('.chip', { hasText: 'Red' }).click();
  await tick(page, 'Albion');
  await expect.poll(() => found(page)).toEqual([0, 1, 2, 4, 5]);
  expect(new URL(page.url()).searchParams.getAll('make')).toEqual(['SKODA', 'ALBION']);
  await page.locator('.chips .clear').click();
  await expect.poll(() => result(page)).toBe('');
  expect(new URL(page.url()).search).toBe('');
});

it('offers the models of chosen makes, and a removed make takes its models with it', async () => {
  await using page = await visit(browser, list());
  const models = page.locator('.filters .check:visible:has([name=model])');
  const sheet = page.locator('.filters');
  await page.locator('.filter').click();
  await expect.poll(() => sheet.locator('.check:visible').count()).toBeGreaterThan(0);
  expect(await models.count()).toBe(0);
  await sheet.locator('.check', { hasText: 'Škoda' }).click();
  await expect
    .poll(() => models.locator('span').allTextContents())
    .toEqual(['Fabia', 'Kamiq', 'Octavia', 'Scala', 'Superb']);
  for (const model of ['Kamiq', 'Fabia']) await models.filter({ hasText: model }).click();
  await sheet.locator('.shown').click();
  await expect.poll(() => found(page)).toEqual([0, 4]);
  expect(new URL(page.url()).search).toBe('?make=SKODA&model=KAMIQ&model=FABIA');
  await page.reload();
  await expect.poll(() => found(page)).toEqual([0, 4]);
  // As a chip, and in the sheet.
  await page.locator('.chip', { hasText: 'Škoda' }).click();
  await expect.poll(() => found(page)).toEqual([0, 1, 2, 3, 4, 5]);
  await page.goBack();
  await expect.poll(() => found(page)).toEqual([0, 4]);
  await tick(page, 'Škoda');
  await expect.poll(() => page.locator('.chip').count()).toBe(0);
  await page.goto(list('', '?model=Octavia'));
  await expect.poll(() => found(page)).toEqual([1]);
  await page.locator('.filter').click();
  await expect.poll(() => models.locator('span').allTextContents()).toEqual(['Octavia']);
});

it('a link to another language keeps the text, the filters and the order', async () => {
  await using page = await visit(browser, list('', '?sort=price-down'));
  await tick(page, 'Red');
  await page.locator('[name=q]').fill('automatic');
  await expect.poll(() => found(page)).toEqual([2, 1, 0]);
  await page.locator('.languages a', { hasText: 'Deutsch' }).click();
  await page.waitForURL('**/de/northgate/**');
  await expect.poll(() => found(page)).toEqual([2, 1, 0]);
  expect(await page.locator('.chip').allTextContents()).toEqual(['Rot']);
  expect(await page.locator('.card').first().textContent()).toContain('Diesel\u00a0· Automatik');
  await page.goto(`${list('de/')}kl12mnp/`);
  expect(await page.locator('.facts').textContent()).toMatch(/FarbeRot.*Kombi/s);
});

it('the back button undoes one filter after the other', async () => {
  await using page = await visit(browser, list());
  await page.locator('.makes a', { hasText: 'Škoda' }).click();
  await expect.poll(() => found(page)).toEqual([0, 1, 2, 3, 4]);
  await tick(page, 'Red');
  await expect.poll(() => found(page)).toEqual([0, 1, 2, 3]);
  await page.locator('[name=q]').fill('octavia');
  await expect.poll(() => found(page)).toEqual([1]);
  await page.goBack();
  await expect.poll(() => found(page)).toEqual([0, 1, 2, 3, 4]);
  await page.goBack();
  await expect.poll(() => result(page)).toBe('');
  expect(await found(page)).toEqual([0, 1, 2, 3, 4, 5]);
  await page.goForward();
  await expect.poll(() => page.locator('.chip').allTextContents()).toEqual(['Škoda']);
  expect(await page.locator('[name=q]').inputValue()).toBe('');
});

it('a saved URL keeps its filter if no vehicle has the value any more', async () => {
  await using page = await visit(browser, list('', '?make=Lada&price-to=12600'));
  await expect.poll(() => result(page)).toContain('No matching vehicles.');
  expect(await page.locator('.chip').allTextContents()).toEqual(['Lada', 'Up to £12,600']);
  await page.locator('.chip', { hasText: 'Lada' }).click();
  await expect.poll(() => found(page)).toEqual([0, 3, 5]);
  await page.locator('.filter').click();
  await expect.poll(() => page.locator('[name=price-to]').inputValue()).toBe('12600');
});

it('prices in two currencies are neither compared nor filtered as one, and sold vehicles come last', async () => {
  await using page = await visit(browser, `${server.url}?sort=price-up`);
  const prices = () => page.locator('.card .price').allTextContents();
  const first = async () => (await prices()).slice(0, 3);
  await expect.poll(first).toEqual(['€7,000', '€9,000', '£4,995']);
  expect((await prices()).at(-1)).toBe('€8,000');
  await page.locator('[name=q]').fill('under £9,000');
  await expect.poll(prices).toEqual(['£4,995', '£7,995']);
  await page.locator('.filter').click();
  await expect.poll(() => page.locator('[name=year-to]').count()).toBe(1);
  expect(await page.locator('[name=mileage-to]').count()).toBe(1);
  expect(await page.locator('[name=price-to]').count()).toBe(0);
  await page.goto(server.url);
  await page.locator('[name=sort]').selectOption({ label: 'Mileage' });
  await expect.poll(async () => (await found(page)).slice(0, 7)).toEqual([2, 4, 3, 1, 0, 5, -1]);
});

/** Typed texts with the vehicles they find, by folder of the language. */
const QUERIES: Record<string, [text: string, wanted: number[]][]> = {
  '': [
    ['red automatic', [0, 1, 2]],
    ['under 15000', [0, 1, 3, 4, 5]],
    ['15k', [0, 1, 3, 4, 5]],
    ['from £7,000 to £10,000', [3, 5]],
    ['£7,000-£10,000', [3, 5]],
    ['7000 to 10000', [3, 5]],
    ['7-10k', [3, 5]],
    ['30,000 - 50,000 miles', [2, 3, 4]],
    ['2018-2020', [1, 3, 4]],
    ['estate from 2019', [2]],
    ['up to 60,000 miles petrol', [3, 4]],
    ['plug in hybrid', [5]],
    ['redwing', [5]],
    ['kl 13 mnp', [3]],
    [`red${' '.repeat(200_000)}automatic`, [0, 1, 2]],
    [`red automatic up to 99${',999'.repeat(100_000)}`, [0, 1, 2]],
  ],
  'de/': [
    ['rot automatik bis 15.000', [0, 1]],
    ['red automatic under 15000', [0, 1]],
    ['Kombi ab 2019', [2]],
    ['7.000 bis 10.000 €', [3, 5]],
  ],
  'fr/': [['rouge automatique moins de 15 000', [0, 1]]],
  'es/': [['rojo automático hasta 15.000', [0, 1]]],
  'it/': [['rossa automatica fino a 15.000', [0, 1]]],
  'nl/': [['rode automaat tot 15.000', [0, 1]]],
  'pl/': [['czerwony automat do 15 000', [0, 1]]],
};

describe('a typed query', () => {
  it('finds vehicles by several words in each language, by an example that fits on a phone', async () => {
    await using page = await visit(browser, list(), phoneOf(320, 640));
    for (const [folder, queries] of Object.entries(QUERIES)) {
      await page.goto(list(folder));
      await resize(page, 320, 640);
      const hint = await page.evaluate<{ text: string; missing: number }>(MEASURE_HINT);
      // Browsers keep 20 pixels for a button that clears the field.
      expect(hint.missing, hint.text).toBeLessThanOrEqual(-20);
      for (const [text, wanted] of [[hint.text, [0, 1, 3]] as const, ...queries]) {
        await type(page, '');
        expect(await type(page, text), text).toEqual(wanted);
      }
      await resize(page, 360, 740);
      // Without a stock list, there are only number plates.
      await page.goto(`${server.url}${folder}riverside/`);
      const other = await page.evaluate<{ text: string; missing: number }>(MEASURE_HINT);
      expect(other.missing, other.text).toBeLessThanOrEqual(0);
    }
  });

  it('finds a plate, a stock number, a year or a short name', async () => {
    await using page = await visit(browser, `${server.url}de/hill/`);
    for (const [text, name] of [
      ['M-AB 1234', 'VW Golf'],
      ['m to 1500', 'Volkswagen Polo'],
      ['golf 2016', 'VW Golf'],
      ['2017', 'Volkswagen Polo'],
      ['peugeot 2008', 'Peugeot 2008'],
      ['2008', 'Peugeot 2008'],
      ['h 20081', 'VW Golf'],
      ['volkswagen golf', 'VW Golf'],
      ['vw polo', 'Volkswagen Polo'],
    ] as const) {
      await type(page, text);
      expect(await page.locator('.card .name').allTextContents(), text).toEqual([name]);
    }
  });
});

/** In the browser: the hint of the search field, and how many pixels of its width are cut off. */
const MEASURE_HINT = `document.fonts.ready.then(() => {
  const field = document.querySelector('[name=q]');
  const { paddingLeft, paddingRight } = getComputedStyle(field);
  const { font } = getComputedStyle(field, '::placeholder');
  const pen = document.createElement('canvas').getContext('2d');
  pen.font = font;
  const room = field.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
  const text = field.placeholder;
  return { text, missing: Math.ceil(pen.measureText(text).width - room) };
})`;

describe('the filter sheet', () => {
  it('offers rounded ranges, swatches and only values with vehicles', async () => {
    await using page = await visit(browser, list());
    await page.locator('.filter').click();
    const sheet = page.locator('.filters');
    // The cross of the close button is visible under the pointer.
    await sheet.locator('.close').hover();
    const colours = await page.evaluate<string[]>(
      '[".filters .close", "body"].map((one) => getComputedStyle(document.querySelector(one)).backgroundColor)',
    );
    expect(new Set(colours).size).toBe(1);
    await expect.poll(() => sheet.locator('fieldset:visible').count()).toBe(8);
    const steps = await sheet.locator('[name=price-to] option').allTextContents();
    expect(steps.slice(0, 3)).toEqual(['Up to …', 'Up to £5,000', 'Up to £7,500']);
    expect(await sheet.locator('[name=mileage-to] option').last().textContent()).toBe(
      'Up to 90,000 miles',
    );
    expect(await sheet.locator('[name=year-from] option').count()).toBe(8);
    // No field is cut off at the edge.
    expect(
      await page.evaluate(
        '(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector(".facets"))',
      ),
    ).toBe(0);
    expect(await sheet.locator('.swatch').count()).toBe(3);
    await sheet.locator('[name=mileage-to]').selectOption('40000');
    const shown = () => sheet.locator('.check:visible span').allTextContents();
    await expect.poll(shown).not.toContain('Hatchback');
    expect(await shown()).toContain('SUV');
    expect(await sheet.locator('.check', { hasText: 'SUV' }).locator('small').textContent()).toBe(
      '1',
    );
    // Prices of other vehicles only would show no result.
    expect(await sheet.locator('[name=price-to] option').count()).toBeLessThan(steps.length);
    const counts = await sheet.locator('.check:visible small').allTextContents();
    expect(counts).not.toContain('0');
    // Next to the name of a dealer or a model that is longer than the sheet.
    await page.evaluate(`{
      const [span, count] = document.querySelectorAll('.check:not([hidden]) > :is(span, small)');
      span.textContent = 'Long '.repeat(30);
      count.textContent = '1234';
    }`);
    expect((await boxOf(page, '.check:not([hidden]) > small')).height).toBeLessThan(30);
  });
});

it('browsers without light-dark() show fields and the sheet on a ground', async () => {
  await using page = await visit(browser, 'about:blank', PHONE);
  await page.route('**/*.css*', async (route) => {
    const response = await route.fetch();
    await route.fulfill({
      response,
      body: (await response.text()).replaceAll('light-dark(', 'unknown('),
    });
  });
  await page.goto(list());
  await page.locator('.filter').click();
  await expect.poll(() => page.locator('.check:visible').count()).toBeGreaterThan(0);
  const grounds = await page.evaluate<string[]>(`
    ['.filters', '[name=q]', '.card a', '.filters .shown'].map(
      (one) => getComputedStyle(document.querySelector(one)).backgroundColor)`);
  expect(grounds.slice(0, 3)).toEqual(Array(3).fill('rgb(255, 255, 255)'));
  const text = await page.evaluate<string>(
    'getComputedStyle(document.querySelector(".filters .shown")).color',
  );
  expect(text).not.toBe(grounds[3]);
});

it('without a stock list, a list has a working chip for videos', async () => {
  await using page = await visit(browser, `${server.url}riverside/`, { expected: FAILED });
  const chip = page.locator('.tools .video');
  expect(await page.locator('.filter').count()).toBe(0);
  await chip.click();
  await expect.poll(() => result(page)).toBe('1 vehicle found');
  expect(await chip.getAttribute('aria-pressed')).toBe('true');
  await page.reload();
  await expect.poll(() => result(page)).toBe('1 vehicle found');
  expect(await violations(page)).toEqual([]);
  await chip.click();
  await expect.poll(() => page.locator('.card').count()).toBe(3);
  // Without a connection it reports that, and a reload tries again.
  await page.route('**/index.json', (route) => route.abort());
  await page.reload();
  await chip.click();
  await expect.poll(() => result(page)).toContain('unavailable');
  await page.goto(`${server.url}riverside/?video=1`);
  await expect.poll(() => result(page)).toContain('unavailable');
  expect(page.url()).toContain('?video=1');
});
