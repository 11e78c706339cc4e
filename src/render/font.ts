import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { LoadedConfig } from '../config/load.ts';
import { SYSTEM_FONT } from '../config/site-schema.ts';
import { ConfigError } from '../errors.ts';
import { reasonOf } from '../lib/files/system-errors.ts';
import { PACKAGE_ROOT } from '../lib/own-package.ts';
import { FURTHER_CHARACTERS, SITE_FONT } from '../site/views/assets.ts';

type FontConfig = Pick<LoadedConfig, 'file'> & { site?: { font?: string } };

/** Largest accepted file in bytes: visitors load it before they see its characters. */
const MAX_FONT_BYTES = 30_000;

/** The licence of Figtree, which must accompany each copy. */
const LICENCE = 'font-licence.txt';

/**
 * If the font loads too late on a first visit, the page keeps the system's font. Otherwise, the change of font would
 * move the content below.
 */
const face = (name: string, more: string) =>
  `@font-face{font-family:Site;src:url("asset:${name}") format("woff2");font-display:optional;${more}}`;

const stylesOf = (faces: string) =>
  `@layer tokens{${faces}:root{--font:Site,system-ui,sans-serif}}\n`;

/** Characters in both files come from the last one. Source: the ranges of @fontsource-variable/figtree. */
const DEFAULT_STYLES = stylesOf(
  face(FURTHER_CHARACTERS, 'font-weight:300 900;unicode-range:U+100-2CC,U+1E00-1EFF,U+20A0-20C0') +
    face(
      SITE_FONT,
      'font-weight:300 900;unicode-range:U+0-FF,U+131,U+152-153,U+2C6,U+2DA,U+2DC,U+2000-206F,U+20AC,U+2122,U+2191,U+2193,U+2212,U+2215',
    ),
);

/** A site's font: files for its assets, and rules for its style sheet. */
interface SiteFont {
  files: ReadonlyMap<string, Uint8Array>;
  css: string;
}

/** Figtree: 20 kB for languages of Western Europe, and 10 kB for other languages with Latin characters. */
async function defaultFont(): Promise<SiteFont> {
  const { resolve } = createRequire(import.meta.url);
  const readSubset = (subset: string) =>
    readFile(resolve(`@fontsource-variable/figtree/files/figtree-${subset}-wght-normal.woff2`));
  const files = new Map([
    [SITE_FONT, await readSubset('latin')],
    [FURTHER_CHARACTERS, await readSubset('latin-ext')],
    [LICENCE, await readFile(path.join(PACKAGE_ROOT, 'src', 'images', 'card', 'OFL.txt'))],
  ]);
  return { files, css: DEFAULT_STYLES };
}

/** The file of `site.font`. Undefined without one. */
export const fontFile = ({ site, file }: FontConfig): string | undefined =>
  site?.font === undefined || site.font === SYSTEM_FONT
    ? undefined
    : path.resolve(path.dirname(file), site.font);

/**
 * The font of `site.font`, or the default one. Undefined if visitors see the system's font.
 *
 * @throws {ConfigError} its file is missing, too large, or not a WOFF2.
 */
export async function readFont(config: FontConfig): Promise<SiteFont | undefined> {
  if (config.site?.font === SYSTEM_FONT) return undefined;
  const file = fontFile(config);
  if (file === undefined) return defaultFont();
  const fontError = (why: string, cause?: unknown) =>
    new ConfigError({
      code: 'font-unusable',
      what: `The font ${config.site?.font} cannot be used.`,
      why,
      fix: 'Check site.font. A relative path counts from the configuration file. A subset with the characters of your languages makes a font small.',
      cause,
    });
  const bytes = await readFile(file).catch((cause: Error) => {
    throw fontError(reasonOf(cause), cause);
  });
  if (bytes.toString('latin1', 0, 4) !== 'wOF2') throw fontError('It is not a WOFF2 file.');
  if (bytes.length > MAX_FONT_BYTES) {
    throw fontError(`It has ${bytes.length} bytes, more than ${MAX_FONT_BYTES}.`);
  }
  return {
    files: new Map([[SITE_FONT, bytes]]),
    css: stylesOf(face(SITE_FONT, 'font-weight:100 900')),
  };
}
