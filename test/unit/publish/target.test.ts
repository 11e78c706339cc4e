import { expect, it } from 'vitest';
import {
  externalLinks,
  mentionsBatchFields,
  targetOf,
} from '../../../src/publish/verify/inspect.ts';
import type { VehicleView } from '../../../src/site/views/view.ts';
import type { DealerStock } from '../../../src/stock/dealer-stock.ts';

const HERE = 'north/ab12/index.html';
const target = (link: string, { origin = 'https://cars.example', base = '', from = HERE } = {}) =>
  targetOf(link, from, origin, base);

it.each<[string, string | undefined]>([
  ['/north/', 'north/index.html'],
  ['/media/ab/1.webp', 'media/ab/1.webp'],
  ['#2', HERE],
  ['../', 'north/index.html'],
  ['?sort=price', HERE],
  ['', HERE],
  ['/', 'index.html'],
  ['/assets/a.css?v=1#x', 'assets/a.css'],
  ['/north/../south/', 'south/index.html'],
  ['//elsewhere.example/x', undefined],
  ['https://CARS.example:443/x', 'x'],
  ['/a%20b', 'a b'],
  ['https://cars.example/north/', 'north/index.html'],
  ['https://cars.example', 'index.html'],
  ['https://user@cars.example/x', 'x'],
  ['https://elsewhere.example/x', undefined],
  ['http://cars.example/x', undefined],
  ['https://cars.example@elsewhere.example/x', undefined],
  ['https://[no/x', undefined],
  ['mailto:a@cars.example', undefined],
])('%s leads to %s', (link, file) => {
  expect(target(link)).toBe(file);
});

it('recognises its host in any spelling, and its part of the path', () => {
  const origin = 'http://127.0.0.1:8080';
  expect(target('http://127.1:8080/cars/x', { origin, base: '/cars' })).toBe('x');
  expect(target('http://127.0.0.1:8080/other/x', { origin, base: '/cars' })).toBeUndefined();
  expect(target('#1', { origin, base: '/cars', from: 'a b/index.html' })).toBe('a b/index.html');
});

it('knows the URLs of the service and of a stock list on a page, which may be at the same host', () => {
  const here = 'https://cars.example/1';
  const pictures = [{ full: `${here}.jpg` }, { full: '/media/ab/1.jpg' }];
  const link = `${here}/former-page`;
  const view = { media: [], link, pictures, videos: [{ player: here }] } as unknown as VehicleView;
  expect([...externalLinks(view)]).toEqual([link, `${here}.jpg`, here]);
});

it.each([
  ['a plate', [{ vehicles: [{ vrm: 'RecipientEmail' }], withdrawn: [] }], true],
  ['a URL', [{ vehicles: [{ media: [{ url: '/?SendingUserName=1' }] }], withdrawn: [] }], true],
  [
    'a stock list',
    [
      {
        vehicles: [],
        withdrawn: [],
        list: { facts: { byPlate: new Map([['AB1', { model: 'RecipientMobile' }]]) } },
      },
    ],
    true,
  ],
  ['nothing', [{ vehicles: [{ vrm: 'AB1' }], withdrawn: [], list: { facts: undefined } }], false],
])(
  'knows that %s has the name of a field of batches, which is not a leak',
  (_, stock, expected) => {
    expect(mentionsBatchFields(stock as unknown as DealerStock[])).toBe(expected);
  },
);
