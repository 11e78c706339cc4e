/** The documentation as a site: `npm run docs`, with `-- --serve` while you edit. The result is in .docs/. */
import { globSync, readdirSync, readFileSync } from 'node:fs';
import * as pagefind from 'pagefind';
import { createMarkdown, rootOf } from './markdown.ts';
import { SECTIONS, urlOf } from './sections.ts';

interface Data {
  page: { inputPath: string };
}

/** The part of Eleventy's configuration that this file uses. The package has no usable types. */
interface Config {
  ignores: Set<string>;
  addPassthroughCopy(paths: Record<string, string>): void;
  addGlobalData(name: string, value: unknown): void;
  addWatchTarget(path: string): void;
  setLibrary(language: string, library: unknown): void;
  on(event: string, listener: (event: { directories: { output: string } }) => unknown): void;
}

const pageOf = ({ page }: Data): string => page.inputPath.replace(/^\.\//, '').replace(/\.md$/, '');
const titleOf = (page: string): string =>
  /^# (.+)$/m.exec(readFileSync(`${page}.md`, 'utf8'))?.[1]?.replaceAll('`', '') ?? page;

/** @throws Error for a page without a section, or a missing page in a section. */
function navigation(): { title: string; pages: { title: string; url: string }[] }[] {
  const listedPages = SECTIONS.flatMap(({ pages }) => pages);
  const missing = globSync('docs/**/*.md')
    .map((file) => file.slice(0, -3))
    .filter((page) => !listedPages.includes(page));
  if (missing.length > 0) throw new Error(`Add to scripts/docs/sections.ts: ${missing.join(', ')}`);
  return SECTIONS.map(({ title, pages }) => ({
    title,
    pages: pages.map((page) => ({ title: titleOf(page), url: urlOf(page) })),
  }));
}

export default function docs(config: Config): object {
  // Markdown in other folders belongs to tests, templates and new projects.
  for (const entry of readdirSync('.', { withFileTypes: true })) {
    if (entry.isDirectory() && entry.name !== 'docs') config.ignores.add(`./${entry.name}/**`);
  }
  config.setLibrary('md', createMarkdown());
  config.addPassthroughCopy({
    'docs/images': 'images',
    'docs/schema': 'schema',
    'scripts/docs/docs.css': 'docs.css',
  });
  config.addWatchTarget('scripts/docs/');
  config.addGlobalData('layout', 'layout.njk');
  config.addGlobalData('navigation', navigation);
  config.addGlobalData('eleventyComputed', {
    title: (data: Data) => titleOf(pageOf(data)),
    root: (data: Data) => rootOf(pageOf(data)) || './',
    url: (data: Data) => urlOf(pageOf(data)),
    permalink: (data: Data) => `/${urlOf(pageOf(data))}index.html`,
  });
  config.on('eleventy.after', async ({ directories }) => {
    const { index, errors } = await pagefind.createIndex();
    if (!index) throw new Error(errors.join('\n'));
    await index.addDirectory({ path: directories.output });
    await index.writeFiles({ outputPath: `${directories.output}/pagefind` });
    await pagefind.close();
  });
  return {
    // Values such as {{ page_ }} in code are not templates.
    markdownTemplateEngine: false,
    templateFormats: ['md'],
    dir: { input: '.', includes: 'scripts/docs', output: '.docs' },
  };
}
