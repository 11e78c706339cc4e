/** Colours of a dealer, and of pictures that are not there yet. */

/*
 * Placeholder colours: the mean colour of a picture, made calm, as a class of the style sheet. It takes
 * 13 bytes in a page and, unlike a `style` attribute, needs no exception in the Content-Security-Policy.
 */

/** Levels of a channel, from dark to light: nothing black or white flashes before its picture is there. */
const LEVELS = ['4', '6', '8', 'a'] as const;
const LOWEST = 0x44;
/** From one level to the next. */
const STEP = 0x22;

/**
 * Class for a mean colour of six hex digits, such as `c688`. Its channels differ by one level at most: a
 * hint of the colour.
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
 * A dealer's colour, adjusted for text and buttons on light and dark pages.
 */

/** Red, green and blue, 0 to 255. */
type Rgb = readonly number[];

/** Contrast that WCAG 2 requires of text of ordinary size (4.5), with a margin for rounding. */
const CONTRAST = 4.6;

/** The lightest and darkest surfaces that links stand on; see `--paper` and `--card` in templates/assets/tokens.css. */
const LIGHT_PAPER: Rgb = [0xf4, 0xf5, 0xf7];
const DARK_CARD: Rgb = [0x22, 0x26, 0x2c];
const WHITE: Rgb = [255, 255, 255];
const BLACK: Rgb = [0, 0, 0];

const parse = (hex: string): Rgb =>
  [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));

const toHex = (rgb: Rgb): string =>
  `#${rgb.map((value) => Math.round(value).toString(16).padStart(2, '0')).join('')}`;

const mix = (from: Rgb, to: Rgb, share: number): Rgb =>
  from.map((value, index) => value + ((to[index] ?? 0) - value) * share);

/** Relative luminance, WCAG 2.2. */
function luminance(rgb: Rgb): number {
  const [red = 0, green = 0, blue = 0] = rgb.map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Contrast of two colours, 1 to 21. */
function contrastOf(a: Rgb, b: Rgb): number {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

/** The first colour from `from` towards `to` that has enough contrast on `paper`. */
function readable(from: Rgb, to: Rgb, paper: Rgb): Rgb {
  for (let share = 0; share < 1; share += 0.02) {
    const colour = mix(from, to, share);
    if (contrastOf(colour, paper) >= CONTRAST) return colour;
  }
  return to;
}

export interface Brand {
  /** For links and buttons on light pages. */
  light: string;
  /** For links and buttons on dark pages. */
  dark: string;
  /** Text on `light`, and on `dark`. */
  onLight: string;
  onDark: string;
}

const textOn = (colour: Rgb): string =>
  contrastOf(colour, WHITE) >= contrastOf(colour, BLACK) ? '#fff' : '#000';

/** All shades of a dealer's colour. */
export function brandOf(colour: string): Brand {
  const wanted = parse(colour);
  const light = readable(wanted, BLACK, LIGHT_PAPER);
  const dark = readable(wanted, WHITE, DARK_CARD);
  return {
    light: toHex(light),
    dark: toHex(dark),
    onLight: textOn(light),
    onDark: textOn(dark),
  };
}

/** The rule that gives a style sheet a dealer's colour. */
export function brandCss({ light, dark, onLight, onDark }: Brand): string {
  return `:root{--brand:light-dark(${light},${dark});--on-brand:light-dark(${onLight},${onDark})}`;
}
