import { describe, expect, it } from 'vitest';
import { isAmong, openedSources } from '../../../src/config/opened-sources.ts';
import { configSchema } from '../../../src/config/schema.ts';

const parse = (site: object, dealer: object = {}) =>
  configSchema.safeParse({
    service: { baseUrl: 'https://media.example' },
    site: { title: 'T', url: 'https://cars.example', ...site },
    dealers: [{ id: 1, name: 'D', slug: 'd', ...dealer }],
  });

const problems = (site: object, dealer: object = {}) =>
  parse(site, dealer).error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ??
  [];

describe('site.policy', () => {
  it.each<[directive: string, source: string, why?: RegExp]>([
    ['script-src', 'https://stats.example'],
    ['script-src', 'https://stats.example:8443'],
    ['script-src', 'https://*.stats.example'],
    ['script-src', 'http://127.0.0.1:4000'],
    ['connect-src', 'wss://chat.example'],
    ['style-src', "'unsafe-inline'"],
    ['img-src', 'data:'],
    ['font-src', 'data:'],
    ['script-src', "'unsafe-inline'", /injected code could then run/],
    ['script-src', "'unsafe-eval'", /Put scripts into files/],
    ['style-src', "'unsafe-eval'", /must not be/],
    ['script-src', "'self'", /is always included/],
    ['script-src', "'sha256-abc'", /must be a host/],
    ['script-src', 'data:', /to everybody/],
    ['script-src', '*', /to everybody/],
    ['script-src', 'https:', /to everybody/],
    ['script-src', 'https://*', /to everybody/],
    ['script-src', 'https://*.com', /to everybody/],
    ['script-src', 'https://*.com:443', /to everybody/],
    ['script-src', 'http://stats.example', /must begin with https/],
    ['script-src', 'wss://stats.example', /must begin with https/],
    ['script-src', 'https://stats.example/', /without path/],
    ['script-src', 'https://stats.example; img-src *', /without path/],
    ['script-src', 'https://a.*.example', /without path/],
    ['script-src', 'stats.example', /without path/],
    ['script-src', 'https://me@stats.example', /without path/],
    ['object-src', 'https://stats.example', /nrecognized key/],
  ])('judges %s %s: %s', (directive, source, why) => {
    expect(problems({ policy: { [directive]: [source] } })).toEqual(
      why ? [expect.stringMatching(why)] : [],
    );
  });
});

describe('enquiry', () => {
  it.each<[enquiry: object, why?: RegExp]>([
    [{ netlify: 'enquiry' }],
    [{ address: 'https://formspree.io/f/mabcdxyz' }],
    [{ address: 'https://forms.example/take?site=1' }],
    [{ address: 'http://localhost:4000/take' }],
    [{}, /exactly one/],
    [{ netlify: 'enquiry', address: 'https://formspree.io/f/mabcdxyz' }, /exactly one/],
    [{ netlify: '"><script>' }, /lower-case letters/],
    [{ address: 'http://forms.example/take' }, /must be https/],
    [{ address: 'https://forms.example/#x' }, /no fragment/],
    [{ address: 'https://me:secret@forms.example/' }, /without user name/],
  ])('judges %o: %s', (enquiry, why) => {
    expect(problems({ enquiry }, { enquiry }).join()).toMatch(why ?? /^$/);
  });

  it('allows only its own host, and the host of a dealer in place of the site’s', () => {
    const opened = (site: object, dealer: object = {}) => {
      const { data } = parse(site, dealer);
      return data?.site && openedSources({ ...data, site: data.site });
    };
    expect(opened({})).toEqual({});
    expect(opened({ enquiry: { netlify: 'enquiry' } })).toEqual({ 'form-action': ["'self'"] });
    const policy = { 'connect-src': ['https://stats.example'] };
    const enquiry = { address: 'https://forms.example/take' };
    expect(
      opened({ enquiry: { address: 'https://formspree.io/f/mabcdxyz' }, policy }, { enquiry }),
    ).toEqual({
      'connect-src': ['https://stats.example', 'https://forms.example'],
      'form-action': ["'self'", 'https://forms.example'],
    });
  });
});

it.each([
  ['https://stats.example', 'https://stats.example/x.js', true],
  ['https://stats.example', 'http://stats.example/x.js', false],
  ['https://*.stats.example', 'https://eu.stats.example/x.js', true],
  ['https://*.stats.example', 'https://stats.example/x.js', false],
  ['https://*.stats.example', 'https://badstats.example/x.js', false],
])('%s opens %s: %s', (source, address, isOpen) => {
  expect(isAmong([source], new URL(address))).toBe(isOpen);
});
