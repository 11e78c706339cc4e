/**
 * Composition root of the site: which pages exist, where their data comes from, where they go.
 * `npm run build` hands the finished model over; `npx eleventy --config=.eleventy.ts --serve`, for
 * people who change templates, makes it here.
 */
import type { EleventyConfig } from './src/publish/eleventy.ts';
import { guardOutput } from './src/publish/files.ts';
import { takeModel } from './src/publish/handover.ts';
import { prepareForTemplates } from './src/publish/prepare.ts';
import { robotsTxt } from './src/site/robots.ts';
import { sitemapXml } from './src/site/sitemap.ts';

export default async function configure(eleventyConfig: EleventyConfig) {
  const { model, mediaFolder } = takeModel() ?? (await prepareForTemplates());
  const { site, front, dealers, vehicles } = model;

  guardOutput(eleventyConfig);
  eleventyConfig.addGlobalData('site', () => site);
  eleventyConfig.setNunjucksEnvironmentOptions({ autoescape: true, throwOnUndefined: false });
  // Layouts and partials are for including; without this they would be pages of their own.
  for (const folder of ['layouts', 'partials'])
    eleventyConfig.ignores.add(`templates/${folder}/**`);
  eleventyConfig.setUseGitIgnore(false);
  eleventyConfig.addPassthroughCopy({ 'templates/assets': 'assets' });
  if (mediaFolder) eleventyConfig.addPassthroughCopy({ [mediaFolder]: 'media' });

  // All markup is in the layouts: Eleventy compiles the source of a paginated template, and a
  // permalink that is a string, again for every page.
  const paginated = (name: string, layout: string, pages: readonly { file: string }[]) => {
    eleventyConfig.addTemplate(`${name}.njk`, '', {
      layout: `layouts/${layout}.njk`,
      pages,
      pagination: { data: 'pages', size: 1, alias: 'page_' },
      permalink: ({ page_ }: { page_: { file: string } }) => page_.file,
    });
  };
  paginated('front', 'front', [front]);
  paginated('dealers', 'dealer', dealers);
  paginated(
    'vehicles',
    'vehicle',
    vehicles.filter(({ withdrawn }) => !withdrawn),
  );
  paginated(
    'withdrawn',
    'withdrawn',
    vehicles.filter(({ withdrawn }) => withdrawn),
  );
  eleventyConfig.addTemplate('404.njk', '', { layout: 'layouts/404.njk', permalink: '404.html' });

  const text = (name: string, content: string) => {
    eleventyConfig.addTemplate(
      `${name}.11ty.js`,
      { data: { permalink: name }, render: () => content },
      {},
    );
  };
  text('sitemap.xml', await sitemapXml(model.sitemap));
  text('robots.txt', robotsTxt(model.sitemap[0]?.url ?? ''));

  return {
    // No output folder: what is named here would win over what a build asks for.
    dir: { input: 'templates', includes: '.' },
    templateFormats: ['njk', '11ty.js'],
    htmlTemplateEngine: false,
    markdownTemplateEngine: false,
  };
}
