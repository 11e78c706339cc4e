import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { PlannedFile, PlannedPage } from '../site/plan/planned.ts';
import type { PageView } from '../site/views/view.ts';
import { type EleventyConfig, eleventyPath } from './eleventy.ts';
import type { PageRenderer } from './page-renderer.ts';
import { PAGES } from './theme/theme.ts';

/** The pages of a site, or those that a build makes in one run of Eleventy. */
export interface SitePages {
  pages: readonly PlannedPage[];
  /** Renders a page by its template, or by the theme's in its place. */
  render: PageRenderer;
  /** Called before each file is written, with its path as Eleventy has it. @throws it must not be. */
  beforeWrite?: (file: string) => void;
  /** Files that no template renders; a build writes them itself. */
  files?: () => readonly PlannedFile[];
  /** Folder of the thumbnails, if Eleventy is to copy them. */
  mediaFolder?: string;
}

/** Name among Eleventy's data, for pages that a build passes to `.eleventy.ts`. */
const PASSED = 'passed pages';

/** Passes pages to `.eleventy.ts`, as Eleventy's option `config`, which gets the same configuration before it. */
export const passPages =
  (pages: SitePages) =>
  (eleventyConfig: EleventyConfig): void => {
    eleventyConfig.addGlobalData(PASSED, pages);
    // On a busy machine Eleventy prints that transforms take long, by a logger that nothing else stops.
    eleventyConfig.benchmarks.config.setIsVerbose(false);
  };

/** The pages that a build passed; undefined if Eleventy was started by its own command. */
export function passedPages({ globalData }: EleventyConfig): SitePages | undefined {
  const pages = globalData[PASSED] as SitePages | undefined;
  // Otherwise Eleventy would copy it into the data of every page.
  delete globalData[PASSED];
  return pages;
}

/** Name of the kind of page that a template in `pages/` makes. */
const kindOf = (template: string): string => template.replace(/^pages\/|\.njk$/g, '');

/** Adds the site's pages to Eleventy: global data `pages` by kind, and the language of their templates. */
export function sitePages(
  eleventyConfig: EleventyConfig,
  { pages, render, beforeWrite, mediaFolder }: SitePages,
): void {
  const byKind: Record<string, PageView[]> = {};
  for (const file of readdirSync(PAGES)) byKind[kindOf(file)] = [];
  for (const { layout, view } of pages) {
    byKind[kindOf(layout)]?.push(view());
  }
  // Frozen, because Eleventy copies other objects into the data of every page.
  eleventyConfig.addGlobalData('pages', Object.freeze(byKind));

  // Our own Nunjucks: it renders templates without Eleventy, too, and reports errors with file and line.
  eleventyConfig.addExtension('njk', {
    key: 'njk',
    // Eleventy never empties its cache of compiled templates.
    compileOptions: { cache: false },
    compile: (_, inputPath) => {
      const layout = `pages/${path.basename(inputPath)}`;
      return ({ page_ }) => render({ layout, view: () => page_ });
    },
  });
  eleventyConfig.addTransform('before-write', function (content) {
    beforeWrite?.(this.page.outputPath);
    return content;
  });
  if (mediaFolder) eleventyConfig.addPassthroughCopy({ [mediaFolder]: 'media' });

  eleventyConfig.setUseGitIgnore(false);
  // The templates of an installed package are there.
  eleventyConfig.ignores.delete('**/node_modules/**');
  eleventyConfig.addWatchTarget(`${eleventyPath('templates')}/**/*`, { resetConfig: true });
  eleventyConfig.on('eleventy.after', () => {
    // A build runs Eleventy many times, which never frees a configuration.
    for (const views of Object.values(byKind)) views.length = 0;
  });
}
