import { describe, expect, it } from 'vitest';
import { configSchema } from '../../src/config/schema.ts';
import { isPublicAddress, parseNetworks } from '../../src/download/guarded-agent.ts';
import { hostRules, isAllowedHost } from '../../src/download/hosts.ts';
import { httpAddress, noFindings, toVehicle } from '../../src/stock/vehicle.ts';
import {
  FORBIDDEN_HOSTS,
  INWARD_ADDRESSES,
  PAGE_ADDRESSES,
  PUBLIC_ADDRESSES,
} from './corpus/addresses.ts';

describe('IP addresses', () => {
  it.each(INWARD_ADDRESSES)('%s (%s) is not public', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each(PUBLIC_ADDRESSES)('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it('are allowed only within the configured networks', () => {
    const networks = parseNetworks(['10.1.0.0/16', 'fd00:1::/32']);
    expect(isPublicAddress('10.1.2.3', networks)).toBe(true);
    expect(isPublicAddress('::ffff:10.1.2.3', networks)).toBe(true);
    expect(isPublicAddress('fd00:1::5', networks)).toBe(true);
    expect(isPublicAddress('10.2.2.3', networks)).toBe(false);
    expect(isPublicAddress('fd00:2::5', networks)).toBe(false);
    expect(isPublicAddress('127.0.0.1', networks)).toBe(false);
  });

  it.each(['10.0.0.0', '10.0.0.0/33', '999.0.0.0/8', 'fd00::/129', 'private', '10.0.0.0/8 '])(
    '%j is not a network and is reported as a wrong setting',
    (network) => {
      const parsed = configSchema.safeParse({
        service: { baseUrl: 'https://media.example' },
        site: { title: 'x', url: 'https://cars.example' },
        media: { privateNetworks: [network] },
      });
      expect(parsed.error?.issues[0]?.path).toEqual(['media', 'privateNetworks', 0]);
    },
  );
});

describe('hosts of pictures', () => {
  const rules = hostRules('https://media.example', ['pictures.example', 'cdn.example:8443']);

  it.each(FORBIDDEN_HOSTS)('%s (%s) gets no request', (address) => {
    const url = URL.parse(address);
    expect(url !== null && isAllowedHost(url, rules)).toBe(false);
  });

  it.each([
    'https://media.example/x.jpg',
    'https://MEDIA.example./x.jpg',
    'http://pictures.example/x.jpg',
    'https://cdn.example:8443/x.jpg',
  ])('%s gets requests', (address) => {
    expect(isAllowedHost(new URL(address), rules)).toBe(true);
  });

  it('are unrestricted with "*", but only for http(s) and without user names', () => {
    const any = hostRules('https://media.example', ['*']);
    expect(isAllowedHost(new URL('https://evil.example/'), any)).toBe(true);
    expect(isAllowedHost(new URL('https://u:p@evil.example/'), any)).toBe(false);
    expect(isAllowedHost(new URL('ftp://evil.example/'), any)).toBe(false);
    expect(isAllowedHost(new URL('http://evil.example:25/'), any)).toBe(false);
    expect(isAllowedHost(new URL('http://evil.example:80/'), any)).toBe(true);
  });

  it('on this machine are limited to the service at its port', () => {
    expect(hostRules('https://media.example', []).loopback).toBeUndefined();
    expect(hostRules('http://127.0.0.1:8701', []).loopback).toBe('127.0.0.1:8701');
  });
});

describe('URLs on pages', () => {
  it.each(PAGE_ADDRESSES)('%j → %j', (address, becomes) => {
    expect(httpAddress(address)).toBe(becomes);
    const findings = noFindings();
    const item = (type: string) => ({ id: 1, type, label: 'x', mediaUrl: address });
    const record = {
      vrm: 'A1',
      dateUpdated: '2026-01-01T00:00:00Z',
      mediaList: [item('Image'), item('Video')],
    };
    const { media } = toVehicle(record, 1, findings);
    const shown = media.map((one) => (one.kind === 'image' ? one.url : one.playerUrl));
    expect(shown).toEqual(becomes === undefined ? [] : [becomes, becomes]);
    expect(findings.quarantined).toHaveLength(2 - shown.length);
  });
});
