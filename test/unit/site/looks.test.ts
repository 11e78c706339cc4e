import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { headersFor } from '../../../src/lib/static-server/headers-file.ts';
import {
  contentPolicy,
  headersFile,
  permissionsPolicy,
} from '../../../src/site/documents/policy.ts';
import { brandCss, brandOf, colourClass, paletteCss } from '../../../src/site/views/colours.ts';

const hex = fc.integer({ min: 0, max: 0xffffff }).map((n) => n.toString(16).padStart(6, '0'));
const long = (colour: string) => (colour.length === 4 ? colour.replace(/\w/g, '$&$&') : colour);

describe('placeholder colours', () => {
  const channels = (colour: string) =>
    [0, 2, 4].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
  const spread = (values: number[]) => Math.max(...values) - Math.min(...values);
  const calm = (name: string) => channels(name.slice(1).replace(/\w/g, '$&$&'));

  it('have a muted class of the same hue in the style sheet for every mean colour', () => {
    const css = paletteCss();
    fc.assert(
      fc.property(hex, (colour) => {
        const name = colourClass(colour);
        expect(css).toContain(`.${name}{background:#${name.slice(1)}}`);
        const given = calm(name);
        expect(spread(given)).toBeLessThanOrEqual(0x22);
        expect(Math.min(...given)).toBeGreaterThanOrEqual(0x44);
        expect(Math.max(...given)).toBeLessThanOrEqual(0xaa);
        const wanted = channels(colour);
        for (const [a, b] of [
          [0, 1],
          [1, 2],
          [0, 2],
        ] as const) {
          if ((wanted[a] ?? 0) >= (wanted[b] ?? 0))
            expect(given[a]).toBeGreaterThanOrEqual(given[b] ?? 0);
        }
      }),
    );
  });

  it('are close to a muted mean colour', () => {
    const level = fc.integer({ min: 0x44, max: 0x88 });
    const more = fc.tuple(...[0, 1, 2].map(() => fc.integer({ min: 0, max: 0x22 })));
    fc.assert(
      fc.property(level, more, (least, added) => {
        const wanted = added.map((value) => least + value);
        const given = calm(colourClass(wanted.map((value) => value.toString(16)).join('')));
        wanted.forEach((value, at) => {
          expect(Math.abs(value - (given[at] ?? 0))).toBeLessThanOrEqual(0x11);
        });
      }),
    );
  });
});

