/**
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
