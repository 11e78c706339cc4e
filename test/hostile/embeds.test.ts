import { describe, expect, it } from 'vitest';
import { configSchema } from '../../src/config/schema.ts';
import type { VideoMedia } from '../../src/stock/vehicle.ts';
import { embedOf } from '../../src/videos/embed.ts';
import { providersFor } from '../../src/videos/providers.ts';
import { EMBEDS } from './corpus/embeds.ts';

const video: VideoMedia = {
  kind: 'video',
  id: 1,
  label: 'Walkround',
  playerUrl: 'https://media.example/player/1',
};
const providers = providersFor([]);

describe('embed snippets', () => {
  it.each(EMBEDS)('$name → $becomes', ({ html, url, becomes }) => {
    const finding = embedOf(
      { ...video, ...(html !== undefined && { embedHtml: html }), ...(url && { hostedUrl: url }) },
      providers,
    );
    expect(finding.embed?.src).toBe(becomes);
    if (finding.embed) expect(new URL(finding.embed.src).origin).toBe(finding.embed.origin);
    else expect((finding.unmatchedHost ?? '').length).toBeLessThanOrEqual(100);
  });

  it('of the sample service are embedded only where it is the service', () => {
    const hosted = { ...video, hostedUrl: 'http://127.0.0.1:8701/hosted/embed/hv00000000a' };
    expect(embedOf(hosted, providers).embed).toBeUndefined();
    const sample = providersFor([], 'http://127.0.0.1:8701');
    expect(embedOf(hosted, sample).embed?.src).toBe(hosted.hostedUrl);
    for (const near of ['8702/hosted/embed/hv00000000a', '8701/hosted/embed/a/b', '8701/control'])
      expect(
        embedOf({ ...video, hostedUrl: `http://127.0.0.1:${near}` }, sample).embed,
      ).toBeUndefined();
  });

  const configured = (path: string, host = 'videos.example') =>
    configSchema.safeParse({
      service: { baseUrl: 'https://media.example' },
      site: { title: 'x', url: 'https://cars.example' },
      videos: { providers: [{ name: 'Ours', host, path, parameters: ['t'] }] },
    });

  it('of a configured provider are matched on the whole path', () => {
    const parsed = configured('/a|/b/[0-9]+');
    const list = providersFor(parsed.data?.videos.providers ?? []);
    const src = (url: string) => embedOf({ ...video, hostedUrl: url }, list).embed?.src;
    expect(src('https://videos.example/b/12?t=1&u=2')).toBe('https://videos.example/b/12?t=1');
    expect(src('https://videos.example/b/12/evil')).toBeUndefined();
    expect(src('https://videos.example/evil/a')).toBeUndefined();
    expect(src('http://videos.example/a')).toBeUndefined();
    expect(src('https://videos.example:444/a')).toBeUndefined();
  });

  it.each(['/a)|(/b', '/a)(b', '/['])(
    'of a provider with the path %j are no configuration',
    (path) => {
      expect(configured(path).success).toBe(false);
    },
  );

  it.each([
    '*.videos.example',
    'videos.example:444',
    'https://videos.example',
    'localhost',
    'a.b/c',
  ])('of a provider with the host %j are no configuration', (host) => {
    expect(configured('/a', host).success).toBe(false);
  });
});
