import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { LoadedConfig } from '../config/load.ts';
import { ConfigError } from '../errors.ts';
import { SITE_FONT } from '../site/views/assets.ts';

type FontConfig = Pick<LoadedConfig, 'file'> & { site?: { font?: string | undefined } | undefined };

/** Largest file that is taken: visitors load it before they see its letters. Bytes. */
const MAX_FONT_BYTES = 30_000;

/**
 * A first visit shows the system's font where ours is not there within a moment, and keeps it: text that
 * changes its font would move what stands below it.
 */
export const FONT_CSS = `@layer tokens{@font-face{font-family:Site;src:url("asset:${SITE_FONT}") format("woff2");font-weight:100 900;font-display:optional}:root{--font:Site,system-ui,sans-serif}}
`;

/** The file of `site.font`; undefined without one. */
export const fontFile = ({ site, file }: FontConfig): string | undefined =>
  site?.font === undefined ? undefined : path.resolve(path.dirname(file), site.font);

/** Bytes of the font of `site.font`. @throws {ConfigError} it is not there, too large, or no WOFF2. */
export async function readFont(config: FontConfig): Promise<Uint8Array | undefined> {
  const file = fontFile(config);
  if (file === undefined) return undefined;
  const wrong = (why: string, cause?: unknown) =>
    new ConfigError({
      code: 'font-unusable',
      what: `The font ${config.site?.font} cannot be used.`,
      why,
      fix: 'Check site.font; a relative path counts from the configuration file. A subset of the letters of your languages makes a font small.',
      cause,
    });
  const bytes = await readFile(file).catch((cause: Error) => {
    throw wrong(cause.message, cause);
  });
  if (bytes.toString('latin1', 0, 4) !== 'wOF2') throw wrong('It is no WOFF2 file.');
  if (bytes.length > MAX_FONT_BYTES) {
    throw wrong(`It has ${bytes.length} bytes, more than ${MAX_FONT_BYTES}.`);
  }
  return bytes;
}
