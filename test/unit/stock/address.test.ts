import { describe, expect, it } from 'vitest';
import { vehicleSlug } from '../../../src/stock/address.ts';

const ODD = [
  '',
  '..',
  '.',
  '/',
  'AB 12',
  'AB12',
  'ab12',
  'Ab12',
  'AB-12',
  'AB  12',
  ' AB12',
  'CON',
  'con',
  'NUL',
  'COM1',
  'PAGE',
  'EMBED',
  '🚗',
  '🚗🚙',
  'a'.repeat(300),
  'A'.repeat(300),
  '%2e%2e',
  '..\\..',
  'é',
  'e\u0301',
  '\0',
  '<script>',
  'INDEX.HTML',
  'AB12--0123456789ab',
];

describe('vehicleSlug', () => {
  it.each([
    ['AB12CDE', 'ab12cde'],
    ['AB12 CDE', 'ab12-cde'],
    ['X1', 'x1'],
  ])('%s reads as people expect: %s', (vrm, slug) => {
    expect(vehicleSlug(vrm)).toBe(slug);
  });

  it('gives safe and unique addresses for any text', () => {
    const slugs = ODD.map(vehicleSlug);
    for (const slug of slugs) {
      expect(slug).toMatch(/^[a-z0-9][a-z0-9-]{0,53}$/);
      expect(slug).not.toMatch(/^(con|nul|com1|page|embed|index)$/);
    }
    expect(new Set(slugs).size).toBe(ODD.length);
  });

  it('depends on the text alone', () => {
    expect(vehicleSlug('..')).toBe(vehicleSlug('..'));
    expect(vehicleSlug('🚗')).toMatch(/^vehicle--[0-9a-f]{12}$/);
  });
});

describe('an address', () => {
  it.each([
    ['AB12 CDE', 'ab12-cde'],
    ['A'.repeat(40), 'a'.repeat(40)],
    ['XCON', 'xcon'],
    ['CON1', 'con1'],
  ])('of the plain plate %s is %s', (vrm, slug) => {
    expect(vehicleSlug(vrm)).toBe(slug);
  });

  it.each([
    ...['PAGE', 'INDEX', 'FEED', 'EMBED', 'MEDIA', 'ASSETS', 'SEARCH', 'FIND', 'WITHDRAWN'],
    ...['CON', 'PRN', 'AUX', 'NUL', 'COM1', 'LPT9'],
    'A'.repeat(41),
  ])('of %s is another than a folder of ours, a device, or a long one', (vrm) => {
    expect(vehicleSlug(vrm)).toMatch(
      new RegExp(`^${vrm.toLowerCase().slice(0, 40)}--[0-9a-f]{12}$`),
    );
  });

  it.each([
    ['(ab) - é1', 'ab-e-1'],
    ['--ab--', 'ab'],
    ['車', 'vehicle'],
    [`${'a'.repeat(39)}-b`, 'a'.repeat(39)],
  ])('of %s begins with what can be read of it: %s', (vrm, readable) => {
    const slug = vehicleSlug(vrm);
    expect(slug.slice(0, -14)).toBe(readable);
    expect(slug.slice(-14)).toMatch(/^--[0-9a-f]{12}$/);
  });

  it('is another for each half of a surrogate pair, and stays the same for all else', () => {
    expect(vehicleSlug('\ud800')).not.toBe(vehicleSlug('\ud801'));
    expect(vehicleSlug('車')).toBe('vehicle--e63c54d663b8');
  });
});