/** Contrast of two colours as WCAG 2 counts it. */
function contrast(...colours: [string, string]): number {
  const [low = 0, high = 0] = colours
    .map((colour) =>
      [0.2126, 0.7152, 0.0722].reduce((sum, weight, at) => {
        const value = Number.parseInt(colour.slice(1 + at * 2, 3 + at * 2), 16) / 255;
        return sum + weight * (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
      }, 0),
    )
    .sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

/** Lightness, chroma and hue in degrees: OKLCH as defined in CSS Color 4, through XYZ. */
function oklch(colour: string): [lightness: number, chroma: number, hue: number] {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  const x = 0.4123908 * r + 0.35758434 * g + 0.18048079 * b;
  const y = 0.21263901 * r + 0.71516868 * g + 0.07219232 * b;
  const z = 0.01933082 * r + 0.11919478 * g + 0.95053215 * b;
  const l = Math.cbrt(0.8190224 * x + 0.3619062 * y - 0.1288737 * z);
  const m = Math.cbrt(0.0329836 * x + 0.9292868 * y + 0.0361446 * z);
  const s = Math.cbrt(0.0481771 * x + 0.2642395 * y + 0.6335478 * z);
  const a = 1.9779985 * l - 2.4285922 * m + 0.4505937 * s;
  const c = 0.0259041 * l + 0.7827717 * m - 0.8086757 * s;
  return [
    0.2104542 * l + 0.7936178 * m - 0.004072 * s,
    Math.hypot(a, c),
    (Math.atan2(c, a) * 180) / Math.PI,
  ];
}

/** Whether sRGB has a colour. */
function isInGamut(lightness: number, chroma: number, hue: number): boolean {
  const a = chroma * Math.cos((hue * Math.PI) / 180);
  const b = chroma * Math.sin((hue * Math.PI) / 180);
  const l = (lightness + 0.3963378 * a + 0.2158038 * b) ** 3;
  const m = (lightness - 0.1055613 * a - 0.0638542 * b) ** 3;
  const s = (lightness - 0.0894842 * a - 1.2914855 * b) ** 3;
  return [
    4.0767417 * l - 3.3077116 * m + 0.2309699 * s,
    -1.268438 * l + 2.6097574 * m - 0.3413194 * s,
    -0.0041961 * l - 0.7034186 * m + 1.7076147 * s,
  ].every((value) => value >= 0 && value <= 1);
}

describe("a dealer's colour", () => {
  it('is visible, and text on it is legible, on light and dark pages', () => {
    fc.assert(
      fc.property(hex, (colour) => {
        const { light, dark, onLight, onDark, edge } = brandOf(`#${colour}`);
        expect(contrast(edge, '#f4f5f7')).toBeGreaterThanOrEqual(4.5);
        expect(contrast(edge, '#ffffff')).toBeGreaterThanOrEqual(4.5);
        expect(contrast(dark, '#1b1e22')).toBeGreaterThanOrEqual(3);
        expect(contrast(light, long(onLight))).toBeGreaterThanOrEqual(4.5);
        expect(contrast(dark, long(onDark))).toBeGreaterThanOrEqual(4.5);
      }),
      { numRuns: 1000 },
    );
  });

  it('keeps its hue and 70 % of its chroma on dark pages, or all that sRGB has at the contrast', () => {
    const brands = ['#7a0019', '#b4232f', '#1d4ed8', '#0f766e', '#7a3e9d', '#00205b', '#004f2d'];
    for (const colour of brands) {
      const [, chroma] = oklch(colour);
      expect(oklch(brandOf(colour).dark)[1] / chroma, colour).toBeGreaterThanOrEqual(0.7);
    }
    fc.assert(
      fc.property(hex, (digits) => {
        const { dark } = brandOf(`#${digits}`);
        const [, chroma, hue] = oklch(`#${digits}`);
        const [lightness, given, shown] = oklch(dark);
        expect(contrast(dark, '#1b1e22')).toBeGreaterThanOrEqual(3);
        // Near grey, eight bits per channel are too coarse for a hue.
        if (chroma < 0.04) return;
        expect(Math.abs(((shown - hue + 540) % 360) - 180)).toBeLessThan(3);
        if (given / chroma >= 0.7) return;
        expect(contrast(dark, '#1b1e22')).toBeLessThan(3.3);
        expect(isInGamut(lightness, given + 0.008, hue)).toBe(false);
      }),
      { numRuns: 1000 },
    );
  });

  it('of medium lightness is the same on light and dark pages, with white text on both', () => {
    for (const colour of ['#cf2233', '#2464e0']) {
      expect(brandOf(colour)).toEqual({
        light: colour,
        dark: colour,
        onLight: '#fff',
        onDark: '#fff',
        edge: colour,
      });
    }
    expect(oklch(brandOf('#b4232f').dark)[0] - oklch('#b4232f')[0]).toBeLessThan(0.1);
  });

  it('of a bright hue stays the same on light pages, with dark text and a darker edge', () => {
    for (const colour of ['#ffd400', '#ffff00', '#f59e0b', '#a3e635', '#22d3ee', '#f5f0d0']) {
      expect(brandOf(colour)).toMatchObject({ light: colour, dark: colour, onLight: '#000' });
      expect(brandOf(colour).edge).not.toBe(colour);
      expect(brandCss(brandOf(colour))).toContain('--brand-edge');
    }
    expect(brandCss(brandOf('#b4232f'))).not.toContain('--brand-edge');
  });

  it('without a hue, it is the colour of texts in place of a grey that looks disabled', () => {
    for (const colour of ['#000000', '#101010', '#1b1e22', '#333333']) {
      expect(brandOf(colour)).toMatchObject({ light: colour, dark: '#eceff2', onDark: '#000' });
    }
    for (const colour of ['#ffffff', '#c0c0c0', '#f4f5f7']) {
      expect(brandOf(colour)).toMatchObject({ light: '#16191d', dark: colour, onLight: '#fff' });
    }
    // A dark blue keeps its hue.
    expect(brandOf('#0b1e3d').dark).not.toBe('#eceff2');
  });
});

describe('policies', () => {
  const origins = ['https://player.vimeo.com', 'https://www.youtube-nocookie.com'];

  it('need no exceptions and list only the players in use', () => {
    const policy = contentPolicy(origins);
    expect(policy).not.toMatch(/unsafe|\*|data:/);
    expect(policy).toContain(`frame-src ${origins.join(' ')}`);
    expect(contentPolicy([])).toContain("frame-src 'none'");
    expect(permissionsPolicy(origins)).toContain(
      'fullscreen=(self "https://player.vimeo.com" "https://www.youtube-nocookie.com")',
    );
  });

  it('allow everyone to frame embed pages, and no other pages', () => {
    const file = headersFile(origins, { deep: ['blog'], folders: ['/fr'] });
    const policyFor = (path: string) => headersFor(file, path).get('content-security-policy');
    const makes = ['/make/m/', '/d/make/m/', '/d/make/m/page/2/'];
    const pages = ['/', '/d/', '/d/v/', '/d/page/2/', '/d/sticker/', '/d/v/sticker/', ...makes];
    const french = pages.map((path) => `/fr${path}`);
    for (const path of [...pages, ...french, '/saved/', '/blog/tags/cars/2/', '/404.html']) {
      expect(policyFor(path), path).toContain("frame-ancestors 'self'");
    }
    for (const path of ['/embed/d/v/', '/embed/d/find/']) {
      // `*` would block websites in a sandbox and in apps.
      expect(policyFor(path), path).not.toContain('frame-ancestors');
      expect(policyFor(path), path).toContain("default-src 'none'");
    }
  });

  it('stay within the limits of Cloudflare: 100 rules, 2,000 characters a line', () => {
    const lines = headersFile(origins).split('\n');
    expect(lines.filter((line) => line.startsWith('/')).length).toBeLessThanOrEqual(100);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(2000);
  });
});
