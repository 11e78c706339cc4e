import type { ListView } from './views/list-types.ts';
import type { SiteView, VehicleView } from './views/view.ts';

export type { ListView, SiteView, VehicleView };

/** The part of the configuration that an extension gets: without keys, names of keys and accounts. */
export interface ExtensionConfig {
  readonly site: {
    readonly title: string;
    readonly url: string;
    readonly locale: string;
    readonly timeZone: string;
  };
  readonly dealers: readonly {
    readonly id: number;
    readonly name: string;
    readonly slug: string;
  }[];
}

export interface DataInput {
  config: ExtensionConfig;
  /** Aborted when the build is interrupted, or takes too long: hand it to `fetch`. */
  signal: AbortSignal;
}

export interface PagesInput<Data> {
  site: SiteView;
  /** The first page of each dealer's list. */
  dealers: readonly ListView[];
  /** All vehicles in stock, without withdrawn ones. */
  vehicles: readonly VehicleView[];
  /** What `data` gave; an empty object without it. */
  data: Data;
}

/** One page of one's own. */
export interface OwnPage {
  /** Address below the site's, such as `/about/`: one or two parts of `a-z`, `0-9` and hyphens. */
  path: string;
  /** A template of the theme, such as `pages/about.njk`. */
  template: string;
  title: string;
  description: string;
  /** Slug of the dealer whose colour, name and logo the page has; without it, those of the site. */
  dealer?: string | undefined;
  /** `page_.data` of the template: plain JSON. */
  data?: object | undefined;
  /** Whether the page is in the sitemap; if not, search engines are asked to leave it out, too. */
  sitemap?: boolean | undefined;
}

/** What a function that templates call has as `this`. */
export interface CalledFrom {
  /** What the template that calls it was given: `site`, `page_`, and names that it has set itself. */
  readonly ctx: Readonly<Record<string, unknown>>;
}

type Called = (this: CalledFrom, ...args: never[]) => unknown;

/**
 * What of Eleventy's configuration the hook of an extension can use; see
 * https://www.11ty.dev/docs/config/. All other methods are refused, because pages are made without them.
 */
export interface EleventyHookConfig {
  /** `{{ value | name(…) }}`. */
  addFilter(name: string, filter: Called): void;
  /** `{% name … %}`. What it gives is markup. */
  addShortcode(name: string, shortcode: Called): void;
  /** `{% name … %}text{% endname %}`: the text is what it is given first. */
  addPairedShortcode(name: string, shortcode: Called): void;
  /** `{{ name }}` in every template. */
  addNunjucksGlobal(name: string, value: unknown): void;
  addPlugin(
    plugin: ((config: never, options: never) => unknown) | { configFunction: unknown },
    options?: object,
  ): unknown;
  /** A filter that was added, or that Eleventy brings, such as `slugify`. */
  getFilter(name: string): (...args: unknown[]) => unknown;
}

/** What a file named by `site.extend` exports by default. */
export interface Extension<Data extends object = object> {
  /** Fetches or reads what pages need. Plain JSON; every template has it as `site.data`. */
  data?(input: DataInput): Data | Promise<Data>;
  /** Pages of one's own, from what is known. */
  pages?(input: PagesInput<Data>): readonly OwnPage[];
  /** Adds filters, shortcodes and plugins, which all templates of the site and of its theme can call. */
  eleventy?(config: EleventyHookConfig): void | Promise<void>;
  /** Files that `npm run dev` watches; relative paths count from the extension. */
  watch?: readonly string[];
}

/** Gives an extension its types and completions; returns what it was given. */
export function defineExtension<Data extends object = Record<string, never>>(
  extension: Extension<Data>,
): Extension<Data> {
  return extension;
}
