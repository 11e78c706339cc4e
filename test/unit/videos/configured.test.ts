import { describe, expect, it } from 'vitest';
import { mediaOf, posterOf } from '../../../src/videos/configured.ts';
import { offlineConfig } from '../../support/offline-config.ts';

const configOf = (baseUrl: string, videos: object = {}) =>
  offlineConfig({ service: { baseUrl }, media: { hosts: ['pictures.example'] }, videos });

const SERVICE = 'https://media.example';
const SAMPLE = 'http://127.0.0.1:8701';

describe('pictures may come from', () => {
  it.each([
    [SERVICE, ['pictures.example', 'i.ytimg.com']],
    [SAMPLE, ['pictures.example', 'i.ytimg.com', '127.0.0.1:8701']],
  ])('the configured hosts, and hosts of video stills, with the service %s', (service, hosts) => {
    const config = configOf(service);
    expect(mediaOf(config)).toEqual({ ...config.media, hosts });
  });

  it('no host of stills if pages show none', () => {
    const hostedUrl = 'https://www.youtube.com/embed/dQw4w9WgXcQ';
    const video = { kind: 'video', id: 1, label: '', playerUrl: hostedUrl, hostedUrl } as const;
    const config = configOf(SERVICE, { posters: 'picture' });
    expect(mediaOf(config).hosts).toEqual(['pictures.example']);
    expect(posterOf(config)(video)).toBe(undefined);
    expect(posterOf(configOf(SERVICE))(video)).toContain('i.ytimg.com');
  });
});
