import { createHash } from 'node:crypto';
import { brandCss, brandOf } from './brand.ts';
import { paletteCss } from './palette.ts';
import type { LogoView, SiteFile } from './view.ts';

/** Sources of style sheet and scripts, by file name, and the logos of dealers. */
export interface AssetSources {
  texts: ReadonlyMap<string, string>;
  /** By dealer id. */
  logos: ReadonlyMap<
    number,
    { bytes: Uint8Array; extension: string; width: number; height: number }
  >;
  /** Fonts and pictures of a theme, by file name. */
  files: ReadonlyMap<string, Uint8Array>;
  /** Names of scripts and files that only the theme has: its templates find them in `site.assets`. */
  own: ReadonlySet<string>;
}

/** An address in a theme's style sheet leads nowhere. */
export class MissingAssetError extends Error {
  readonly sheet: string;
  readonly wanted: string;

  constructor(sheet: string, wanted: string) {
    super(`${sheet} names ${wanted}`);
    this.sheet = sheet;
    this.wanted = wanted;
  }
}

/** The script that other websites load. Its address is promised: it never changes. */
export const EMBED_SCRIPT = 'embed.js';

const hash = (content: string | Uint8Array): string =>
  createHash('sha256').update(content).digest('hex').slice(0, 10);

/** The style sheet's parts; later ones win over earlier ones. */
const STYLES = ['base.css', 'lists.css', 'gallery.css', 'modes.css'];

/** A theme's own rules, after everything else. */
const THEME_STYLES = 'theme.css';

const CSS_ADDRESS = /url\(\s*(["']?)([^"')]+)\1\s*\)/g;

/** An address with a scheme or a host, or a place within the same document. */
const ELSEWHERE = /^(?:[a-z][a-z0-9+.-]*:|\/|#)/i;

const FONT = /\.woff2?$/;

/**
 * Style sheets, scripts and logos with their addresses. A hash of the content stands in the query:
 * browsers fetch what has changed and nothing else, and a page that is still in someone's cache
 * finds its files after the next publish, under the same names.
 */
export class Assets {
  readonly #base: string;
  readonly #sources: AssetSources;
  readonly #files = new Map<string, string | Uint8Array>();
  readonly #addresses = new Map<string, string>();

  constructor(base: string, sources: AssetSources) {
    this.#base = base;
    this.#sources = sources;
    for (const [name, text] of sources.texts) {
      if (name.endsWith('.js') && name !== EMBED_SCRIPT) this.#put(name, text);
    }
    for (const [name, bytes] of sources.files) this.#put(name, bytes);
  }

  /** Address of a script. */
  script(name: string): string {
    const address = this.#addresses.get(name);
    if (address === undefined) throw new Error(`There is no asset ${name}`);
    return address;
  }

  /** Addresses of what only the theme has, by file name. */
  own(): Record<string, string> {
    return Object.fromEntries([...this.#addresses].filter(([name]) => this.#sources.own.has(name)));
  }

  /** Whether pages load fonts of the theme's. */
  hasFonts(): boolean {
    return [...this.#sources.files.keys()].some((name) => FONT.test(name));
  }

  /** Address of the style sheet in a dealer's colour, or without one. One file a colour. */
  styles(colour?: string): string {
    const key = colour?.slice(1).toLowerCase();
    const name = key === undefined ? 'site.css' : `site-${key}.css`;
    const known = this.#addresses.get(name);
    if (known !== undefined) return known;
    const brand = colour === undefined ? '' : brandCss(brandOf(colour));
    return this.#put(
      name,
      `${STYLES.map((file) => this.#css(file)).join('')}${paletteCss()}${brand}${this.#themeCss()}`,
    );
  }

  logo(dealer: { id: number; slug: string }): LogoView | undefined {
    const logo = this.#sources.logos.get(dealer.id);
    if (!logo) return undefined;
    const { bytes, extension, width, height } = logo;
    return { src: this.#put(`logo-${dealer.slug}${extension}`, bytes), width, height };
  }

  *files(): Iterable<SiteFile> {
    for (const [name, content] of this.#files) yield { file: `/assets/${name}`, content };
    yield { file: `/${EMBED_SCRIPT}`, content: this.#text(EMBED_SCRIPT) };
  }

  #themeCss(): string {
    return this.#sources.texts.has(THEME_STYLES) ? this.#css(THEME_STYLES) : '';
  }

  /** A style sheet whose addresses carry the hash of what they name. */
  #css(sheet: string): string {
    return this.#text(sheet).replace(CSS_ADDRESS, (whole, _, wanted: string) => {
      if (ELSEWHERE.test(wanted)) return whole;
      const address = this.#addresses.get(wanted.replace(/^\.\//, ''));
      if (address === undefined) throw new MissingAssetError(sheet, wanted);
      return `url(${address})`;
    });
  }

  #text(name: string): string {
    const text = this.#sources.texts.get(name);
    if (text === undefined) throw new Error(`There is no asset ${name}`);
    return text;
  }

  #put(name: string, content: string | Uint8Array): string {
    this.#files.set(name, content);
    const address = `${this.#base}/assets/${name}?v=${hash(content)}`;
    this.#addresses.set(name, address);
    return address;
  }
}
