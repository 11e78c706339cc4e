import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readAssets } from '../../../src/render/asset-sources.ts';
import { Assets } from '../../../src/site/views/assets.ts';
import { shippedTheme } from '../../support/theme.ts';

const SCRIPTS = [
  'gallery.js',
  'hours.js',
  'share.js',
  'list.js',
  'frame.js',
  'find.js',
  'embed.js',
];
const gzip = (text: string) => gzipSync(text, { level: 9 }).length;

const assets = new Assets(
  '',
  await readAssets({ dealers: [], file: 'site.config.ts' }, await shippedTheme()),
);
assets.styles('#0f766e');
const files = new Map([...assets.files()].map(({ file, content }) => [file, String(content)]));

describe('what browsers must load', () => {
  it('style sheet: under 8 kB compressed, with all placeholder colours and a dealer colour', () => {
    const css = files.get('/assets/site-0f766e.css') ?? '';
    expect(css).toContain('.c466{background:#466}');
    expect(css).toContain('--brand:light-dark(#0f766e');
    expect(gzip(css)).toBeLessThan(8000);
  });

  it('all own scripts together: under 12 kB compressed; embed.js alone under 1.5 kB', () => {
    const scripts = [...files].filter(([name]) => name.endsWith('.js'));
    expect(scripts.map(([name]) => name.split('/').at(-1)).sort()).toEqual([...SCRIPTS].sort());
    expect(scripts.reduce((sum, [, text]) => sum + gzip(text), 0)).toBeLessThan(12_000);
    expect(gzip(files.get('/embed.js') ?? '')).toBeLessThan(1500);
  });
});
