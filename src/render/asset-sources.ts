import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { MinifyOptions } from 'terser';
import type { LoadedConfig } from '../config/load.ts';
import { ConfigError, printable } from '../errors.ts';
import { pictureSize } from '../images/picture-size.ts';
import { libraryVersion } from '../images/sharp-version.ts';
import { cachedForProgram, packageVersion } from '../lib/program-cache.ts';
import { type AssetSources, MissingAssetError } from '../site/views/assets.ts';
import type { Theme } from './theme/theme.ts';

type Logo = AssetSources['logos'] extends ReadonlyMap<number, infer L> ? L : never;

/** Largest logo file that is taken: it is sent with every page, as it is. */
const MAX_LOGO_BYTES = 200_000;

function wrongLogo(file: string, why: string, cause?: unknown): ConfigError {
  return new ConfigError({
    code: 'logo-unusable',
    what: `The logo ${file} cannot be used.`,
    why,
    fix: 'Check dealers[].logo; a relative path counts from the configuration file.',
    cause,
  });
}

/** To be handed out as a copy: terser writes into its options. */
const SMALLER: MinifyOptions = { ecma: 2020, compress: { passes: 2 } };

/** A script without comments and long names: half the bytes, and all of them are paid by visitors. */
async function smaller(file: string, text: string): Promise<string> {
  // Dynamic, because it takes 60 ms, and what was made smaller once is kept.
  const { minify } = await import('terser');
  try {
    const { code } = await minify({ [path.basename(file)]: text }, structuredClone(SMALLER));
    return `${code}\n`;
  } catch (cause) {
    const { message, line } = cause as { message?: string; line?: number };
    throw new ConfigError({
      code: 'script-unreadable',
      what: `The script ${file} cannot be read${line === undefined ? '' : `: line ${line}`}.`,
      why: message ?? String(cause),
      fix: 'Correct it there. Pages load it as a classic script, so import and export do not work.',
      cause,
    });
  }
}

async function script(file: string, terser: string): Promise<string> {
  const text = await readFile(file, 'utf8');
  return cachedForProgram(['script', terser, SMALLER, text], () => smaller(file, text));
}

async function logoOf(logo: string, config: Pick<LoadedConfig, 'file'>): Promise<Logo> {
  const file = path.resolve(path.dirname(config.file), logo);
  const bytes = await readFile(file).catch((cause: Error) => {
    throw wrongLogo(logo, cause.message, cause);
  });
  if (bytes.length > MAX_LOGO_BYTES) {
    throw wrongLogo(logo, `It has ${bytes.length} bytes, more than ${MAX_LOGO_BYTES}.`);
  }
  const extension = path.extname(logo).toLowerCase();
  const digest = hash('sha256', bytes, 'hex');
  const size = await cachedForProgram(['size', libraryVersion(), extension, digest], async () => {
    const found = await pictureSize(bytes, extension);
    if (!found) throw wrongLogo(logo, 'Its size cannot be read.');
    return JSON.stringify(found);
  });
  return { bytes, extension, ...(JSON.parse(size) as Pick<Logo, 'width' | 'height'>) };
}

/**
 * Does what makes addresses of assets.
 *
 * @throws {ConfigError} a style sheet names a file that is not there.
 */
export function explainMissingAssets<T>(theme: Pick<Theme, 'assets'>, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (!(cause instanceof MissingAssetError)) throw cause;
    throw new ConfigError({
      code: 'theme-asset-missing',
      what: `The style sheet ${theme.assets.get(cause.sheet)} names url(${printable(cause.wanted)}), which is not there.`,
      why: 'Addresses in style sheets are the names of files in the same folder.',
      fix: `Put the file beside ${cause.sheet}, or correct the name.`,
      cause,
    });
  }
}

/** Reads style sheet, scripts, the theme's fonts and pictures, and the dealers' logos. */
export async function readAssets(
  config: Pick<LoadedConfig, 'dealers' | 'file'>,
  theme: Pick<Theme, 'assets' | 'ownAssets'>,
): Promise<AssetSources> {
  const terser = packageVersion('terser');
  const texts = new Map<string, string>();
  const files = new Map<string, Uint8Array>();
  for (const [name, file] of [...theme.assets].sort()) {
    if (name.endsWith('.css')) texts.set(name, await readFile(file, 'utf8'));
    else if (name.endsWith('.js')) texts.set(name, await script(file, terser));
    else files.set(name, await readFile(file));
  }
  const logos = new Map<number, Logo>();
  for (const { id, logo } of config.dealers) {
    if (logo !== undefined) logos.set(id, await logoOf(logo, config));
  }
  return { texts, logos, files, own: theme.ownAssets };
}
