export interface AfterEvent {
  directories: { output: string };
}

/** The part of Eleventy that is used here; the package ships no usable types. */
export interface EleventyConfig {
  addGlobalData(name: string, data: () => unknown): void;
  addPassthroughCopy(paths: Record<string, string>): void;
  addTransform(
    name: string,
    transform: (content: string, outputPath: string | false) => string,
  ): void;
  addTemplate(name: string, content: unknown, data?: Record<string, unknown>): void;
  setLibrary(engine: 'njk', library: unknown): void;
  setUseGitIgnore(use: boolean): void;
  addWatchTarget(glob: string, options?: { resetConfig?: boolean }): void;
  on(event: 'eleventy.after', listener: (event: AfterEvent) => void): void;
  ignores: Set<string>;
  /** What its own measurements of our functions print. */
  benchmarks: { config: { setIsVerbose(verbose: boolean): void } };
  /** Folders in use; known once pages are rendered. */
  directories: { output: string };
}

export interface EleventyInstance {
  setIsVerbose(verbose: boolean): void;
  disableLogger(): void;
  write(): Promise<unknown>;
}

interface EleventyConstructor {
  new (
    input: string,
    output: string | undefined,
    options: { configPath: string; quietMode: boolean; dryRun: boolean },
  ): EleventyInstance;
}

/** Loads Eleventy. Dynamic, because it takes 0.2 s that commands without pages need not pay. */
export async function loadEleventy(): Promise<EleventyConstructor> {
  // @ts-expect-error: Eleventy ships no usable types; the interfaces above are the part we use.
  const module = await import('@11ty/eleventy');
  return module.default as EleventyConstructor;
}
