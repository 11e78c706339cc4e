import { describe, expect, it } from 'vitest';
import { type Answers, answersFromFlags, slugOf } from '../../../src/setup/init/answers.ts';
import { keysFromText } from '../../../src/setup/init/keys.ts';
import { EXAMPLE, exampleWith } from '../../support/example-answers.ts';

const GIVEN = { service: 'https://m.example', url: 'https://c.example', dealer: ['7=Cars'] };

describe('answers from flags', () => {
  it.each([
    ['Northgate Cars', 'northgate-cars'],
    ['Müller & Söhne’s', 'mueller-soehnes'],
    ['Café Électrique', 'cafe-electrique'],
    ['Łódź Østergård Œuvre', 'lodz-oestergard-oeuvre'],
    ['日本', 'dealer-7'],
    [`${'A'.repeat(59)} b`, 'a'.repeat(59)],
  ])('%s becomes %s in URLs', (name, slug) => {
    expect(slugOf(name, 7)).toBe(slug);
  });

  it.each([
    ['de-DE', 'Europe/Berlin'],
    ['es-ES', 'Europe/Madrid'],
    ['fr-BE', 'Europe/Brussels'],
    ['en', 'Europe/London'],
    ['fr', 'Europe/Paris'],
  ])('%s has the time zone %s', (locale, zone) => {
    expect(answersFromFlags({ ...GIVEN, locale }).site.timeZone).toBe(zone);
    const given = answersFromFlags({ ...GIVEN, locale, 'time-zone': 'Asia/Tokyo' });
    expect(given.site.timeZone).toBe('Asia/Tokyo');
    expect(answersFromFlags({ ...GIVEN, locale }, given).site.timeZone).toBe('Asia/Tokyo');
  });

  it.each([
    ['--service, --url, --dealer', {}],
    ['--url', { ...GIVEN, url: undefined }],
    ['ID=NAME', { ...GIVEN, dealer: ['Cars'] }],
    ['service.baseUrl: must be https', { ...GIVEN, service: 'http://m.example' }],
    ['site.locale: must be a language tag', { ...GIVEN, locale: 'english' }],
    ['--locale tlh must begin with a known language', { ...GIVEN, locale: 'tlh' }],
    ['--locale en-QQ must end with a known region', { ...GIVEN, locale: 'en-QQ' }],
    ...['call us', '(- - -)', '01632 960001 / 01632 960002'].map((phone): [string, object] => [
      'dealers[0].contact.phone: must be one telephone number',
      { ...GIVEN, phone: [phone] },
    ]),
    [
      '--phone 9=+44 1632 960001 does not name a dealer',
      { ...GIVEN, phone: ['9=+44 1632 960001'] },
    ],
    ['NAME=CUSTOMER/PATH', { ...GIVEN, account: ['a=b'] }],
    ['accounts[0].name', { ...GIVEN, account: ['a/b=c/d'] }],
    ['accounts[1].name: is the same', { ...GIVEN, account: ['a=b/c', 'a=d/e'] }],
    ['only --ci github can deploy to', { ...GIVEN, host: 'github', ci: 'gitlab' as const }],
  ])('%s: %j', (text, flags) => {
    expect(() => answersFromFlags(flags as object)).toThrow(text);
  });

  it('have a different name for each dealer', () => {
    const flags = { ...GIVEN, dealer: ['1=Cars', '2=Cars'] };
    const fix = expect.stringContaining('Give each dealer a different name.');
    expect(() => answersFromFlags(flags)).toThrow(expect.objectContaining({ fix }));
  });

  it('accept phone numbers by the id of the dealer, or the id of the only dealer', () => {
    const phones = (flags: object) =>
      answersFromFlags({ ...GIVEN, ...flags }).dealers.map(({ contact }) => contact?.phone);
    expect(phones({ phone: ['+44 1632 960001'] })).toEqual(['+44 1632 960001']);
    const two = { dealer: ['7001=One', '7002=Two'], phone: ['7002=01632 960002'] };
    expect(phones(two)).toEqual([undefined, '01632 960002']);
  });

  it('use GitHub for rebuilds unless the host rebuilds, and cron for a folder', () => {
    expect(answersFromFlags({ ...GIVEN, host: 'netlify' }).ci).toBe('github');
    expect(answersFromFlags({ ...GIVEN, host: 'folder' }).ci).toBe('none');
    expect(answersFromFlags({ ...GIVEN, host: 'folder', ci: 'gitlab' }).ci).toBe('gitlab');
    expect(answersFromFlags({ ...GIVEN, host: 'gitlab' }).ci).toBe('gitlab');
    expect(answersFromFlags({ host: 'gitlab' }, EXAMPLE).ci).toBe('gitlab');
  });

  it('keep the locale, dealer URLs and key variables of the project', () => {
    expect(
      answersFromFlags({ url: 'https://a.example' }, exampleWith({ locale: 'tlh-XX' })),
    ).toEqual(exampleWith({ locale: 'tlh-XX', url: 'https://a.example' }));
    const existing = { ...EXAMPLE, dealers: [{ ...EXAMPLE.dealers[0], apiKeyEnv: 'OUR_KEY' }] };
    const changed = answersFromFlags({ dealer: ['7001=Other', '8=New'] }, existing as Answers);
    expect(changed.dealers).toEqual([
      { id: 7001, name: 'Other', slug: 'northgate', apiKeyEnv: 'OUR_KEY' },
      { id: 8, name: 'New', slug: 'new', apiKeyEnv: 'MEDIA_API_KEY' },
    ]);
  });
});

describe('keys from standard input', () => {
  const two = { ...EXAMPLE, dealers: ['A_KEY', 'B_KEY'].map((apiKeyEnv) => ({ apiKeyEnv })) };
  const revealed = (text: string, answers: Answers) =>
    [...keysFromText(text, answers)].map(([name, key]) => [name, key.reveal()]);

  it('are one key or lines with names', () => {
    expect(revealed(' abc=def\n', EXAMPLE)).toEqual([['MEDIA_API_KEY', 'abc=def']]);
    expect(revealed('MEDIA_API_KEY=abcdefgh', EXAMPLE)).toEqual([['MEDIA_API_KEY', 'abcdefgh']]);
    expect(revealed('A_KEY=a\nB_KEY=b\nC_KEY=c', two as Answers)).toEqual([
      ['A_KEY', 'a'],
      ['B_KEY', 'b'],
    ]);
  });
});
