import glyphs from './glyphs.json' with { type: 'json' };

/**
 * Outlines of Figtree SemiBold (Copyright 2022 The Figtree Project Authors, SIL Open Font License 1.1), 1,000
 * units per em: advance, then a path. Text is drawn from them, because fonts differ between machines.
 */
const GLYPHS: Readonly<Record<string, string>> = glyphs;

/** The drawable form of a character: itself, or its letter without an accent. */
const drawable = (char: string): string | undefined =>
  [char.replace(/\s/u, ' '), char.normalize('NFD').charAt(0)].find((one) => one in GLYPHS);

/** The drawable characters of a text. Empty if a letter or a digit cannot be drawn. */
function drawableText(text: string): string {
  const chars = [...text.normalize('NFC')];
  if (chars.some((char) => /[\p{L}\p{N}\p{Sc}]/u.test(char) && !drawable(char))) return '';
  return chars.map((char) => drawable(char) ?? '').join('');
}

const advance = (char: string): number => Number.parseInt(GLYPHS[char] ?? '0', 10);
const widthOf = (text: string): number =>
  [...text].reduce((sum, char) => sum + advance(char), 0) / 1000;

/** Words in lines of at most `maxWidth` em. */
function wrapped(text: string, maxWidth: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ').filter(Boolean)) {
    const joined = lines.length > 0 ? `${lines.at(-1)} ${word}` : word;
    if (lines.length > 0 && widthOf(joined) <= maxWidth) lines[lines.length - 1] = joined;
    else lines.push(word);
  }
  return lines;
}

interface TextBox {
  width: number;
  /** Sizes to try, largest first. */
  sizes: readonly number[];
  lines: number;
}

/** Height of a line for each pixel of its size. */
export const LEADING = 1.18;

/** Sets a text in a box: in the largest size that fits, otherwise shortened in the smallest size. */
export function setText(text: string, { width, sizes, lines: maxLines }: TextBox) {
  const drawableChars = drawableText(text);
  const sets = sizes.map((size) => ({ size, lines: wrapped(drawableChars, width / size) }));
  const fits = ({ size, lines }: (typeof sets)[number]) =>
    lines.length <= maxLines && lines.every((line) => widthOf(line) * size <= width);
  const bestFit = sets.find(fits) ?? sets.at(-1);
  const { size = 0, lines = [] } = bestFit ?? {};
  const visibleLines = lines.slice(0, maxLines).map((line, index) => {
    const isCut = index === maxLines - 1 && lines.length > maxLines;
    let visible = isCut ? `${line}…` : line;
    while (widthOf(visible) * size > width && visible.length > 2)
      visible = `${visible.slice(0, -2)}…`;
    return visible;
  });
  return { size, lines: visibleLines, height: visibleLines.length * size * LEADING };
}

/** The path of a text, in SVG. @param x left edge. @param y upper edge of its first line. */
export function textSvg({ size, lines }: ReturnType<typeof setText>, x: number, y: number): string {
  return lines
    .map((line, row) => {
      let at = 0;
      const paths = Array.from(line, (char) => {
        const path = (GLYPHS[char] ?? '').replace(/^\d+ ?/, '');
        const glyphPath = `<path transform="translate(${at})" d="${path}"/>`;
        at += advance(char);
        return path ? glyphPath : '';
      });
      const scale = size / 1000;
      const baseline = y + size * (0.92 + row * LEADING);
      return `<g transform="translate(${x} ${baseline}) scale(${scale} ${-scale})">${paths.join('')}</g>`;
    })
    .join('');
}
