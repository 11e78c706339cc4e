import path from 'node:path';
import { IS_PUBLISHED, PACKAGE_ROOT } from '../../lib/own-package.ts';
import type { PlannedPage } from '../../site/plan/planned.ts';

export interface AfterEvent {
  directories: { output: string };
}

/** What a template's functions are given of its data here. */
export interface PageData {
  planned: PlannedPage;
}

/** A template that is code. */
export interface JavaScriptTemplate {
  data: Record<string, unknown> & { permalink: (data: PageData) => string };
  render(data: PageData): string;
}

/** The part of Eleventy that is used here; the package ships no usable types. */
export interface EleventyConfig {
  addGlobalData(name: string, data: unknown): void;
  globalData: Record<string, unknown>;
  /** What its own measurements of functions print. */
  benchmarks: { config: { setIsVerbose(verbose: boolean): void } };
  addPassthroughCopy(paths: Record<string, string>): void;
  addTemplate(name: string, content: JavaScriptTemplate): void;
  setUseGitIgnore(use: boolean): void;
  addWatchTarget(glob: string, options?: { resetConfig?: boolean }): void;
  on(event: 'eleventy.after', listener: (event: AfterEvent) => void): void;
}

export interface EleventyInstance {
  disableLogger(): void;
  /** Reads its configuration, and runs plugins. */
  init(): Promise<unknown>;
  write(): Promise<unknown>;
}

interface EleventyOptions {
  configPath: string;
  quietMode: boolean;
  dryRun: boolean;
  config: (eleventyConfig: EleventyConfig) => void | Promise<void>;
}

interface EleventyConstructor {
  new (input: string, output: string | undefined, options: EleventyOptions): EleventyInstance;
}

/** A file or folder of this program as Eleventy takes it: from the working directory on. */
export const eleventyPath = (name: string): string =>
  path.relative(process.cwd(), path.join(PACKAGE_ROOT, name)) || '.';

/** Eleventy's configuration of the site. */
export const SITE_CONFIG = IS_PUBLISHED ? '.eleventy.js' : '.eleventy.ts';

/** Loads Eleventy. Dynamic, because it takes 0.2 s that commands without pages need not pay. */
export async function loadEleventy(): Promise<EleventyConstructor> {
  // @ts-expect-error: Eleventy ships no usable types; the interfaces above are the part we use.
  const module = await import('@11ty/eleventy');
  return module.default as EleventyConstructor;
}
