/**
 * The site as an Eleventy project: global data of the stock, and one template for each kind of page in
 * `templates/pages/`. `npm run build` and `npm run dev` run it, and `npx eleventy --config=.eleventy.ts` alone
 * writes the same pages, unchecked.
 */

import { serverOptions } from './src/dev/server.ts';
import { isCardName } from './src/images/stores/cards.ts';
import { openSiteData } from './src/publish/build/site-data.ts';
import { type EleventyConfig, eleventyPath } from './src/render/eleventy.ts';
import { passedSite, sitePages, vehicleMedia } from './src/render/plugin.ts';
import { writePlannedFiles } from './src/render/render.ts';

export default async function configure(eleventyConfig: EleventyConfig) {
  const isServed = process.env.ELEVENTY_RUN_MODE === 'serve';

  // Global data: the data script fetches the stock of every dealer. A build passes what it has planned instead.
  const data = passedSite(eleventyConfig) ?? (await openSiteData());
  eleventyConfig.addPlugin(vehicleMedia, data);

  // Pages: each template paginates the pages of its kind, such as `pages.vehicle`.
  eleventyConfig.addPlugin(sitePages, { data, isServed });

  // `--serve` renders a page when it is asked for, so that a change is shown at once, and shows errors in its place.
  if (isServed) eleventyConfig.setServerOptions(serverOptions(data));
  else {
    // Files that need no template: thumbnails, style sheets, scripts, sitemaps, custom pages.
    if (data.mediaFolder) {
      // The cache keeps social cards beside the thumbnails.
      const filter = (file: string) => !isCardName(file);
      eleventyConfig.addPassthroughCopy({ [data.mediaFolder]: 'media' }, { filter });
    }
    eleventyConfig.on('eleventy.after', ({ directories }) =>
      writePlannedFiles(data.state?.files ?? [], directories.output, data.state?.cards),
    );
  }

  // The templates of an installed package are below node_modules.
  eleventyConfig.ignores.delete('**/node_modules/**');
  eleventyConfig.setUseGitIgnore(false);
  return {
    // No output folder: it would win over the one that a build asks for.
    dir: { input: eleventyPath('templates/pages') },
    templateFormats: ['njk'],
  };
}
