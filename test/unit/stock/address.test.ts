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
