import { describe, expect, it } from 'vitest';
import { mediaOf, posterOf, providersOf } from '../../../src/videos/configured.ts';
import { offlineConfig } from '../../support/offline-config.ts';

const configOf = (baseUrl: string, videos: object = {}) =>
  offlineConfig({ service: { baseUrl }, media: { hosts: ['pictures.example'] }, videos });

const SERVICE = 'https://media.example';
const SAMPLE = 'http://127.0.0.1:8701';

describe('pictures may come from', () => {
  it('the configured hosts, and hosts of video stills', () => {
    expect(mediaOf(configOf(SERVICE)).hosts).toEqual(['pictures.example', 'i.ytimg.com']);
  });

  it('the sample service, if it is configured', () => {
    const { hosts } = mediaOf(configOf(SAMPLE));
    expect(hosts).toEqual(['pictures.example', 'i.ytimg.com', '127.0.0.1:8701']);
  });

  it('no host of stills if pages show none', () => {
    const hostedUrl = 'https://www.youtube.com/embed/dQw4w9WgXcQ';
    const video = { kind: 'video', id: 1, label: '', playerUrl: hostedUrl, hostedUrl } as const;
    const config = configOf(SERVICE, { posters: 'picture' });
    expect(mediaOf(config).hosts).toEqual(['pictures.example']);
    expect(posterOf(config)(video)).toBe(undefined);
    expect(posterOf(configOf(SERVICE))(video)).toContain('i.ytimg.com');
  });

  it('hosts elsewhere, without other changed settings', () => {
    const config = configOf(SERVICE);
    expect(mediaOf(config)).toEqual({ ...config.media, hosts: expect.any(Array) });
  });
});

it('players of the sample service are known only if it is configured', () => {
  const names = (baseUrl: string) => providersOf(configOf(baseUrl)).map(({ name }) => name);
  expect(names(SERVICE)).toEqual(['YouTube', 'Vimeo', 'Wistia', 'Vzaar', 'Dacast']);
  expect(names(SAMPLE)).toEqual([...names(SERVICE), 'Sample video host']);
});
