import { describe, expect, it } from 'vitest';
import type { VideoMedia } from '../../../src/stock/vehicle.ts';
import { embedOf, firstIframeSource, matchProvider } from '../../../src/videos/embed.ts';
import { BUILT_IN_PROVIDERS, providersFor } from '../../../src/videos/providers.ts';

const ID = 'a1B2c3D4e-_';
const YOUTUBE = `https://www.youtube-nocookie.com/embed/${ID}`;
const ADDED = {
  name: 'Ours',
  host: 'videos.example',
  path: '/v/[^/]*',
  parameters: ['t'],
  play: { go: '1' },
};
const SAMPLE = 'http://127.0.0.1:8701';

const match = (text: string) => matchProvider(text, providersFor([ADDED], SAMPLE));
const srcOf = (text: string) => match(text)?.src;

const video = (more: Partial<VideoMedia> = {}): VideoMedia => ({
  kind: 'video',
  id: 1,
  label: 'Walkround',
  playerUrl: 'https://media.example/player/1',
  ...more,
});

describe('an address', () => {
  it.each([
    ['https://www.youtube.com/embed/ID', YOUTUBE],
    ['https://youtube.com/embed/ID', YOUTUBE],
    ['https://www.youtube-nocookie.com/embed/ID', YOUTUBE],
    ['https://youtube-nocookie.com/embed/ID', YOUTUBE],
    ['https://www.youtube.com/embed/ID?rel=0&start=12&utm=x', `${YOUTUBE}?start=12&rel=0`],
    ['https://www.youtube.com/embed/ID?rel=2&start=1234567', YOUTUBE],
    [
      'https://www.youtube.com/embed/ID?end=9&cc_load_policy=1&playsinline=1',
      `${YOUTUBE}?end=9&cc_load_policy=1&playsinline=1`,
    ],
    ['https://www.youtube.com/embed/ID?rel=10&cc_load_policy=21', YOUTUBE],
    ['https://www.youtube.com/embed/ID?start=1x&end=x1&rel=x', YOUTUBE],
    ['https://player.vimeo.com/video/123', 'https://player.vimeo.com/video/123?dnt=1'],
    [
      'https://player.vimeo.com/video/123?h=0a1b2c3d&dnt=0',
      'https://player.vimeo.com/video/123?h=0a1b2c3d&dnt=1',
    ],
    ['https://player.vimeo.com/video/123?h=x0a1b2c3d', 'https://player.vimeo.com/video/123?dnt=1'],
    ['https://player.vimeo.com/video/123?h=0a1b2c3dx', 'https://player.vimeo.com/video/123?dnt=1'],
    ['https://fast.wistia.com/embed/iframe/abc123', 'https://fast.wistia.net/embed/iframe/abc123'],
    ['https://fast.wistia.net/embed/iframe/abc123', 'https://fast.wistia.net/embed/iframe/abc123'],
    ['https://view.vzaar.com/123/player', 'https://view.vzaar.com/123/player'],
    ['https://iframe.dacast.com/vod/ab-1/cd-2', 'https://iframe.dacast.com/vod/ab-1/cd-2'],
    ['https://iframe.dacast.com/live/ab/cd', 'https://iframe.dacast.com/live/ab/cd'],
    ['https://videos.example/v/7?t=a.b&u=1', 'https://videos.example/v/7?t=a.b'],
    ['https://videos.example/v/7?t=a/b', 'https://videos.example/v/7'],
    [`${SAMPLE}/hosted/embed/hv00a?rel=1&x=1`, `${SAMPLE}/hosted/embed/hv00a?rel=1`],
  ])('%s becomes ours: %s', (address, becomes) => {
    expect(srcOf(address.replace('ID', ID))).toBe(becomes);
  });

  it.each([
    'https://www.youtube.com/embed/videoseries',
    'https://www.youtube.com/embed/live_stream',
    'https://www.youtube.com/embed/ID/more',
    'https://www.youtube.com/x/embed/ID',
    'https://www.youtube.com/embed/short',
    'https://m.youtube.com/embed/ID',
    'http://www.youtube.com/embed/ID',
    'https://player.vimeo.com/video/12x',
    'https://player.vimeo.com/x/video/12',
    'https://fast.wistia.net/embed/iframe/ABC123',
    'https://fast.wistia.net/embed/iframe/abc123/x',
    'https://fast.wistia.net/x/embed/iframe/abc123',
    'https://view.vzaar.com/123/player/x',
    'https://view.vzaar.com/x/123/player',
    'https://view.vzaar.com/abc/player',
    'https://iframe.dacast.com/other/ab/cd',
    'https://iframe.dacast.com/vod/ab/cd/ef',
    'https://iframe.dacast.com/x/vod/ab/cd',
    'https://iframe.dacast.com/vod/a_b/cd',
    'https://iframe.dacast.com/vod/ab/c_d',
    'https://videos.example/x/v/7',
    'https://videos.example/v/7/x',
    'http://127.0.0.1:8701/hosted/embed/hv/x',
    'http://127.0.0.1:8701/x/hosted/embed/hv00a',
    'http://127.0.0.1:8701/hosted/embed/h.v',
    'https://user@www.youtube.com/embed/ID',
    'https://:pass@www.youtube.com/embed/ID',
    'https:/www.youtube.com/embed/ID',
    'https:///www.youtube.com/embed/ID',
    'xhttps://www.youtube.com/embed/ID',
    'https://www.youtube.com/em\tbed/ID',
    'https:\\\\www.youtube.com/embed/ID',
    `https://www.youtube.com/embed/ID?utm=${'x'.repeat(4096)}`,
    'https://',
    'not an address',
    '',
  ])('%s is none that we embed', (address) => {
    expect(match(address.replace('ID', ID))).toBeUndefined();
  });

  it('may lack its scheme, have white space around it, and capitals in its scheme', () => {
    expect(srcOf(`//www.youtube.com/embed/${ID}`)).toBe(YOUTUBE);
    expect(srcOf(` \n https://www.youtube.com/embed/${ID} `)).toBe(YOUTUBE);
    expect(srcOf(`HTTPS://www.youtube.com/embed/${ID}`)).toBe(YOUTUBE);
  });

  it('may be 4,096 characters long, and ours no longer', () => {
    const base = 'https://videos.example/v/';
    const longest = base + 'x'.repeat(4096 - base.length);
    expect(srcOf(longest)).toBe(longest);
    expect(srcOf(`${longest}x`)).toBeUndefined();
    // Each of these letters is six characters once it is encoded.
    expect(srcOf(base + 'é'.repeat(1000))).toBeUndefined();
  });

  it('has an origin for the policy, and another form for a click', () => {
    expect(match(`https://www.youtube.com/embed/${ID}?rel=0`)).toEqual({
      provider: 'YouTube',
      answers: true,
      src: `${YOUTUBE}?rel=0`,
      play: `${YOUTUBE}?rel=0&autoplay=1`,
      origin: 'https://www.youtube-nocookie.com',
      poster: `https://i.ytimg.com/vi/${ID}/hqdefault.jpg`,
    });
    expect(match('https://player.vimeo.com/video/1')).toMatchObject({
      play: 'https://player.vimeo.com/video/1?dnt=1&autoplay=1',
      poster: undefined,
    });
    expect(match('https://fast.wistia.net/embed/iframe/abc123')?.play).toMatch(/\?autoPlay=true$/);
    expect(match('https://view.vzaar.com/1/player')?.play).toMatch(/\?autoplay=true$/);
    expect(match('https://iframe.dacast.com/vod/a/b')?.play).toMatch(/\?autoplay=true$/);
    expect(match('https://videos.example/v/1')).toMatchObject({
      provider: 'Ours',
      play: 'https://videos.example/v/1?go=1',
      origin: 'https://videos.example',
    });
    expect(match(`${SAMPLE}/hosted/embed/hv00a`)).toMatchObject({
      provider: 'Sample video host',
      play: `${SAMPLE}/hosted/embed/hv00a?autoplay=1`,
      poster: `${SAMPLE}/posters/10.jpg`,
    });
  });

  it('is known by the first provider that it fits, whichever comes first', () => {
    const [youtube] = BUILT_IN_PROVIDERS;
    const [own] = providersFor([{ ...ADDED, host: 'www.youtube.com', path: '/.*' }]).slice(-1);
    if (!youtube || !own) throw new Error('no providers');
    const address = `https://www.youtube.com/embed/${ID}`;
    expect(matchProvider(address, [own, youtube])?.provider).toBe('Ours');
    expect(matchProvider(address, [youtube, own])?.provider).toBe('YouTube');
    expect(matchProvider('https://www.youtube.com/other', [youtube, own])?.provider).toBe('Ours');
  });
});

