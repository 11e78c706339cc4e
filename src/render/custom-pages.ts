import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { listFiles } from '../change-set/listing.ts';
import type { LoadedConfig } from '../config/load.ts';
import { localesOf } from '../config/site-schema.ts';
import { ConfigError, printable } from '../errors.ts';
import { firstOfSignals } from '../lib/abort.ts';
import { isSafeFile } from '../lib/files/safe-file.ts';
import { temporaryFolder } from '../lib/files/temporary-folder.ts';
import type { CustomPage } from '../site/custom-pages.ts';
import type { SitePlan } from '../site/plan/site-plan.ts';
import { isSameLanguage } from '../site/views/footer.ts';
import type { GeneratedFile, SiteView } from '../site/views/view.ts';
import { messagesOf } from './custom-page-errors.ts';
import {
  checkFolderNames,
  type EleventyConfig,
  type EleventyInstance,
  fromWorkingFolder,
  newEleventy,
} from './eleventy.ts';
import { keepLinks } from './kept-urls.ts';
import { NO_PAGES, vehicleMedia } from './plugin.ts';
import { pageRenderer } from './theme/page-renderer.ts';
import { TEMPLATES, type Theme } from './theme/theme.ts';

/** The custom pages of a site: an Eleventy project in `pages/`, next to the configuration of the site. */
export interface CustomPages {
  folder: string;
  /** The user's configuration of Eleventy. */
  configFile: string | undefined;
}

/** Maximum duration in milliseconds: a scheduled build must end. */
const TIMEOUT = 120_000;

/** The names that Eleventy uses, and one for TypeScript. */
const CONFIG_FILES = ['ts', 'js', 'mjs', 'cjs']
  .map((ending) => `eleventy.config.${ending}`)
  .concat('.eleventy.js');

/** Top-level folders that the program uses. */
const RESERVED = ['api', 'assets', 'embed', 'media', 'schema'];

/** The built-in layout of custom pages. A project can replace it. */
const LAYOUT = 'page.njk';

const PAGE = /^(?:[a-z0-9]+(?:-+[a-z0-9]+)*\/)+index\.html$/;

/** The folder of the custom pages of a site, and the files that can configure them. They need not exist. */
export function customPageFiles({ file }: Pick<LoadedConfig, 'file'>): string[] {
  const project = path.dirname(path.resolve(file));
  return [path.join(project, 'pages'), ...CONFIG_FILES.map((name) => path.join(project, name))];
}

/** The custom pages of a site. Undefined if it has none. @throws {ConfigError} Eleventy cannot read a folder. */
export function findCustomPages(config: Pick<LoadedConfig, 'file'>): CustomPages | undefined {
  const [folder = '', ...configFiles] = customPageFiles(config);
  const exists = existsSync(folder);
  checkFolderNames(exists ? folder : '');
  if (!exists) return undefined;
  return { folder, configFile: configFiles.find((file) => existsSync(file)) };
}

const pageError = (what: string, why: string, fix: string): ConfigError =>
  new ConfigError({ code: 'custom-pages-failed', what, why, fix });

