/** Colours of dealers, and colours in place of pictures that have not loaded yet. */

/*
 * Placeholder colours: the muted mean colour of a picture, as a class of the style sheet. It takes 13 bytes in a
 * page and, unlike a `style` attribute, needs no exception in the Content-Security-Policy.
 */

/** Levels of a channel, from dark to light. Without black and white, which would flash before a picture. */
const LEVELS = ['4', '6', '8', 'a'] as const;
const LOWEST = 0x44;
/** Difference between two levels. */
const STEP = 0x22;

/**
 * Class for a mean colour of six hex digits, such as `c688`. Its channels differ by one level at most, which gives
 * a hint of the colour.
 */
export function colourClass(colour: string): string {
  const channels = [0, 2, 4].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
  const high = Math.max(...channels);
  const low = Math.min(...channels);
  const middle = (high + low) / 2;
  const share = Math.min(1, STEP / (high - low || 1));
  const levels = channels.map((value) => {
    const level = Math.round((middle + (value - middle) * share - LOWEST) / STEP);
    return LEVELS[Math.max(0, Math.min(LEVELS.length - 1, level))];
  });
  return `c${levels.join('')}`;
}

/** The rules for all classes. */
export function paletteCss(): string {
  const names = new Set(
    LEVELS.flatMap((level, index) => {
      const lighter = LEVELS[index + 1] ?? level;
      const two = [level, lighter];
      return two.flatMap((red) => two.flatMap((green) => two.map((blue) => red + green + blue)));
    }),
  );
  return [...names].map((name) => `.c${name}{background:#${name}}`).join('');
}

/*
 * A dealer's colour, adjusted for buttons on light and dark pages.
 */

/** Red, green and blue, 0 to 255. */
type Rgb = readonly number[];

/** Maximum chroma (OKLab) of a colour without a visible hue: black, white, silver, anthracite. */
const GREY = 0.03;
/** Minimum lightness (OKLab) of a colour that stays as it is, with dark text: a darker yellow would be brown. */
const BRIGHT = 0.74;

/**
 * Contrast with a page, with a margin for rounding. White text on a button needs 4.5 (WCAG 2), so that buttons of light
 * pages have it. On dark pages, a control needs 3. With more, a red would become pink.
 */
const ON_LIGHT = 4.6;
const ON_DARK = 3.1;

/** The surfaces with the least contrast: `--paper` of light pages, `--card` of dark ones, as in templates/assets/tokens.css. */
const LIGHT_PAPER: Rgb = [0xf4, 0xf5, 0xf7];
const DARK_CARD: Rgb = [0x1b, 0x1e, 0x22];
/** `--ink` of light and dark pages. */
const LIGHT_INK: Rgb = [0x16, 0x19, 0x1d];
const DARK_INK: Rgb = [0xec, 0xef, 0xf2];
const WHITE: Rgb = [255, 255, 255];
const BLACK: Rgb = [0, 0, 0];

const parse = (hex: string): Rgb =>
  [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));

const toHex = (rgb: Rgb): string =>
  `#${rgb.map((value) => value.toString(16).padStart(2, '0')).join('')}`;

const toLinear = (value: number): number => {
  const share = value / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
};
const fromLinear = (share: number): number =>
  255 * (share <= 0.0031308 ? share * 12.92 : 1.055 * share ** (1 / 2.4) - 0.055);

const multiply = (matrix: readonly Rgb[], vector: Rgb): number[] =>
  matrix.map((row) => row.reduce((sum, factor, at) => sum + factor * (vector[at] ?? 0), 0));

/** Relative luminance, WCAG 2.2. */
const luminance = (rgb: Rgb): number =>
  multiply([[0.2126, 0.7152, 0.0722]], rgb.map(toLinear))[0] ?? 0;

