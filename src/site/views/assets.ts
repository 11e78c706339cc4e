import { hash } from 'node:crypto';
import type { Words } from '../i18n/index.ts';
import { brandCss, brandOf, paletteCss } from './colours.ts';
import type { GeneratedFile, LogoView } from './view.ts';

/** Sources of the style sheet and scripts, and the logos of dealers. */
export interface AssetSources {
  /** Scripts as they are served, by file name. */
  scripts: ReadonlyMap<string, string>;
  /** Built-in rules in their layers, and the rules of the theme. URLs `asset:NAME` are replaced by URLs of files. */
  css: string;
  themeCss: string;
  /** By dealer id. `site` is the logo on pages without a dealer. */
  logos: ReadonlyMap<
    number | 'site',
    Pick<LogoView, 'width' | 'height' | 'ground'> & { bytes: Uint8Array; extension: string }
  >;
  /** The site's icon as PNG: for tabs and home screens, and for the manifest. */
  icon: { small: Uint8Array; large: Uint8Array };
  /** Icons of dealers with a custom colour or logo, by dealer id. */
  icons: ReadonlyMap<number, Uint8Array>;
  /** Colour of pages and files without a dealer, and of dealers without a colour. */
  colour: string;
  /** Fonts and pictures of a theme, by file name. */
  files: ReadonlyMap<string, Uint8Array>;
  /** Names of scripts and files that only the theme has. `site.assets` has their URLs for its templates. */
  themeOnly: ReadonlySet<string>;
}

/** The script that other websites load. Its address never changes. */
export const EMBED_SCRIPT = 'embed.js';

/** Matches a URL `asset:NAME` in a style sheet, with or without quotes. */
const ASSET_ADDRESS = /url\("?asset:([^")]+)"?\)/g;

/** Name of the site's font among the assets. */
export const SITE_FONT = 'font.woff2';
/** Further characters of the default font, which most languages do not need. */
export const FURTHER_CHARACTERS = 'font-ext.woff2';
/** One of these characters. The letters `ıŒœˆ` are in the first file. */
const FURTHER = /[\u0100-\u0130\u0132-\u0151\u0154-\u02c5\u1e00-\u1eff]/;

const FONT = /\.woff2?$/;

/** Number of characters that fit below an icon on most home screens. */
const SHORT = 12;

/** The first words of a title that fit below an icon, at least one. */
function shortName(title: string): string {
  const [first = '', ...words] = title.split(/\s+/u);
  let short = first;
  for (const word of words) {
    if (short.length + 1 + word.length > SHORT) break;
    short += ` ${word}`;
  }
  return short;
}

/** Largest size of a logo in the header, in pixels. */
const LOGO = { width: 288, height: 36 };

/**
 * Style sheets, scripts and logos with their URLs. The query is a hash of the content, so that browsers fetch only
 * changed files. File names stay the same, so that pages in a browser's cache still work after the next publish.
 */
export class Assets {
  readonly #base: string;
  readonly #sources: AssetSources;
  readonly #files = new Map<string, string | Uint8Array>();
  readonly #addresses = new Map<string, string>();

  constructor(base: string, sources: AssetSources) {
    this.#base = base;
    this.#sources = sources;
    for (const [name, text] of sources.scripts) {
      if (name !== EMBED_SCRIPT) this.#put(name, text);
    }
    for (const [name, bytes] of sources.files) this.#put(name, bytes);
  }

  /** URL of a script, or of another file that the constructor received. */
  script(name: string): string {
    const address = this.#addresses.get(name);
    if (address === undefined) throw new Error(`There is no asset ${name}`);
    return address;
  }