/** @throws {ConfigError} the address of a custom page is reserved or not accepted. */
function checkAddress(
  file: string,
  template: string | undefined,
  { site, dealers }: LoadedConfig,
): void {
  const name = `/${printable(file)}${template === undefined ? '' : ` (${printable(template)})`}`;
  const isBelow = (folder: string) => `/${file}`.startsWith(`${folder}/`);
  const language = localesOf(site).findLast(({ folder }) => isBelow(folder))?.folder ?? '';
  const [, first = ''] = /^\/([^/]+)\//.exec(`/${file}`.slice(language.length)) ?? [];
  const reserved = [...RESERVED, ...dealers.map(({ slug }) => slug)];
  const isPage = file.endsWith('.html');
  if (reserved.includes(first)) {
    throw pageError(
      `The custom ${isPage ? 'page' : 'file'} ${name} has a reserved address.`,
      `Addresses below ${language}/${first}/ belong to the program or a dealer's vehicles.`,
      isPage ? 'Give the page another permalink.' : 'Put or copy the file into another folder.',
    );
  }
  if (isSafeFile(file) && (PAGE.test(file) || !isPage)) return;
  if (!isPage) {
    throw pageError(
      `The file ${name} of the custom pages has a name that is not accepted.`,
      'Not every file system and web server can store its name.',
      'Use letters, digits, dots, hyphens and underscores.',
    );
  }
  const page = { 'index.html': 'front', '404.html': '404' }[file];
  throw pageError(
    `The custom page ${name} has an address that is not accepted.`,
    'Pages have addresses such as /about/ or /about/team/: parts of lower-case letters, digits and hyphens.',
    `Give the page another permalink.${page ? ` To replace the default page, write theme/pages/${page}.njk (docs/theming.md#templates).` : ''}`,
  );
}

export interface ProjectOptions {
  config: LoadedConfig;
  plan: SitePlan;
  theme: Theme;
  /** As a project finds it in `ELEVENTY_RUN_MODE`, for example to leave out drafts. The default is a build. */
  runMode?: 'build' | 'watch';
  /** Watched files, to which the user's `addWatchTarget` adds. */
  watched?: string[];
  signal?: AbortSignal;
  /** Milliseconds. */
  timeout?: number;
}

/** The data of a page that is used here. */
type Page = CustomPage & { page: { url: string }; site?: SiteView };

/** Adds the data of the site, its layout and its templates to the user's Eleventy project. */
function configure(
  eleventyConfig: EleventyConfig,
  { config, plan, theme, watched }: ProjectOptions,
  output: string,
): void {
  const partials = theme.folder === undefined ? [TEMPLATES] : [theme.folder, TEMPLATES];
  const state = { ...NO_PAGES, views: plan.views, render: pageRenderer(plan.sites, theme) };
  vehicleMedia(eleventyConfig, { read: () => state, partials });
  const addComputed = (name: string, compute: (data: Page) => unknown) =>
    eleventyConfig.addGlobalData(`eleventyComputed.${name}`, () => compute);
  // After the user's configuration, which can set `eleventyComputed` and the folder of layouts.
  const addLate = ({ dir, directories }: EleventyConfig) => {
    const { includes, layouts = includes, data } = directories;
    // Plugins write files to this folder, and handlers often empty it. It would be the published site.
    dir.output = directories.output;
    // If the site has a path, Eleventy already uses it instead.
    if (eleventyConfig.pathPrefix !== plan.site.home) {
      throw new Error(
        'Remove pathPrefix from the configuration. site.url has the path of the site.',
      );
    }
    keepLinks(eleventyConfig, new URL(plan.site.home, config.site.url));
    const targets = [...eleventyConfig.additionalWatchTargets, includes, layouts, data];
    watched?.push(
      ...targets
        .map((target) => path.resolve(target))
        .filter((target) => !watched.includes(target)),
    );
    addComputed('page_', ({ title, description, lang, dealer, sitemap, page: { url } }) =>
      plan.customPage({ title, description, lang, dealer, sitemap, url }),
    );
    if (plan.sites.length > 1) {
      const isIn = (lang?: string) => (site: SiteView) => lang && isSameLanguage(site.lang, lang);
      addComputed('site', ({ lang }) => plan.sites.find(isIn(lang)) ?? plan.site);
      addComputed('words', ({ site }) => site?.words);
    }
    if (existsSync(path.join(layouts, LAYOUT))) return;
    const file = theme.templates.get(`layouts/${LAYOUT}`) ?? '';
    const relative = path.relative(layouts, file).split(path.sep).join('/');
    for (const name of [LAYOUT, 'page']) eleventyConfig.addLayoutAlias(name, relative);
  };
  eleventyConfig.addPlugin(addLate, {});
  // In development, files are read again.
  eleventyConfig.setUseTemplateCache(false);
  eleventyConfig.on('eleventy.engine.njk', ({ environment }) => {
    const { addFilter, opts } = environment;
    // A name without a value is an error, not a gap on a published page. `dev` keeps the causes of errors. The options
    // of the user's configuration would replace these if they were set there.
    Object.assign(opts, { throwOnUndefined: true, dev: true });
    // Eleventy does not await asynchronous filters: an error in one would end the program, and has no name.
    environment.addFilter = (name, filter, isAsync) => {
      const awaited: typeof filter = async function (...args) {
        const done = args.pop() as (error: unknown, value?: unknown) => void;
        const settle: typeof done = (cause, value) => {
          try {
            done(cause && new Error(`Error in Nunjucks Filter \`${name}\``, { cause }), value);
          } catch (error) {
            // The rest of the template runs in this call.
            done(error);
          }
        };
        await (async () => filter.apply(this, [...args, settle]))().catch(settle);
      };
      return addFilter.call(environment, name, isAsync ? awaited : filter, isAsync);
    };
  });
  eleventyConfig.addTransform('output-only', function (content) {
    const file = path.relative(output, this.page.outputPath || output);
    if (!file.startsWith('..')) return content;
    throw new Error(`The permalink of ${this.page.inputPath} leads out of the site.`);
  });
}

/**
 * After the error of a page, Eleventy does not wait for the files that it copies. They fail without their folder,
 * and an error that nothing awaits would end the program.
 */
function awaitCopies({ passthroughManager: manager }: EleventyInstance): void {
  const { copyPassthrough } = manager;
  manager.copyPassthrough = (passthrough) => {
    const copy = copyPassthrough.call(manager, passthrough);
    copy.catch(() => {});
    return copy;
  };
}

const abortOf = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });

