import { describe, expect, it } from 'vitest';
import type { LoadedConfig } from '../../../src/config/load.ts';
import { Secret } from '../../../src/config/secret.ts';
import {
  checkKeys,
  checkLegal,
  checkOpened,
  keyFault,
} from '../../../src/setup/doctor/configuration.ts';
import { clickNames, hostedVideoPrefix } from '../../../src/setup/doctor/names.ts';
import { offlineConfig } from '../../support/offline-config.ts';

const BATCH = '5a3c91e0-7b42-4d18-9c6f-2e80b17d4a35';

it.each([
  ['sample-media-key', 'media', undefined],
  [BATCH, 'batch', undefined],
  ['sample-media-key', 'batch', 'is not five groups'],
  ['abc', 'media', 'is too short'],
  ['"sample-media-key"', 'media', 'is in quotes'],
  ['sample media key', 'media', 'has white space'],
  ['https://x.example/?apiKey=abcdefgh', 'media', 'is an address'],
  ['MEDIA_API_KEY=sample-media-key', 'media', 'has other text before it'],
  ['sample–media–key', 'media', 'contains characters'],
] as const)('the form of a key: %s as a %s key', (key, kind, fault) => {
  const found = keyFault(new Secret(key), kind);
  if (fault === undefined) expect(found).toBeUndefined();
  else expect(found).toContain(fault);
  expect(found ?? '').not.toContain(key);
});

it.each([
  [BATCH, undefined],
  ['5a3c91e07b424d189c6f2e80', undefined],
  ['sample-media-key', 'is too short: it has fewer than 24 letters and digits'],
  [
    '11111111-1111-1111-1111-111111111111',
    'has too few different characters: fewer than 8 different letters and digits',
  ],
])('%s as a signing key: %s', (key, fault) => {
  const dealer = { name: 'One', apiKeyEnv: 'MEDIA_API_KEY', apiKey: new Secret(key) };
  const account = { name: 'one', apiKeyEnv: 'BATCH_API_KEY', apiKey: new Secret(BATCH) };
  const config = { dealers: [dealer], accounts: [account] } as unknown as LoadedConfig;
  expect(checkKeys(config, {}).map(({ code, args }) => [code, args.fault])).toEqual(
    fault === undefined ? [] : [['key-short', fault]],
  );
  const siteSecret = new Secret('p0Xb1kQ-Zr8sV_2mN4tL6wY9cA3eF5gH7jK-DqUxIo');
  expect(checkKeys({ ...config, siteSecret }, {})).toEqual([]);
  const unset = { ...dealer, apiKey: new Secret('') };
  const twoUnset = { ...config, dealers: [unset, { ...unset, name: 'Two' }] } as never;
  expect(checkKeys(twoUnset, { media_api_key: key, PATH: '/' })).toMatchObject([
    {
      code: 'key-missing',
      what: 'MEDIA_API_KEY is not set (but media_api_key is).',
      why: 'It is needed by One, Two.',
    },
  ]);
});

describe('field names of a service in place of the neutral ones', () => {
  const body = (item: object) => [{ mediaList: [{ id: 1, mediaUrl: 'x', ...item }] }];
  it.each([
    ['a single ambiguous field', { thumbUrl: '' }, undefined],
    ['names of the prototype', { constructorUrl: '', constructorWatchUrl: '' }, 'constructor'],
    ['nothing a name could be made of', { '1 Url': '', '1 WatchUrl': '' }, undefined],
  ])('%s', (_, item, prefix) => {
    expect(hostedVideoPrefix(body(item), 'hostedVideo')).toBe(prefix);
  });

  it('are suggested without a crash for any response', () => {
    expect(hostedVideoPrefix([null, 1, [], { mediaList: [null, 3] }], 'x')).toBeUndefined();
    expect(
      clickNames([null, 1], { hostedVideo: '', socialClicks: 'a', searchClicks: 'b' }),
    ).toEqual({});
  });

  it('are not suggested if only one of the two counts of a batch is unknown', () => {
    const names = { hostedVideo: '', socialClicks: 'SocialClicks', searchClicks: 'SearchClicks' };
    expect(clickNames([{ AClicks: 1 }], names)).toEqual({});
    expect(clickNames([{ SocialClicks: 1, SearchClicks: 1, MoreClicks: 1 }], names)).toEqual({});
  });
});

const configWith = (site: object, dealer: object) =>
  offlineConfig({
    site,
    dealers: [
      { id: 1, name: 'North', slug: 'north', ...dealer },
      { id: 2, name: 'South', slug: 'south', ...dealer },
    ],
  });

const address = (country: string) => ({ address: { street: 'A 1', city: 'B', country } });

it.each([
  ['de-DE', {}, {}, ['imprint-missing', 'privacy-missing']],
  ['de-AT', {}, {}, ['imprint-missing', 'privacy-missing']],
  ['en-GB', {}, {}, ['company-details-missing']],
  // The dealer's own country counts more than the language of the pages.
  ['en-GB', address('DE'), {}, ['imprint-missing', 'privacy-missing']],
  ['de-DE', address('CH'), {}, []],
  ['de', {}, {}, ['imprint-missing', 'privacy-missing']],
  ['en-US', {}, {}, []],
  ['de-DE', {}, { imprint: 'i.md' }, ['privacy-missing']],
  ['de-DE', { privacy: 'https://n.example/' }, { imprint: 'i.md' }, []],
  ['en-GB', { imprint: 'https://n.example/' }, {}, []],
] as const)('legally required pages: %s, %o, %o: %o', (locale, dealer, legal, codes) => {
  const found = [...checkLegal(configWith({ locale, legal }, dealer))];
  expect(found.map(({ code }) => code)).toEqual(codes);
});

const opened = (site: object, dealer: object = {}, deployTo?: string) =>
  [...checkOpened(configWith(site, dealer), deployTo)].map(({ what }) => what);

it('lists additional hosts by directive, or nothing', () => {
  expect(opened({})).toEqual([]);
  expect(opened({ enquiry: { netlify: 'enquiry' } }, {}, 'netlify')).toEqual([]);
  const policy = { 'script-src': ['https://a.example', 'https://b.example'] };
  expect(opened({ policy, enquiry: { address: 'https://formspree.io/f/mabcdxyz' } })).toEqual([
    'Opened for pages: script-src https://a.example https://b.example; connect-src https://formspree.io; form-action https://formspree.io.',
  ]);
});

it('warns about Netlify enquiries if the site is hosted elsewhere', () => {
  const netlify = { enquiry: { netlify: 'enquiry' } };
  expect(opened({}, netlify, 'github')).toEqual([
    'Enquiries go to Netlify, but the site goes to GitHub Pages: North, South.',
  ]);
  const form = { enquiry: { address: 'https://formspree.io/f/mabcdxyz' } };
  expect(opened(netlify, form, 'github')).toHaveLength(1);
  expect(opened({}, netlify)).toEqual([]);
  expect(opened({}, netlify, 'none')).toEqual([]);
});
