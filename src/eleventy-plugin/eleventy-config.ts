/** The part of a user's Eleventy configuration that the plugin uses; the package ships no usable types. */
export interface UserEleventyConfig {
  ignores: Set<string>;
  watchIgnores: Set<string>;
  addPassthroughCopy(paths: Record<string, string>): void;
  addGlobalData(name: string, data: unknown): void;
  // biome-ignore lint/suspicious/noExplicitAny: a shortcode takes what templates give it.
  addShortcode(name: string, shortcode: (...args: any[]) => string): void;
  // biome-ignore lint/suspicious/noExplicitAny: a shortcode takes what templates give it.
  addAsyncShortcode(name: string, shortcode: (...args: any[]) => Promise<string>): void;
  on(event: 'eleventy.before', listener: (event: BuildEvent) => Promise<void>): void;
  on(event: 'eleventy.engine.njk', listener: (event: NunjucksEvent) => void): void;
}

interface BuildEvent {
  runMode: 'build' | 'serve' | 'watch';
}

interface NunjucksEvent {
  /** The folders that a loader of files looks in, in turn. */
  environment: { loaders: { searchPaths?: string[] }[] };
}