/**
 * Runs the user's Eleventy project.
 *
 * @param output folder of its files, absolute.
 * @param adjust changes its configuration further. Then nothing is written.
 * @returns the template of each page by its path in the output, with slashes.
 * @throws {ConfigError} it fails or takes too long.
 */
export async function runProject(
  { folder, configFile }: CustomPages,
  options: ProjectOptions,
  output: string,
  adjust?: (eleventyConfig: EleventyConfig) => void,
): Promise<ReadonlyMap<string, string>> {
  const { config, plan, runMode, signal, timeout: limit = TIMEOUT } = options;
  const timeout = AbortSignal.timeout(limit);
  const stop = firstOfSignals(timeout, signal);
  const outputFolder = fromWorkingFolder(output);
  try {
    const eleventy = await newEleventy(fromWorkingFolder(folder), outputFolder, {
      configPath: configFile === undefined ? '' : fromWorkingFolder(configFile),
      pathPrefix: plan.site.home,
      runMode,
      dryRun: adjust !== undefined,
      config: (eleventyConfig) => {
        configure(eleventyConfig, options, output);
        adjust?.(eleventyConfig);
      },
    });
    // Otherwise `dir` of the user's configuration could lead it to the published site.
    eleventy.directories.freeze();
    stop.throwIfAborted();
    await Promise.race([eleventy.init(), abortOf(stop)]);
    awaitCopies(eleventy);
    const [, pages] = await Promise.race([eleventy.write(), abortOf(stop)]);
    const nameOf = (file: string) => path.relative(output, file).split(path.sep).join('/');
    return new Map(pages.map(({ outputPath, inputPath }) => [nameOf(outputPath), inputPath]));
  } catch (error) {
    signal?.throwIfAborted();
    const message = await messagesOf(error, config, outputFolder);
    const fix = message.includes('reading front matter')
      ? 'Correct the front matter. A text with a colon needs quotation marks.'
      : 'Correct the error. docs/extending.md has an example.';
    throw pageError(
      `The custom pages in ${printable(folder)} cannot be made.`,
      timeout.aborted ? `They took longer than ${limit / 1000} s.` : message,
      timeout.aborted
        ? 'If they wait for data, end slow requests earlier. If eleventy-img makes pictures, use smaller ones, or fewer formats and widths. The published site is unchanged.'
        : `${fix} The published site is unchanged.`,
    );
  }
}

/** The usual names of pictures that eleventy-img makes. It keeps existing files. */
const MADE_PICTURE = /\/[\w-]{10}-\d+\.\w+$/;

/**
 * Builds the custom pages with the user's Eleventy project, and returns their files.
 *
 * @param last files of the previous run, so that eleventy-img does not make its pictures again.
 * @throws {ConfigError} a page cannot be made, or has an address that is not accepted.
 */
export async function makeCustomPages(
  pages: CustomPages | undefined,
  options: ProjectOptions,
  last: readonly GeneratedFile[] = [],
): Promise<GeneratedFile[]> {
  if (!pages) return [];
  await using temporary = await temporaryFolder('custom-pages-');
  const output = temporary.path;
  for (const { file, content } of last) {
    if (!MADE_PICTURE.test(file)) continue;
    await mkdir(path.join(output, path.dirname(file)), { recursive: true });
    await writeFile(path.join(output, file), content);
  }
  const templates = await runProject(pages, options, output);
  const { files } = listFiles(output);
  return await Promise.all(
    files.sort().map(async (name) => {
      checkAddress(name, templates.get(name), options.config);
      return { file: `/${name}`, content: await readFile(path.join(output, name)) };
    }),
  );
}
