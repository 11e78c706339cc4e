/**
 * Composition root of the site: which pages exist, where their data comes from, where they go.
 * `npm run build` hands the finished model over; `npx eleventy --config=.eleventy.ts --serve`, for
 * people who change templates, makes it here.
 */

import { prepareForTemplates } from './src/publish/build/prepare.ts';
import type { EleventyConfig } from './src/render/eleventy.ts';
import { takePages } from './src/render/eleventy-bridge.ts';
import { guardOutput } from './src/render/planned-files.ts';
import { writeFiles } from './src/render/render.ts';
import type { SiteView } from './src/site/views/view.ts';

/**
 * What every template gets. Eleventy copies plain objects for each batch of pages and puts a proxy
 * around them for each look; an object of a class it leaves as it is.
 */
class SiteData {
  constructor(site: SiteView) {
    Object.assign(this, site);
  }
}

export default async function configure(eleventyConfig: EleventyConfig) {
  const { site, environment, pages, write, files, mediaFolder } =
    takePages() ?? (await prepareForTemplates());

  guardOutput(eleventyConfig, write);
  if (write) eleventyConfig.benchmarks.config.setIsVerbose(false);
  eleventyConfig.addGlobalData('site', () => new SiteData(site));
  // Layouts and partials are found by their names: a theme's before ours.
  eleventyConfig.setLibrary('njk', environment);
  // Layouts and partials are for including; without this they would be pages of their own.
  for (const folder of ['layouts', 'partials', 'assets']) {
    eleventyConfig.ignores.add(`templates/${folder}/**`);
  }
  eleventyConfig.setUseGitIgnore(false);
  eleventyConfig.addWatchTarget('templates/assets/*', { resetConfig: true });
  if (mediaFolder) eleventyConfig.addPassthroughCopy({ [mediaFolder]: 'media' });

  // All markup is in the layouts, which Nunjucks compiles once. Eleventy compiles the source of a
  // paginated template again for every page, and a permalink that is a string. Its own `layout`
  // would not find a theme's files, and is kept for the whole process, so it is not used.
  const byLayout = Map.groupBy(pages, ({ layout }) => layout);
  for (const [index, [template, planned]] of [...byLayout].entries()) {
    // Named by number: below layouts/ it would be ignored.
    const views = planned.map(({ view }) => view());
    // Eleventy's configuration is never let go of: what it names would stay in memory.
    eleventyConfig.on('eleventy.after', () => {
      views.length = 0;
    });
    eleventyConfig.addTemplate(`pages-${index}.njk`, `{% extends "${template}" %}`, {
      pages: views,
      pagination: { data: 'pages', size: 1, alias: 'page_' },
      permalink: ({ page_ }: { page_: { file: string } }) => page_.file,
    });
  }

  // What is no page needs no template engine.
  if (files) {
    eleventyConfig.on('eleventy.after', ({ directories }) =>
      writeFiles(files(), directories.output),
    );
  }

  return {
    // No output folder: what is named here would win over what a build asks for.
    dir: { input: 'templates', includes: '.' },
    templateFormats: ['njk'],
    htmlTemplateEngine: false,
    markdownTemplateEngine: false,
  };
}