/** Contrast of two colours, 1 to 21. */
function contrastOf(a: Rgb, b: Rgb): number {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

/** Matrices of OKLab (Björn Ottosson, 2020): linear sRGB to cones, their cube roots to OKLab, and both back. */
const TO_CONES = [
  [0.4122214708, 0.5363325363, 0.0514459929],
  [0.2119034982, 0.6806995451, 0.1073969566],
  [0.0883024619, 0.2817188376, 0.6299787005],
];
const TO_LAB = [
  [0.2104542553, 0.793617785, -0.0040720468],
  [1.9779984951, -2.428592205, 0.4505937099],
  [0.0259040371, 0.7827717662, -0.808675766],
];
const FROM_LAB = [
  [1, 0.3963377774, 0.2158037573],
  [1, -0.1055613458, -0.0638541728],
  [1, -0.0894841775, -1.291485548],
];
const FROM_CONES = [
  [4.0767416621, -3.3077115913, 0.2309699292],
  [-1.2684380046, 2.6097574011, -0.3413193965],
  [-0.0041960863, -0.7034186147, 1.707614701],
];

/** A colour with another lightness, and as much of its chroma as sRGB has at that lightness and hue. */
function withLightness([, a = 0, b = 0]: Rgb, lightness: number): Rgb {
  for (let share = 1; ; share = Math.max(0, share - 0.01)) {
    const cones = multiply(FROM_LAB, [lightness, a * share, b * share]).map((root) => root ** 3);
    const linear = multiply(FROM_CONES, cones);
    if (share === 0 || linear.every((value) => value > -0.001 && value < 1.001)) {
      return linear.map((value) => Math.round(fromLinear(Math.min(1, Math.max(0, value)))));
    }
  }
}

const toLab = (rgb: Rgb): Rgb =>
  multiply(TO_LAB, multiply(TO_CONES, rgb.map(toLinear)).map(Math.cbrt));

const isGrey = ([, a = 0, b = 0]: Rgb): boolean => Math.hypot(a, b) < GREY;

/**
 * The colour with the same hue and the nearest lightness that has enough contrast on `paper`. A grey becomes `ink`,
 * because buttons of a medium grey look disabled.
 */
function readable(rgb: Rgb, paper: Rgb, ink: Rgb, contrast: number): Rgb {
  if (contrastOf(rgb, paper) >= contrast) return rgb;
  const lab = toLab(rgb);
  if (isGrey(lab)) return ink;
  const step = luminance(paper) > 0.5 ? -0.004 : 0.004;
  let colour = rgb;
  for (let lightness = lab[0] ?? 0; contrastOf(colour, paper) < contrast; lightness += step) {
    colour = withLightness(lab, Math.min(1, Math.max(0, lightness)));
  }
  return colour;
}

export interface Brand {
  /** For buttons and selected items on light pages. */
  light: string;
  /** For buttons and selected items on dark pages. */
  dark: string;
  /** Text on `light`, and on `dark`. */
  onLight: string;
  onDark: string;
  /** The edge of `light`, with enough contrast to the page. The same colour, unless `light` is bright. */
  edge: string;
}

const textOn = (colour: Rgb): string =>
  contrastOf(colour, WHITE) >= contrastOf(colour, BLACK) ? '#fff' : '#000';

/** A colour as a background, and the colour of text on it. */
export const groundOf = (colour: string): { ground: string; on: string } => ({
  ground: colour.toLowerCase(),
  on: textOn(parse(colour)),
});

/** All shades of a dealer's colour. */
export function brandOf(colour: string): Brand {
  const rgb = parse(colour);
  const lab = toLab(rgb);
  const edge = readable(rgb, LIGHT_PAPER, LIGHT_INK, ON_LIGHT);
  const light = (lab[0] ?? 0) >= BRIGHT && !isGrey(lab) ? rgb : edge;
  const dark = readable(rgb, DARK_CARD, DARK_INK, ON_DARK);
  return {
    light: toHex(light),
    dark: toHex(dark),
    onLight: textOn(light),
    onDark: textOn(dark),
    edge: toHex(edge),
  };
}

/** The rule that gives a style sheet a dealer's colour. */
export function brandCss({ light, dark, onLight, onDark, edge }: Brand): string {
  const brand = `--brand:light-dark(${light},${dark});--on-brand:light-dark(${onLight},${onDark})`;
  return `:root{${brand}${edge === light ? '' : `;--brand-edge:light-dark(${edge},${dark})`}}`;
}
