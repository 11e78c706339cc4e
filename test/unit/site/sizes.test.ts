import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { en, LANGUAGES } from '../../../src/site/i18n/index.ts';
import { Assets } from '../../../src/site/views/assets.ts';
import { shippedAssets } from '../../support/theme.ts';

const gzip = (text: string) => gzipSync(text, { level: 9 }).length;

const assets = new Assets('', await shippedAssets({ dealers: [], file: 'site.config.ts' }));
assets.styles('#0f766e');
const files = new Map([...assets.files()].map(({ file, content }) => [file, String(content)]));

it('only languages with further characters preload both files of the font', () => {
  const preloadedIn = (lang: string) =>
    assets.fonts(LANGUAGES[lang] ?? en).map((url) => url.replace(/\?.*/, ''));
  expect(preloadedIn('pl')).toEqual(['/assets/font.woff2', '/assets/font-ext.woff2']);
  for (const lang of ['en', 'de', 'es', 'fr', 'it', 'nl'])
    expect(preloadedIn(lang), lang).toEqual(['/assets/font.woff2']);
});

describe('the download size of a page', () => {
  it('style sheet: under 10 kB compressed, with all placeholder colours and a dealer colour', () => {
    const css = files.get('/assets/site-0f766e.css') ?? '';
    expect(css).toContain('.c466{background:#466}');
    expect(css).toContain('--brand:light-dark(#0f766e');
    expect(gzip(css)).toBeLessThan(10_000);
  });

  // A script of a page for visitors, and the scripts that the page may load later.
  it.each([
    ['a vehicle', ['gallery.js', 'share.js', 'hours.js', 'enquiry.js', 'saved.js']],
    ['a list', ['list.js', 'hours.js', 'saved.js']],
    ['saved vehicles', ['compare.js', 'saved.js']],
    ['a gallery on another website', ['gallery.js', 'frame.js', 'find.js']],
    ['the lines for other websites', ['snippets.js', 'hours.js']],
  ])('custom scripts of %s: under 12 kB compressed', (_, names) => {
    const sizes = names.map((name) => gzip(files.get(`/assets/${name}`) ?? ''));
    expect(Math.min(...sizes)).toBeGreaterThan(20);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(12_000);
  });

  it('no script exceeds 4.6 kB compressed, list.js 6.9, embed.js 1.8', () => {
    const scripts = [...files].filter(([name]) => name.endsWith('.js'));
    expect(scripts.length).toBeGreaterThan(10);
    for (const [name, text] of scripts) {
      expect(gzip(text), name).toBeLessThan(name.endsWith('/list.js') ? 6900 : 4600);
    }
    expect(gzip(files.get('/embed.js') ?? '')).toBeLessThan(1800);
    for (const [name, most] of [
      ['enquiry.js', 700],
      ['saved.js', 600],
    ] as const) {
      expect(gzip(files.get(`/assets/${name}`) ?? ''), name).toBeLessThan(most);
    }
  });
});
