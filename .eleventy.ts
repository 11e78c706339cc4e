/**
 * The site as Eleventy has it: which pages exist, where their data comes from, where they go.
 * `npm run build` hands the planned pages over; `npx eleventy --config=.eleventy.ts --serve`, for
 * people who change templates, plans them here.
 */

import { prepareForTemplates } from './src/publish/build/prepare.ts';
import { takePages } from './src/render/eleventy/bridge.ts';
import { type EleventyConfig, eleventyPath } from './src/render/eleventy/eleventy.ts';
import { writePlannedFiles } from './src/render/render.ts';

export default async function configure(eleventyConfig: EleventyConfig) {
  const { pages, render, files, mediaFolder } =
    takePages(eleventyConfig) ?? (await prepareForTemplates());
  const planned = [...pages];

  // Eleventy finds out which pages there are and where they go; our own Nunjucks renders them, as it does
  // for `npm run dev`. So nothing depends on the engines that Eleventy brings.
  eleventyConfig.addTemplate('pages.11ty.js', {
    data: {
      pages: planned,
      pagination: { data: 'pages', size: 1, alias: 'planned' },
      permalink: (data) => data.planned.file,
    },
    render: (data) => render(data.planned),
  });
  eleventyConfig.setUseGitIgnore(false);
  eleventyConfig.addWatchTarget(`${eleventyPath('templates')}/**/*`, { resetConfig: true });
  if (mediaFolder) eleventyConfig.addPassthroughCopy({ [mediaFolder]: 'media' });
  eleventyConfig.on('eleventy.after', ({ directories }) => {
    // What is no page needs no template.
    if (files) writePlannedFiles(files(), directories.output);
    // A build runs Eleventy many times, and it never lets go of a configuration and what that names.
    else planned.length = 0;
  });

  return {
    // No output folder: what is named here would win over what a build asks for.
    dir: { input: eleventyPath('templates') },
    templateFormats: ['11ty.js'],
  };
}
