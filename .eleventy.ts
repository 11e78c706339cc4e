/**
 * The site as an Eleventy project: the stock as global data, and one template for each kind of page in
 * `templates/pages/`. `npm run build` and `npm run dev` use it. `npx eleventy --config=.eleventy.ts` writes the same
 * pages without checks.
 */

import { serverOptions } from './src/dev/server.ts';
import { isCardName } from './src/images/stores/cards.ts';
import { openSiteData } from './src/publish/build/site-data.ts';
import { type EleventyConfig, eleventyPath } from './src/render/eleventy.ts';
import { passedSite, sitePages, vehicleMedia } from './src/render/plugin.ts';
import { writePlannedFiles } from './src/render/render.ts';

export default async function configure(eleventyConfig: EleventyConfig) {
  const isServed = process.env.ELEVENTY_RUN_MODE === 'serve';

  // Global data: the data script fetches the stock of every dealer. A build passes its planned site instead.
  const data = passedSite(eleventyConfig) ?? (await openSiteData());
  eleventyConfig.addPlugin(vehicleMedia, data);

  // Pages: each template paginates the pages of its kind, such as `pages.vehicle`.
  eleventyConfig.addPlugin(sitePages, { data, isServed });

  // `--serve` renders each page on request, so that changes are visible immediately. Errors replace the page.
  if (isServed) eleventyConfig.setServerOptions(serverOptions(data));
  else {
    // Files that need no template: thumbnails, style sheets, scripts, sitemaps, custom pages.
    if (data.mediaFolder) {
      // The cache also has social cards next to the thumbnails.
      const filter = (file: string) => !isCardName(file);
      eleventyConfig.addPassthroughCopy({ [data.mediaFolder]: 'media' }, { filter });
    }
    eleventyConfig.on('eleventy.after', ({ directories, outputMode, results }) => {
      // With `--dryrun`, no page was written.
      const files = outputMode === 'fs' && results.length > 0 ? data.state?.files : undefined;
      return writePlannedFiles(files ?? [], directories.output, data.state?.cards);
    });
  }

  // Templates of an installed package are in node_modules.
  eleventyConfig.ignores.delete('**/node_modules/**');
  eleventyConfig.setUseGitIgnore(false);
  return {
    // No output folder, because it would override the folder that a build sets.
    dir: { input: eleventyPath('templates/pages') },
    templateFormats: ['njk'],
  };
}