  /** URLs of files that only the theme has, by file name. */
  themeUrls(): Record<string, string> {
    return Object.fromEntries(
      [...this.#addresses].filter(([name]) => this.#sources.themeOnly.has(name)),
    );
  }

  /** Colour of pages and files without a dealer, and of dealers without a colour. */
  get colour(): string {
    return this.#sources.colour;
  }

  /** URLs of the site's font for pages with these words. Empty if visitors see the system's font. */
  fonts(words: Words): string[] {
    const names = FURTHER.test(JSON.stringify(words))
      ? [SITE_FONT, FURTHER_CHARACTERS]
      : [SITE_FONT];
    return names.flatMap((name) => this.#addresses.get(name) ?? []);
  }

  /** Whether pages load fonts from the site. */
  hasFonts(): boolean {
    return [...this.#sources.files.keys()].some((name) => FONT.test(name));
  }

  /** URL of the style sheet, with or without a dealer's colour. Each colour has one file. */
  styles(colour?: string): string {
    const key = colour?.slice(1).toLowerCase();
    const name = key === undefined ? 'site.css' : `site-${key}.css`;
    const address = this.#addresses.get(name);
    if (address !== undefined) return address;
    const { css, themeCss } = this.#sources;
    const brand = colour === undefined ? '' : brandCss(brandOf(colour));
    const colours = `@layer base{${paletteCss()}${brand}}\n`;
    return this.#put(name, this.#addressed(css) + colours + this.#addressed(themeCss));
  }

  /** The logo of a dealer. Without a dealer, the logo of the site. */
  logo({ id, slug }: { id?: number; slug?: string } = {}): LogoView | undefined {
    const logo = this.#sources.logos.get(id ?? 'site');
    if (!logo) return undefined;
    const { bytes, extension, width, height, ground } = logo;
    const scale = Math.min(LOGO.width / width, LOGO.height / height);
    return {
      src: this.#put(`${slug ? `logo-${slug}` : 'logo'}${extension}`, bytes),
      width: Math.max(1, Math.round(width * scale)),
      height: Math.max(1, Math.round(height * scale)),
      wide: width > 2 * height,
      ground,
    };
  }

  bytesOf({ src }: LogoView): Uint8Array {
    const name = /([^/]+)\?v=/.exec(src)?.[1] ?? '';
    return this.#files.get(name) as Uint8Array;
  }

  /** URL of the icon for tabs and home screens: the dealer's, or the site's. */
  icon(dealer?: { id: number; slug: string }): string {
    const dealerIcon = dealer && this.#sources.icons.get(dealer.id);
    if (dealer && dealerIcon) return this.#putIcon(`icon-${dealer.slug}.png`, dealerIcon);
    return this.#putIcon('icon.png', this.#sources.icon.small);
  }

  /** URL of the web manifest, with the name and icons of the site for home screens. */
  manifest(title: string): string {
    const large = this.#putIcon('icon-512.png', this.#sources.icon.large);
    const icons = [
      { src: this.icon(), sizes: '192x192', type: 'image/png' },
      { src: large, sizes: '512x512', type: 'image/png', purpose: 'any maskable' },
    ];
    const start = `${this.#base}/`;
    const { colour } = this.#sources;
    const manifest = {
      name: title,
      short_name: shortName(title),
      start_url: start,
      scope: start,
      display: 'minimal-ui',
      theme_color: colour,
      background_color: '#ffffff',
      icons,
    };
    return this.#put('manifest.json', `${JSON.stringify(manifest)}\n`);
  }

  *files(): Iterable<GeneratedFile> {
    for (const [name, content] of this.#files) yield { file: `/assets/${name}`, content };
    yield { file: `/${EMBED_SCRIPT}`, content: this.#sources.scripts.get(EMBED_SCRIPT) ?? '' };
  }

  /** Replaces URLs `asset:NAME` in a style sheet by the URLs of the files. */
  #addressed(css: string): string {
    return css.replace(ASSET_ADDRESS, (_, name: string) => `url(${this.script(name)})`);
  }

  /** A file of the theme with this name replaces the icon. */
  #putIcon(name: string, bytes: Uint8Array): string {
    return this.#addresses.get(name) ?? this.#put(name, bytes);
  }

  #put(name: string, content: string | Uint8Array): string {
    this.#files.set(name, content);
    const address = `${this.#base}/assets/${name}?v=${hash('sha256', content).slice(0, 10)}`;
    this.#addresses.set(name, address);
    return address;
  }
}
