/**
 * The site as an Eleventy project: the templates of `templates/pages/`, each for one kind of page.
 * `npm run build` passes the pages that it has planned; `npx eleventy --config=.eleventy.ts --serve`, for
 * people who change templates, plans them here.
 */

import { prepareForTemplates } from './src/publish/build/prepare.ts';
import { type EleventyConfig, eleventyPath } from './src/render/eleventy.ts';
import { passedPages, sitePages } from './src/render/pages-plugin.ts';
import { writePlannedFiles } from './src/render/render.ts';

export default async function configure(eleventyConfig: EleventyConfig) {
  const pages = passedPages(eleventyConfig) ?? (await prepareForTemplates());
  eleventyConfig.addPlugin(sitePages, pages);
  // Files that need no template.
  eleventyConfig.on('eleventy.after', ({ directories }) =>
    writePlannedFiles(pages.files?.() ?? [], directories.output),
  );
  return {
    // No output folder: it would win over the one that a build asks for.
    dir: { input: eleventyPath('templates/pages') },
    templateFormats: ['njk'],
  };
}
