import { expect, it } from 'vitest';
import { resolveConfig } from '../../../src/config/load.ts';
import { checkOpened } from '../../../src/setup/doctor/opened.ts';

const told = (site: object, dealer: object = {}, deployTo?: string) =>
  checkOpened(
    resolveConfig(
      {
        service: { baseUrl: 'https://api.example' },
        site: { title: 'Cars', url: 'https://cars.example', ...site },
        dealers: [
          { id: 1, name: 'North', slug: 'north', ...dealer },
          { id: 2, name: 'South', slug: 'south' },
        ],
      },
      { file: 'site.config.ts' },
    ),
    deployTo,
  ).map((one) => one.what);

it('lists what is opened, by directive, and nothing where nothing is', () => {
  expect(told({})).toEqual([]);
  expect(told({ enquiry: { netlify: 'enquiry' } }, {}, 'netlify')).toEqual([]);
  const policy = { 'script-src': ['https://a.example', 'https://b.example'] };
  expect(told({ policy, enquiry: { address: 'https://formspree.io/f/mabcdxyz' } })).toEqual([
    'Opened for pages: script-src https://a.example https://b.example; connect-src https://formspree.io; form-action https://formspree.io.',
  ]);
});

it('warns of enquiries to Netlify where the site is not there', () => {
  const netlify = { enquiry: { netlify: 'enquiry' } };
  expect(told({}, netlify, 'github')).toEqual([
    'Enquiries are to go to Netlify, but the site goes to GitHub Pages: North.',
  ]);
  expect(
    told(netlify, { enquiry: { address: 'https://formspree.io/f/mabcdxyz' } }, 'github')[1],
  ).toContain(': South.');
  expect(told({}, netlify)).toEqual([]);
  expect(told({}, netlify, 'none')).toEqual([]);
});
