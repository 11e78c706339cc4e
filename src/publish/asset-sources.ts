import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { minify } from 'terser';
import type { LoadedConfig } from '../config/load.ts';
import { ConfigError } from '../errors.ts';
import { pictureSize } from '../media/picture-size.ts';
import type { AssetSources } from '../site/assets.ts';

type Logo = AssetSources['logos'] extends ReadonlyMap<number, infer L> ? L : never;

/** Where style sheet and scripts lie. */
const ASSET_FOLDER = 'templates/assets';

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

/** A script without comments and long names: half the bytes, and all of them are paid by visitors. */
async function smaller(name: string, text: string): Promise<string> {
  const { code } = await minify({ [name]: text }, { ecma: 2020, compress: { passes: 2 } });
  return `${code}\n`;
}

/** Reads style sheet, scripts and the dealers' logos. */
export async function readAssets(
  config: Pick<LoadedConfig, 'dealers' | 'file'>,
): Promise<AssetSources> {
  const names = (await readdir(ASSET_FOLDER)).filter((name) => /\.(?:css|js)$/.test(name)).sort();
  const texts = new Map<string, string>();
  for (const name of names) {
    const text = await readFile(path.join(ASSET_FOLDER, name), 'utf8');
    texts.set(name, name.endsWith('.js') ? await smaller(name, text) : text);
  }
  const logos = new Map<number, Logo>();
  for (const { id, logo } of config.dealers) {
    if (logo === undefined) continue;
    const file = path.resolve(path.dirname(config.file), logo);
    const bytes = await readFile(file).catch((cause: Error) => {
      throw wrongLogo(logo, cause.message, cause);
    });
    if (bytes.length > MAX_LOGO_BYTES) {
      throw wrongLogo(logo, `It has ${bytes.length} bytes, more than ${MAX_LOGO_BYTES}.`);
    }
    const size = await pictureSize(bytes, path.extname(logo));
    if (!size) throw wrongLogo(logo, 'Its size cannot be read.');
    logos.set(id, { bytes, extension: path.extname(logo).toLowerCase(), ...size });
  }
  return { texts, logos };
}
