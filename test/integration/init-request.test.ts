import { expect, it } from 'vitest';
import { forAllTests } from '../support/for-all-tests.ts';
import { answered, DOWN, ENTER, REST_OF_DEALER } from '../support/person.ts';
import { startService } from '../support/service.ts';

const service = await forAllTests(startService({ dealers: 1, vehicles: 2, images: 1 }));

it("takes the address, key and dealer from the vendor's request, and completes addresses", async () => {
  const query = `apiKey=${service.mediaKey}&dealerId=7001`;
  const { answers, keys } = await answered([
    ['What is this project for?', ENTER],
    ['URL of the media service', `${service.baseUrl}/PublicAPI/GetMediaByDealer?${query}${ENTER}`],
    [`The address is ${service.baseUrl}`, ''],
    ['MEDIA_API_KEY is the key of this request', ''],
    ['Id of the dealer', ENTER],
    ['Name of the dealer', `One Cars${ENTER}`],
    ...REST_OF_DEALER,
    ['history of sent videos', 'n'],
    ['Title of the site', ENTER],
    ['URL at which visitors', `www.cars.test${ENTER}`],
    ['Language and region', `${'\u007f'.repeat(5)}fr-BE${ENTER}`],
    ['Time zone', ENTER],
    ['Where do you host the site?', ENTER],
    ['What rebuilds the site', ENTER],
  ]);
  expect(answers).toMatchObject({
    service: { baseUrl: service.baseUrl },
    site: { url: 'https://www.cars.test', timeZone: 'Europe/Brussels' },
    dealers: [{ id: 7001, name: 'One Cars' }],
  });
  expect(keys.get('MEDIA_API_KEY')?.reveal()).toBe(service.mediaKey);
}, 30_000);

it("takes the ids of an account from the vendor's request", async () => {
  const query = `customerId=C-1001&apiKey=${service.batchKey}&daysOfHistory=30`;
  const { answers, keys } = await answered([
    ['What is this project for?', `${DOWN}${ENTER}`],
    [
      'URL of the media service',
      `${service.baseUrl}/PublicAPI/MyVideos/v1/cakes/1?${query}${ENTER}`,
    ],
    ['Name of the account', `north${ENTER}`],
    ['BATCH_API_KEY is the key of this request', ''],
    ['Its customerId', ENTER],
    ['Its pathId', ENTER],
    ['Add another account?', 'n'],
  ]);
  expect(answers.accounts).toMatchObject([{ name: 'north', customerId: 'C-1001', pathId: '1' }]);
  expect(keys.get('BATCH_API_KEY')?.reveal()).toBe(service.batchKey);
}, 30_000);
