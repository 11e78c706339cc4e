import { describe, expect, it } from 'vitest';
import { LEGAL_PAGES } from '../../../src/config/site-schema.ts';
import { offlineConfig } from '../../support/offline-config.ts';
import { plannedFiles } from '../../support/planned-files.ts';
import { thrownBy } from '../../support/thrown.ts';

/** A site with every setting that adds pages or files at its top. */
const configWith = (slug: string, change: object = {}) =>
  offlineConfig({
    site: {
      locales: ['fr-BE'],
      legal: { imprint: 'imprint.md', privacy: 'privacy.md' },
      favourites: true,
      indexNow: true,
      enquiry: { netlify: 'enquiry' },
      ...change,
    },
    dealers: ['one', slug].map((name, index) => ({ id: index, name, slug: name })),
  });

const problemOf = (slug: string, change?: object) =>
  thrownBy(() => configWith(slug, change))?.message ?? '';

describe('a dealer may not have a URL of the site itself', () => {
  it('of any planned page or file at the top level', async () => {
    const { pages } = await plannedFiles(configWith('two'), [], () => {
      throw new Error('no picture');
    });
    const names = [...pages].map((file) => file.split('/')[0]?.replace(/\.html$/, '') ?? '');
    const others = new Set(names.filter((name) => /^[a-z0-9-]+$/.test(name)));
    for (const dealer of ['one', 'two']) expect(others.delete(dealer)).toBe(true);
    expect(others.size).toBeGreaterThan(5);
    for (const name of others) expect(problemOf(name), name).toContain('dealers[1].slug');
  });

  it.each(['media', 'make', 'page', 'embed', 'search', ...LEGAL_PAGES])('%s', (name) => {
    expect(problemOf(name)).toContain('dealers[1].slug');
  });

  it.each([
    ['saved', { favourites: false }],
    ['fr', { locales: [] }],
    ['imprint', { legal: {} }],
    ['saved-cars', {}],
  ])('but %s with %j, which adds none', (slug, change) => {
    expect(problemOf(slug, change)).toBe('');
  });
});
