import path from 'node:path';
import { ConfigError, printable } from '../errors.ts';
import { IS_PUBLISHED, PACKAGE_ROOT } from '../lib/own-package.ts';
import type { PageView } from '../site/views/view.ts';
import type { HtmlTransformer } from './kept-urls.ts';

interface RunEvent {
  runMode: 'build' | 'serve' | 'watch';
  directories: { output: string; data: string };
  outputMode: 'fs' | 'json' | 'ndjson';
  /** The written pages. Exists in `eleventy.after`. */
  results: readonly unknown[];
}

interface TemplateLanguage {
  key: string;
  compileOptions: { cache: boolean };
  compile(text: string, inputPath: string): (data: { page_: PageView }) => string;
}

/** A page among Eleventy's collections, with its data. */
export interface CollectionItem {
  /** URL below the site's. False for a page that is not written. */
  url: string | false;
  inputPath: string;
  data: {
    lang?: string;
    eleventyNavigation?: Partial<Record<'key' | 'title' | 'order' | 'parent' | 'url', unknown>>;
  };
}

export interface Collection {
  getAll(): CollectionItem[];
}

type Filter = (this: object, ...args: unknown[]) => unknown;

/** The part of Eleventy's Nunjucks environment that is used here. */
interface Nunjucks {
  loaders: { searchPaths?: string[] }[];
  opts: object;
  addFilter(name: string, filter: Filter, isAsync: boolean | undefined): unknown;
}

interface Transformed {
  page: { inputPath: string; outputPath: string };
}

/** The part of Eleventy's configuration that is used here. The package ships no usable types. */
export interface EleventyConfig {
  addGlobalData(name: string, data: unknown): void;
  globalData: Record<string, unknown>;
  pathPrefix: string;
  /** The folders of the project, once its configuration has run. */
  directories: { output: string; includes: string; layouts?: string; data: string };
  /** The folders as the configuration has them. */
  dir: { output: string };
  htmlTransformer: HtmlTransformer;
  ignores: Set<string>;
  watchIgnores: Set<string>;
  /** Prints the durations of functions. */
  benchmarks: { config: { setIsVerbose(verbose: boolean): void } };
  addCollection(name: string, make: (collection: Collection) => unknown[]): void;
  addExtension(name: string, language: TemplateLanguage): void;
  addLayoutAlias(name: string, file: string): void;
  addPassthroughCopy(
    paths: Readonly<Record<string, string>>,
    options?: { filter: (file: string) => boolean },
  ): void;
  addPlugin(plugin: (config: EleventyConfig, options: never) => void, options: object): void;
  /** All plugins, in the order in which Eleventy runs them. */
  plugins: { plugin: () => void; options: object }[];
  addShortcode(
    name: string,
    // biome-ignore lint/suspicious/noExplicitAny: a shortcode takes what templates give it.
    shortcode: (this: { page?: object }, ...args: any[]) => string | undefined,
  ): void;
  addTransform(name: string, transform: (this: Transformed, content: string) => string): void;
  setUseGitIgnore(use: boolean): void;
  setUseTemplateCache(use: boolean): void;
  setServerOptions(options: object): void;
  setChokidarConfig(options: object): void;
  addWatchTarget(glob: string): void;
  additionalWatchTargets: string[];
  on(event: 'eleventy.before' | 'eleventy.after', listener: (event: RunEvent) => unknown): void;
  on(event: 'eleventy.contentMap', listener: () => void): void;
  on(event: 'eleventy.engine.njk', listener: (event: { environment: Nunjucks }) => void): void;
}

export interface EleventyInstance {
  /** Frozen folders are not changed by a configuration. */
  directories: { freeze(): void };
  /** Exists after `init`. */
  passthroughManager: { copyPassthrough(passthrough: unknown): Promise<unknown> };
  /** @returns files that were copied, and pages that were written. */
  write(): Promise<[unknown, { inputPath: string; outputPath: string }[]]>;
  init(): Promise<void>;
  /** Runs now and after each change. @returns a function that starts a run for a changed file. */
  watch(): Promise<(file: string) => Promise<void>>;
  serve(port: number): Promise<void>;
  stopWatch(): Promise<void>;
}

export interface EleventyOptions {
  configPath: string;
  pathPrefix?: string;
  dryRun?: boolean;
  runMode?: RunEvent['runMode'];
  config: (eleventyConfig: EleventyConfig) => void | Promise<void>;
}

/** A path as Eleventy takes it: relative to the working directory. */
export const fromWorkingFolder = (file: string): string => path.relative('', file) || '.';

/** A file or folder of this program, as Eleventy takes it. */
export const eleventyPath = (name: string): string =>
  fromWorkingFolder(path.join(PACKAGE_ROOT, name));

/**
 * Checks the folders that Eleventy reads.
 *
 * @param pages folder of the custom pages.
 * @throws {ConfigError} with such a character in a path, Eleventy cannot load its modules or find pages.
 */
export function checkFolderNames(pages: string): void {
  const folders: [string, RegExp][] = [
    [process.cwd(), /[#%?*]/],
    [PACKAGE_ROOT, /[#%?*]/],
    // Eleventy uses this path as a pattern, and would make no pages.
    [fromWorkingFolder(pages), /[()[\]{}?*]/],
  ];
  for (const [folder, unusable] of folders) {
    const character = unusable.exec(folder)?.[0];
    if (character === undefined) continue;
    throw new ConfigError({
      code: 'folder-name',
      what: `The folder ${printable(folder)} has "${character}" in its path.`,
      why: 'Eleventy, which makes the pages, cannot read files there.',
      fix: 'Rename the folder. Brackets are accepted if you run the command in the folder of the configuration.',
    });
  }
}

/** Eleventy's configuration of the site. */
export const SITE_CONFIG = IS_PUBLISHED ? '.eleventy.js' : '.eleventy.ts';

/**
 * Loads Eleventy, which takes 0.2 s. Commands without pages do not load it. It prints nothing.
 *
 * @param output folder of the pages. Undefined if nothing is written.
 */
export async function newEleventy(
  input: string,
  output: string | undefined,
  { config, ...options }: EleventyOptions,
): Promise<EleventyInstance> {
  // @ts-expect-error: Eleventy ships no usable types. The interfaces above are the part we use.
  const { default: Eleventy } = await import('@11ty/eleventy');
  const eleventy = new Eleventy(input, output, {
    ...options,
    quietMode: true,
    config: (eleventyConfig: EleventyConfig) => {
      // On a busy machine, Eleventy would report slow transforms. No other setting stops these messages.
      eleventyConfig.benchmarks.config.setIsVerbose(false);
      return config(eleventyConfig);
    },
  });
  // Quiet mode still prints the number of written files.
  eleventy.disableLogger();
  return eleventy;
}
