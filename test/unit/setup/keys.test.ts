import { describe, expect, it } from 'vitest';
import type { LoadedConfig } from '../../../src/config/load.ts';
import { Secret } from '../../../src/config/secret.ts';
import { checkKeys, keyFault } from '../../../src/setup/doctor/keys.ts';
import { clickNames, hostedVideoPrefix } from '../../../src/setup/doctor/names.ts';
import type { Finding } from '../../../src/setup/findings.ts';
import { type Answers, toConfig } from '../../../src/setup/init/answers.ts';
import { keysFor, keysFromText } from '../../../src/setup/init/keys.ts';
import { EXAMPLE } from '../../support/example-answers.ts';

const BATCH = '5a3c91e0-7b42-4d18-9c6f-2e80b17d4a35';

describe('the form of a key', () => {
  it.each([
    ['sample-media-key', 'media', undefined],
    [BATCH, 'batch', undefined],
    ['sample-media-key', 'batch', 'is not five groups'],
    ['abc', 'media', 'is too short'],
    ['"sample-media-key"', 'media', 'stands in quotes'],
    ['sample media key', 'media', 'has white space'],
    ['https://x.example/?apiKey=abcdefgh', 'media', 'is an address'],
    ['sample–media–key', 'media', 'has letters'],
  ] as const)('%s as a %s key', (key, kind, fault) => {
    const found = keyFault(new Secret(key), kind);
    if (fault === undefined) expect(found).toBeUndefined();
    else expect(found).toContain(fault);
    expect(found ?? '').not.toContain(key);
  });
});

it.each([
  [BATCH, []],
  ['5a3c91e07b424d189c6f2e80', []],
  ['sample-media-key', ['key-short']],
  ['1'.repeat(32), ['key-short']],
])(
  'what the site remembers gets no mark by a key that could be found by trying: %s',
  (key, codes) => {
    const dealer = { name: 'One', apiKeyEnv: 'MEDIA_API_KEY', apiKey: new Secret(key) };
    const account = { name: 'one', apiKeyEnv: 'BATCH_API_KEY', apiKey: new Secret(BATCH) };
    const config = { dealers: [dealer], accounts: [account] } as unknown as LoadedConfig;
    expect(checkKeys(config).map(({ code }) => code)).toEqual(codes);
    const siteSecret = new Secret('p0Xb1kQ-Zr8sV_2mN4tL6wY9cA3eF5gH7jK-DqUxIo');
    expect(checkKeys({ ...config, siteSecret })).toEqual([]);
  },
);

it.each([
  ['sample-media-key', 'is too short: it has fewer than 24 letters and digits'],
  [
    '11111111-1111-1111-1111-111111111111',
    'has too few different characters: fewer than 8 different letters and digits',
  ],
])('the warning about %s names the rule that it breaks', (key, fault) => {
  const dealer = { name: 'One', apiKeyEnv: 'MEDIA_API_KEY', apiKey: new Secret(key) };
  const config = { dealers: [dealer], accounts: [] } as unknown as LoadedConfig;
  const { what } = checkKeys(config)[0] as Finding;
  expect(what).toContain(`The key in MEDIA_API_KEY ${fault}.`);
  expect(what.includes('too short')).toBe(fault.includes('too short'));
});

describe('names that a service writes in place of the neutral ones', () => {
  const body = (item: object) => [{ mediaList: [{ id: 1, mediaUrl: 'x', ...item }] }];
  it.each([
    ['the known one', { hostedVideoUrl: '', hostedVideoWatchUrl: '' }, undefined],
    ['another', { youTubeUrl: '', youTubeEmbedHtml: '', youTubeWatchUrl: '' }, 'youTube'],
    ['one field alone, which may be anything', { thumbUrl: '' }, undefined],
    ['names of the prototype', { constructorUrl: '', constructorWatchUrl: '' }, 'constructor'],
    ['nothing a name could be made of', { '1 Url': '', '1 WatchUrl': '' }, undefined],
  ])('%s', (_, item, prefix) => {
    expect(hostedVideoPrefix(body(item), 'hostedVideo')).toBe(prefix);
  });

  it('bears any answer', () => {
    expect(hostedVideoPrefix([null, 1, [], { mediaList: [null, 3] }], 'x')).toBeUndefined();
    expect(
      clickNames([null, 1], { hostedVideo: '', socialClicks: 'a', searchClicks: 'b' }),
    ).toEqual({});
  });

  it('finds the two counts of a batch, and guesses nothing where only one is strange', () => {
    const names = { hostedVideo: '', socialClicks: 'SocialClicks', searchClicks: 'SearchClicks' };
    expect(clickNames([{ ImageLinkClicks: 1, AClicks: 1, BClicks: 2 }], names)).toEqual({
      socialClicks: 'AClicks',
      searchClicks: 'BClicks',
    });
    expect(clickNames([{ AClicks: 1 }], names)).toEqual({});
    expect(clickNames([{ SocialClicks: 1, SearchClicks: 1, MoreClicks: 1 }], names)).toEqual({});
  });
});

describe('keys that are piped in', () => {
  const [dealer] = EXAMPLE.dealers;
  const two: Answers = {
    ...EXAMPLE,
    dealers: ['A_KEY', 'B_KEY'].map((apiKeyEnv, id) => ({ ...dealer, id, apiKeyEnv }) as never),
  };
  const revealed = (text: string, answers: Answers) =>
    [...keysFromText(text, answers)].map(([name, key]) => [name, key.reveal()]);

  it('takes one key alone, or lines with names', () => {
    expect(revealed(' abc=def\n', EXAMPLE)).toEqual([['MEDIA_API_KEY', 'abc=def']]);
    expect(revealed('MEDIA_API_KEY=abcdefgh', EXAMPLE)).toEqual([['MEDIA_API_KEY', 'abcdefgh']]);
    expect(revealed('A_KEY=a\nB_KEY=b\nC_KEY=c', two)).toEqual([
      ['A_KEY', 'a'],
      ['B_KEY', 'b'],
    ]);
  });

  it('names every key that is missing', () => {
    expect(() => keysFor(two, () => undefined)).toThrow('A_KEY, B_KEY');
  });
});

it('makes a configuration of the answers alone', () => {
  expect(Object.keys(toConfig(EXAMPLE)).sort()).toEqual(['dealers', 'media', 'service', 'site']);
});
