import { createHash } from 'node:crypto';
import { brandCss, brandOf, paletteCss } from './colours.ts';
import type { GeneratedFile, LogoView, Masthead } from './view.ts';

/** Sources of the style sheet and scripts, and the logos of dealers. */
export interface AssetSources {
  /** Scripts as they are served, by file name. */
  scripts: ReadonlyMap<string, string>;
  /** All rules in their layers, and a theme's. An address `asset:NAME` is replaced by that of the file. */
  css: string;
  themeCss: string;
  /** By dealer id. `site` is the logo on pages of no dealer. */
  logos: ReadonlyMap<
    number | 'site',
    Pick<LogoView, 'width' | 'height' | 'ground'> & { bytes: Uint8Array; extension: string }
  >;
  /** The site's icon as PNG: of tabs and home screens, and of the manifest besides. */
  icon: { small: Uint8Array; large: Uint8Array };
  /** Icons of dealers with a colour or a logo of their own, by dealer id. */
  icons: ReadonlyMap<number, Uint8Array>;
  /** Colour of pages and files of no dealer, and of dealers without a colour. */
  colour: string;
  /** Fonts and pictures of a theme, by file name. */
  files: ReadonlyMap<string, Uint8Array>;
  /** Names of scripts and files that only the theme has: its templates find them in `site.assets`. */
  own: ReadonlySet<string>;
}

/** The script that other websites load. Its address never changes. */
export const EMBED_SCRIPT = 'embed.js';

const hash = (content: string | Uint8Array): string =>
  createHash('sha256').update(content).digest('hex').slice(0, 10);

/** Matches such an address in a style sheet, with or without quotes. */
const ASSET_ADDRESS = /url\("?asset:([^")]+)"?\)/g;

/** Name of the site's font among the assets. */
export const SITE_FONT = 'font.woff2';

const FONT = /\.woff2?$/;

/** Characters that have space below an icon on most home screens. */
const SHORT = 12;

/** The words of a title that have space below an icon; at least the first one. */
function shortName(title: string): string {
  const [first = '', ...words] = title.split(/\s+/u);
  let short = first;
  for (const word of words) {
    if (short.length + 1 + word.length > SHORT) break;
    short += ` ${word}`;
  }
  return short;
}

/** Most that a header has for a logo. Pixels. */
const LOGO = { width: 176, height: 36 };

/** A wide logo replaces the name. */
export const mastheadLogo = (logo: LogoView | undefined): Pick<Masthead, 'logo' | 'showsName'> => ({
  logo,
  showsName: !logo?.wide,
});

/**
 * Style sheets, scripts and logos with their addresses. The query is a hash of the content, so that
 * browsers fetch only changed files, while file names stay the same for pages that are still in a
 * browser's cache after the next publish.
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

  /** Address of a script. */
  script(name: string): string {
    return this.#addressOf(name);
  }

  /** Addresses of files that only the theme has, by file name. */
  themeUrls(): Record<string, string> {
    return Object.fromEntries([...this.#addresses].filter(([name]) => this.#sources.own.has(name)));
  }

  /** Colour of pages and files of no dealer, and of dealers without a colour. */
  get colour(): string {
    return this.#sources.colour;
  }

  /** URL of the site's font. Undefined if visitors see the system's font. */
  font(): string | undefined {
    return this.#addresses.get(SITE_FONT);
  }

  /** Whether pages load fonts of their own. */
  hasFonts(): boolean {
    return [...this.#sources.files.keys()].some((name) => FONT.test(name));
  }

  /** Address of the style sheet, with or without a dealer's colour. There is one file a colour. */
  styles(colour?: string): string {
    const key = colour?.slice(1).toLowerCase();
    const name = key === undefined ? 'site.css' : `site-${key}.css`;
    const known = this.#addresses.get(name);
    if (known !== undefined) return known;
    const { css, themeCss } = this.#sources;
    const brand = colour === undefined ? '' : brandCss(brandOf(colour));
    const own = `@layer base{${paletteCss()}${brand}}\n`;
    return this.#put(name, this.#addressed(css) + own + this.#addressed(themeCss));
  }

  /** The logo of a dealer. Without a dealer, the logo on pages of no dealer. */
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

  /** Bytes of a logo. */
  bytesOf({ src }: LogoView): Uint8Array {
    const name = /([^/]+)\?v=/.exec(src)?.[1] ?? '';
    return this.#files.get(name) as Uint8Array;
  }

  /** Address of an icon for tabs and home screens: the dealer's own, or the site's. */
  icon(dealer?: { id: number; slug: string }): string {
    const own = dealer && this.#sources.icons.get(dealer.id);
    if (dealer && own) return this.#put(`icon-${dealer.slug}.png`, own);
    return this.#put('icon.png', this.#sources.icon.small);
  }

  /** Address of the web manifest: what the site is called where somebody keeps it on a home screen. */
  manifest(title: string): string {
    const large = this.#put('icon-512.png', this.#sources.icon.large);
    const icons = [
      { src: this.icon(), sizes: '192x192', type: 'image/png' },
      { src: large, sizes: '512x512', type: 'image/png', purpose: 'any maskable' },
    ];
    const start = `${this.#base}/`;
    const { colour } = this.#sources;
    const manifest = {
      ...{ name: title, short_name: shortName(title), start_url: start, scope: start },
      ...{ display: 'minimal-ui', theme_color: colour, background_color: '#ffffff', icons },
    };
    return this.#put('manifest.json', `${JSON.stringify(manifest)}\n`);
  }

  *files(): Iterable<GeneratedFile> {
    for (const [name, content] of this.#files) yield { file: `/assets/${name}`, content };
    yield { file: `/${EMBED_SCRIPT}`, content: this.#sources.scripts.get(EMBED_SCRIPT) ?? '' };
  }

  /** A style sheet whose addresses have the hash of their file as a query. */
  #addressed(css: string): string {
    return css.replace(ASSET_ADDRESS, (_, name: string) => `url(${this.#addressOf(name)})`);
  }

  #addressOf(name: string): string {
    const address = this.#addresses.get(name);
    if (address === undefined) throw new Error(`There is no asset ${name}`);
    return address;
  }

  #put(name: string, content: string | Uint8Array): string {
    this.#files.set(name, content);
    const address = `${this.#base}/assets/${name}?v=${hash(content)}`;
    this.#addresses.set(name, address);
    return address;
  }
}