it('names the providers as visitors read them', () => {
  const names = BUILT_IN_PROVIDERS.map(({ name }) => name);
  expect(names).toEqual(['YouTube', 'Vimeo', 'Wistia', 'Vzaar', 'Dacast']);
});

describe('a snippet', () => {
  it('gives the address of its first frame alone', () => {
    expect(firstIframeSource('<p><a href="x">y</a><iframe src="one"></iframe>')).toBe('one');
    expect(firstIframeSource('<iframe src="one"></iframe><iframe src="two"></iframe>')).toBe('one');
    expect(firstIframeSource('<iframe></iframe><iframe src="two"></iframe>')).toBeUndefined();
    expect(firstIframeSource('<img src="one">')).toBeUndefined();
  });

  it('is read no further than a snippet is long', () => {
    const frame = '<iframe src="one"></iframe>';
    expect(firstIframeSource(`${' '.repeat(100)}${frame}`)).toBe('one');
    expect(firstIframeSource(`${' '.repeat(100_000)}${frame}`)).toBeUndefined();
  });
});

describe('a video', () => {
  const providers = providersFor([]);
  const embedHtml = `<iframe src="https://www.youtube.com/embed/${ID}"></iframe>`;
  const hostedUrl = 'https://player.vimeo.com/video/1';

  it('is embedded by its snippet, else by its hosted address', () => {
    const src = (more: Partial<VideoMedia>) => embedOf(video(more), providers).embed?.src;
    expect(src({ embedHtml, hostedUrl })).toBe(YOUTUBE);
    expect(src({ embedHtml })).toBe(YOUTUBE);
    expect(src({ hostedUrl })).toBe(`${hostedUrl}?dnt=1`);
    expect(src({ embedHtml: '<p>none</p>', hostedUrl })).toBe(`${hostedUrl}?dnt=1`);
    expect(src({ embedHtml: '<iframe src="https://no.example">', hostedUrl })).toBe(
      `${hostedUrl}?dnt=1`,
    );
  });

  it.each([
    [{}, undefined],
    [{ hostedUrl: 'https://other.example:81/1' }, 'other.example:81'],
    [{ hostedUrl: ' https://other.example/1 ' }, 'other.example'],
    [
      { embedHtml: '<iframe src="https://one.example/">', hostedUrl: 'https://two.example/' },
      'one.example',
    ],
    [{ hostedUrl: 'no address' }, '(no address)'],
    [{ hostedUrl: `https://${'x'.repeat(150)}.example/` }, 'x'.repeat(100)],
  ])('that none embeds, with %j, is reported with its host: %s', (more, unmatchedHost) => {
    expect(embedOf(video(more), providers)).toEqual({ embed: undefined, unmatchedHost });
  });
});
