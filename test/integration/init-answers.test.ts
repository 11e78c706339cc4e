import { afterAll, beforeAll, expect, it } from 'vitest';
import { Secret } from '../../src/config/secret.ts';
import { type SampleService, startSampleService } from '../../src/sample-service/index.ts';
import { answersFromFlags } from '../../src/setup/init/answers.ts';
import { configFile } from '../../src/setup/init/config-file.ts';
import { Probe } from '../../src/setup/init/probe.ts';
import { askPerson } from '../../src/setup/init/questions.ts';
import { EXAMPLE } from '../support/example-answers.ts';
import { DOWN, ENTER, person } from '../support/person.ts';

let service: SampleService;

beforeAll(async () => {
  service = await startSampleService({ dealers: 1, vehicles: 40, images: 1 });
});
afterAll(() => service.close());

const BACK = '\u007f';
const FLAGS = { service: 'https://media.test', url: 'https://cars.test', dealer: ['7001=One'] };

it('asks again for a locale that does not exist, and for a phone number that is none', async () => {
  const { asker, typing } = await person([
    ['Address of the media service', `${service.baseUrl}${ENTER}`],
    ['MEDIA_API_KEY is set already. Use it?', 'y'],
    ['Id of the dealer', `7001${ENTER}`],
    ['Name of the dealer', `One${ENTER}`],
    ['First part of its page addresses', ENTER],
    ['Phone number', `call us${ENTER}`],
    ['must be a telephone number', `${BACK.repeat(7)}+44 1632 960001${ENTER}`],
    ['Add another dealer?', 'n'],
    ['history of sent videos', 'n'],
    ['Title of the site', ENTER],
    ['Address at which visitors', `https://cars.test${ENTER}`],
    ['Language and region', `${BACK.repeat(5)}english${ENTER}`],
    ['must begin with a known language', `${BACK.repeat(7)}en-QQ${ENTER}`],
    ['must end with a known region', `${BACK.repeat(5)}sv-SE${ENTER}`],
    ['Use sv-SE anyway?', ENTER],
    ['Language and region', `${BACK.repeat(5)}de-AT${ENTER}`],
    ['Time zone', ENTER],
    ['Where does the site go?', ENTER],
    ['What rebuilds the site', `${DOWN}${DOWN}${ENTER}`],
  ]);
  const { answers } = await askPerson(asker, { present: () => new Secret(service.mediaKey) });
  await typing;
  expect(answers.locale).toBe('de-AT');
  expect(answers.dealers[0]?.phone).toBe('+44 1632 960001');
  expect(configFile(answers)).toContain("      contact: { phone: '+44 1632 960001' },");
}, 60_000);

it.each([
  [{ locale: 'english' }, '--locale english must begin with a known language'],
  [{ locale: 'en-QQ' }, '--locale en-QQ must end with a known region'],
  [{ locale: 'en_GB' }, '--locale (site.locale): must be a language tag'],
  [{ phone: ['call us'] }, '--phone (dealers.0.contact.phone): must be a telephone number'],
  [{ phone: ['7009=+44 1632 960001'] }, '--phone 7009=+44 1632 960001 names no dealer'],
])('%j is an error', (flags, text) => {
  expect(() => answersFromFlags({ ...FLAGS, ...flags })).toThrow(text);
});

it('takes phone numbers by the id of the dealer, or the one of the only dealer', () => {
  const phones = (flags: object) =>
    answersFromFlags({ ...FLAGS, ...flags }).dealers.map(({ phone }) => phone);
  expect(phones({ phone: ['+44 1632 960001'] })).toEqual(['+44 1632 960001']);
  const two = { dealer: ['7001=One', '7002=Two'], phone: ['7002=01632 960002'] };
  expect(phones(two)).toEqual([undefined, '01632 960002']);
  expect(answersFromFlags({ locale: 'en-GB' }, { ...EXAMPLE, locale: 'tlh-XX' })).toBeDefined();
});

it('never proposes a host of pictures that a build refuses', async () => {
  const urls = [
    'http://169.254.169.254/latest/1.jpg',
    'http://10.0.0.5/1.jpg',
    'http://192.168.1.9:8080/1.jpg',
    'http://[::1]/1.jpg',
    'http://127.0.0.1:9/1.jpg',
    'http://localhost/1.jpg',
    'https://pictures.test/1.jpg',
    `${service.baseUrl}/pictures/1.jpg`,
  ];
  for (const [index, vehicle] of (service.data.dealers[0]?.vehicles ?? []).entries()) {
    for (const item of vehicle.mediaList) {
      if (item.type === 'Image') item.mediaUrl = urls[index % urls.length] ?? '';
    }
  }
  const { baseUrl } = service;
  const probe = new Probe({ ...EXAMPLE, baseUrl, pictureHosts: [] });
  const dealer = { id: 7001, name: 'One' };
  expect(await probe.dealer(dealer, new Secret(service.mediaKey), baseUrl)).toBeUndefined();
  const { pictureHosts, refusedHosts } = await probe.found(baseUrl);
  expect(pictureHosts).toEqual(['pictures.test']);
  expect(refusedHosts).toContain('169.254.169.254');
  expect(refusedHosts).toHaveLength(6);
});
