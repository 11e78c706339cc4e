import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { LoadedConfig } from '../config/load.ts';
import { ConfigError } from '../errors.ts';
import {
  fitLogo,
  iconPng,
  initialIcon,
  logoGround,
  logoIcon,
  pictureSize,
} from '../images/icon.ts';
import { LIBRARY_VERSION } from '../images/recipes.ts';
import { reasonOf } from '../lib/files/system-errors.ts';
import { cachedForProgram, codeOf } from '../lib/program-cache.ts';
import type { AssetSources } from '../site/views/assets.ts';
import { brandOf } from '../site/views/colours.ts';
import { DEFAULT_COLOUR } from '../site/views/social-card.ts';
import type { Attempt } from './attempt.ts';
import { compileAssets, TEXT } from './compile-assets.ts';
import { readFont } from './font.ts';
import { unusedFile } from './theme/failure.ts';
import type { Theme } from './theme/theme.ts';

type Logo = (AssetSources['logos'] extends ReadonlyMap<unknown, infer L> ? L : never) & {
  /** The user's file. */
  original: Uint8Array;
};

/** All code that makes logos and icons. */
const MADE_BY = [
  LIBRARY_VERSION,
  ...['../images/icon', './asset-sources'].map((name) => codeOf(name, import.meta.url)),
];

/** Largest logo in bytes: visitors load it with every page. */
const MAX_LOGO_BYTES = 200_000;

function wrongLogo(file: string, why: string, cause?: unknown): ConfigError {
  return new ConfigError({
    code: 'logo-unusable',
    what: `The logo ${file} cannot be used.`,
    why,
    fix: 'Check dealers[].logo and site.logo. A relative path counts from the configuration file.',
    cause,
  });
}

const logoFile = (logo: string, { file }: Pick<LoadedConfig, 'file'>): string =>
  path.resolve(path.dirname(file), logo);

/** The files of `site.logo` and `dealers[].logo`, absolute. */
export const logoFiles = (config: LoadedConfig): string[] =>
  [config.site, ...config.dealers].flatMap(({ logo }) =>
    logo === undefined ? [] : logoFile(logo, config),
  );

async function logoOf(logo: string, config: Pick<LoadedConfig, 'file'>): Promise<Logo> {
  const file = logoFile(logo, config);
  const original = await readFile(file).catch((cause: Error) => {
    throw wrongLogo(logo, reasonOf(cause), cause);
  });
  const extension = path.extname(logo).toLowerCase();
  const digest = hash('sha256', original, 'hex');
  const logoJson = await cachedForProgram(['logo', MADE_BY, extension, digest], async () => {
    const size = await pictureSize(original, extension);
    if (!size)
      throw wrongLogo(logo, 'Its size cannot be read. It may be damaged, or not a picture.');
    try {
      const bytes = (await fitLogo(original, extension, size)).toString('base64');
      return JSON.stringify({ ...size, bytes, ground: await logoGround(original) });
    } catch (cause) {
      throw wrongLogo(logo, `It cannot be drawn: ${(cause as Error).message}`, cause);
    }
  });
  const { bytes: base64, ...look } = JSON.parse(logoJson);
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length > MAX_LOGO_BYTES) {
    throw wrongLogo(logo, `It has ${bytes.length} bytes, more than ${MAX_LOGO_BYTES}.`);
  }
  return { ...look, bytes, original, extension };
}

/** Sizes of an icon in pixels: for tabs and home screens, and for the manifest, which calls it maskable. */
const SMALL = 192;
const LARGE = 512;

/** The icon of a site or a dealer: its logo if that is nearly square, otherwise its initial. */
async function iconOf(
  name: string,
  colour: string | undefined,
  logo: Logo | undefined,
  size: number,
): Promise<Uint8Array> {
  const { light: ground, onLight: on } = brandOf(colour ?? DEFAULT_COLOUR);
  const svg = initialIcon(name, { ground, on });
  const digest = logo ? hash('sha256', logo.original, 'hex') : '';
  const key = ['icon', MADE_BY, svg, digest, `${size}`];
  const bytes = await cachedForProgram(key, async () => {
    const fromLogo =
      logo && (await logoIcon({ ...logo, bytes: logo.original }, size, size === LARGE));
    return (fromLogo ?? (await iconPng(svg, size))).toString('base64');
  });
  return Buffer.from(bytes, 'base64');
}

/** Reads style sheet, scripts, the theme's fonts and pictures, and the dealers' logos. */
export async function readAssets(
  config: Pick<LoadedConfig, 'dealers' | 'file'> & {
    site?: Pick<LoadedConfig['site'], 'title' | 'font' | 'colour' | 'logo'> &
      Partial<Pick<LoadedConfig['site'], 'url' | 'policy'>>;
  },
  theme: Pick<Theme, 'assets' | 'ownAssets'>,
  attempt: Attempt,
): Promise<AssetSources> {
  const compiled = await compileAssets(theme, config.site);
  const files = new Map<string, Uint8Array>();
  for (const [name, file] of [...theme.assets].sort()) {
    if (!TEXT.test(name)) files.set(name, await readFile(file));
  }
  const font = await readFont(config);
  for (const [name, bytes] of font?.files ?? []) {
    if (files.has(name)) {
      throw unusedFile(
        theme.assets.get(name) ?? name,
        "The font of the site has this name. It is published instead of the theme's file.",
        'Give it another name, or set site.font to "system".',
      );
    }
    files.set(name, bytes);
  }
  const logos = new Map<number | 'site', Logo>();
  const owners = [{ id: 'site' as const, logo: config.site?.logo }, ...config.dealers];
  for (const [name, sharing] of Map.groupBy(owners, ({ logo }) => logo)) {
    const logo = name === undefined ? undefined : await attempt(() => logoOf(name, config));
    if (logo) for (const { id } of sharing) logos.set(id, logo);
  }
  const [first, ...others] = config.dealers;
  const onlyDealer = others.length === 0 ? first : undefined;
  const { title = '', colour = onlyDealer?.colour ?? DEFAULT_COLOUR } = config.site ?? {};
  const groupLogo = logos.get('site') ?? (onlyDealer && logos.get(onlyDealer.id));
  if (groupLogo) logos.set('site', groupLogo);
  const icons = new Map<number, Uint8Array>();
  for (const { id, name, colour } of config.dealers) {
    const logo = logos.get(id);
    if (colour !== undefined || logo) icons.set(id, await iconOf(name, colour, logo, SMALL));
  }
  const icon = {
    small: await iconOf(title, colour, groupLogo, SMALL),
    large: await iconOf(title, colour, groupLogo, LARGE),
  };
  return {
    ...compiled,
    css: compiled.css + (font?.css ?? ''),
    logos,
    icons,
    icon,
    files,
    themeOnly: theme.ownAssets,
    colour,
  };
}
