import { describe, expect, it } from 'vitest';
import { configSchema } from '../../src/config/schema.ts';
import type { VideoMedia } from '../../src/stock/vehicle.ts';
import { embedOf, matchProvider } from '../../src/videos/embed.ts';
import { BUILT_IN_PROVIDERS, providersFor } from '../../src/videos/providers.ts';
import { EMBEDS, frame, ID, OURS } from './corpus/embeds.ts';

const SAMPLE = 'http://127.0.0.1:8701';
const video: VideoMedia = {
  kind: 'video',
  id: 1,
  label: 'Walkround',
  playerUrl: 'https://media.example/player/1',
};
const providers = providersFor([]);
const configured = (path: string, host = 'videos.example') =>
  configSchema.safeParse({
    service: { baseUrl: 'https://media.example' },
    site: { title: 'x', url: 'https://cars.example' },
    videos: { providers: [{ name: 'Ours', host, path, parameters: ['t'], play: { go: '1' } }] },
  });
const withOurs = (path: string) =>
  providersFor(configured(path).data?.videos.providers ?? [], SAMPLE);

describe('embed snippets', () => {
  it.each(EMBEDS)('$name → $becomes', ({ html, url, becomes }) => {
    const finding = embedOf(
      { ...video, ...(html !== undefined && { embedHtml: html }), ...(url && { hostedUrl: url }) },
      providers,
    );
    expect(finding.embed?.src).toBe(becomes);
    if (!finding.embed) expect((finding.unmatchedHost ?? '').length).toBeLessThanOrEqual(100);
  });

  it('of the sample service are embedded only if it is the configured service', () => {
    const hosted = { ...video, hostedUrl: `${SAMPLE}/hosted/embed/hv00000000a` };
    expect(embedOf(hosted, providers).embed).toBeUndefined();
    const sample = providersFor([], SAMPLE);
    expect(embedOf(hosted, sample).embed?.src).toBe(hosted.hostedUrl);
    for (const near of ['8702/hosted/embed/hv00000000a', '8701/hosted/embed/a/b', '8701/control'])
      expect(
        embedOf({ ...video, hostedUrl: `http://127.0.0.1:${near}` }, sample).embed,
      ).toBeUndefined();
  });

  it('have priority over the hosted URL, and an unsupported video is reported with its host', () => {
    const hostedUrl = 'https://player.vimeo.com/video/1';
    const src = (embedHtml: string) =>
      embedOf({ ...video, embedHtml, hostedUrl }, providers).embed?.src;
    expect(src(frame(OURS))).toBe(OURS);
    expect(src(frame('https://no.example'))).toBe(`${hostedUrl}?dnt=1`);
    const hostOf = (more: Partial<VideoMedia>) => embedOf({ ...video, ...more }, providers);
    for (const [more, unmatchedHost] of [
      [{}, undefined],
      [{ hostedUrl: ' https://other.example:81/1 ' }, 'other.example:81'],
      [{ embedHtml: frame('https://one.example/'), hostedUrl: 'https://b.example' }, 'one.example'],
      [{ hostedUrl: 'no address' }, '(no address)'],
      [{ hostedUrl: `https://${'x'.repeat(150)}.example/` }, 'x'.repeat(100)],
    ] as const) {
      expect(hostOf(more)).toEqual({ embed: undefined, unmatchedHost });
    }
  });
});

describe('an embeddable URL', () => {
  const match = (text: string) => matchProvider(text, withOurs('/v/[^/]*'));

  it('has a variant for autoplay and an optional still', () => {
    expect(match(`https://www.youtube.com/embed/${ID}?rel=0`)).toEqual({
      provider: 'YouTube',
      answers: true,
      src: `${OURS}?rel=0`,
      play: `${OURS}?rel=0&autoplay=1`,
      poster: `https://i.ytimg.com/vi/${ID}/hqdefault.jpg`,
    });
    const plays = {
      'https://player.vimeo.com/video/1': '?dnt=1&autoplay=1',
      'https://fast.wistia.net/embed/iframe/abc123': '?autoPlay=true',
      'https://view.vzaar.com/1/player': '?autoplay=true',
      'https://iframe.dacast.com/vod/a/b': '?autoplay=true',
      'https://videos.example/v/1': '?go=1',
    };
    for (const [address, play] of Object.entries(plays)) {
      expect(match(address)).toMatchObject({ play: address + play, poster: undefined });
    }
    expect(match(`${SAMPLE}/hosted/embed/hv00a`)).toMatchObject({
      provider: 'Sample video host',
      play: `${SAMPLE}/hosted/embed/hv00a?autoplay=1`,
      poster: `${SAMPLE}/posters/10.jpg`,
    });
  });

  it('has at most 4,096 characters after encoding', () => {
    const base = 'https://videos.example/v/';
    const longest = base + 'x'.repeat(4096 - base.length);
    expect(match(longest)?.src).toBe(longest);
    expect(match(`${longest}x`)).toBeUndefined();
    // Each of these letters is six characters once it is encoded.
    expect(match(base + 'é'.repeat(1000))).toBeUndefined();
  });

  it('belongs to the first matching provider', () => {
    const [custom] = providersFor([
      { name: 'Ours', host: 'www.youtube.com', path: '/.*', parameters: [], play: {} },
    ]).slice(-1);
    const first = (...order: typeof providers) =>
      matchProvider(`https://www.youtube.com/embed/${ID}`, order)?.provider;
    const [youtube] = BUILT_IN_PROVIDERS;
    if (!youtube || !custom) throw new Error('no providers');
    expect([first(custom, youtube), first(youtube, custom)]).toEqual(['Ours', 'YouTube']);
  });
});

describe('a configured provider', () => {
  it('is matched against the entire path', () => {
    const src = (url: string) => matchProvider(url, withOurs('/a|/b/[0-9]+'))?.src;
    expect(src('https://videos.example/b/12?t=1&u=2')).toBe('https://videos.example/b/12?t=1');
    expect(src('https://videos.example/a?t=a/b')).toBe('https://videos.example/a');
    expect(src('https://videos.example/b/12/evil')).toBeUndefined();
    expect(src('https://videos.example/evil/a')).toBeUndefined();
    expect(src('http://videos.example/a')).toBeUndefined();
    expect(src('https://videos.example:444/a')).toBeUndefined();
  });

  it.each(['/a)|(/b', '/a)(b', '/['])('with the path %j is refused', (path) => {
    expect(configured(path).success).toBe(false);
  });

  it.each([
    '*.videos.example',
    'videos.example:444',
    'https://videos.example',
    'localhost',
    'a.b/c',
  ])('with the host %j is refused', (host) => {
    expect(configured('/a', host).success).toBe(false);
  });
});
