import { describe, expect, it } from 'vitest';
import { readRequest, withScheme } from '../../../src/setup/init/request.ts';

describe("a vendor's request as the address of the service", () => {
  it.each([
    [
      'https://m.test/PublicAPI/GetMediaByDealer?apiKey=one-two-three&dealerId=7',
      { baseUrl: 'https://m.test', dealerId: '7', key: 'one-two-three', kind: 'media' },
    ],
    [
      'https://m.test/a/publicapi/MyVideos/v1/cakes/a%2Fb+c?customerId=C%201&apiKey=k',
      { baseUrl: 'https://m.test/a', customerId: 'C 1', pathId: 'a/b+c', key: 'k', kind: 'batch' },
    ],
    [
      'https://m.test/PublicAPI/MyVideos/v1/cakes/5%?customerId={customerId}&apiKey=YOUR_KEY',
      { baseUrl: 'https://m.test', pathId: '5%', kind: 'batch' },
    ],
    ['https://m.test/PublicAPI', { baseUrl: 'https://m.test', kind: 'media' }],
    ['https://me:secret@m.test/PublicAPI', undefined],
    ['https://m.test/PublicAPIs/', undefined],
    ['https://m.test/', undefined],
    ['m.test', undefined],
  ])('%s', (text, expected) => {
    const request = readRequest(text);
    const given = request && { ...request, key: request.key?.reveal() };
    expect(given && JSON.parse(JSON.stringify(given))).toEqual(expected);
  });

  it.each([
    ['cars.test', 'https://cars.test'],
    ['www.cars.test/stock', 'https://www.cars.test/stock'],
    ['127.0.0.1:8701', 'https://127.0.0.1:8701'],
    ['müller.test', 'https://müller.test'],
    ['http://cars.test', 'http://cars.test'],
    ['mailto:me@cars.test', 'mailto:me@cars.test'],
    ['me@cars.test', 'me@cars.test'],
    ['cars', 'cars'],
    ['', ''],
  ])('the scheme of "%s"', (text, address) => {
    expect(withScheme(text)).toBe(address);
  });
});
