import { expect, it } from 'vitest';
import { resolveConfig } from '../../../src/config/load.ts';
import { checkLegal } from '../../../src/setup/doctor/legal.ts';

const found = (locale: string, dealer: object = {}, legal: object = {}) =>
  checkLegal(
    resolveConfig(
      {
        service: { baseUrl: 'https://api.example' },
        site: { title: 'Cars', url: 'https://cars.example', locale, legal },
        dealers: [{ id: 1, name: 'North', slug: 'north', ...dealer }],
      },
      { file: 'site.config.ts' },
    ),
  ).map(({ code }) => code);

const address = (country: string) => ({ address: { street: 'A 1', city: 'B', country } });

it.each([
  ['de-DE', {}, {}, ['imprint-missing', 'privacy-missing']],
  ['de-AT', {}, {}, ['imprint-missing', 'privacy-missing']],
  ['en-GB', {}, {}, ['company-details-missing']],
  // The dealer's own country counts more than the language of the pages.
  ['en-GB', address('DE'), {}, ['imprint-missing', 'privacy-missing']],
  ['de-DE', address('CH'), {}, []],
  ['de', {}, {}, []],
  ['en-US', {}, {}, []],
  ['de-DE', {}, { imprint: 'i.md' }, ['privacy-missing']],
  ['de-DE', { privacy: 'https://n.example/' }, { imprint: 'i.md' }, []],
  ['en-GB', { imprint: 'https://n.example/' }, {}, []],
] as const)('%s, %o, %o: %o', (locale, dealer, legal, codes) => {
  expect(found(locale, dealer, legal)).toEqual(codes);
});
