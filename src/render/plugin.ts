import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describeError } from '../errors.ts';
import type { CardSources } from '../images/card/draw.ts';
import { entriesOf } from '../lib/files/entries-of.ts';
import type { PlannedFile, PlannedPage } from '../site/plan/planned.ts';
import type { SiteViews } from '../site/plan/site-wide-plan.ts';
import type { PageView, VehicleView } from '../site/views/view.ts';
import {
  type EleventyConfig,
  type EleventyInstance,
  type EleventyOptions,
  eleventyPath,
  newEleventy,
  SITE_CONFIG,
} from './eleventy.ts';
import { keepImages } from './kept-urls.ts';
import type { PageRenderer } from './theme/page-renderer.ts';
import { PAGES, TEMPLATES } from './theme/theme.ts';

/** A site in one run of Eleventy. */
export interface SiteState {
  /** The view models for templates. */
  views(): Partial<SiteViews>;
  /** Renders a built-in template, or the theme's replacement. */
  render: PageRenderer;
  /** The pages of a generated site. Other Eleventy projects with vehicles have none. */
  pages: readonly PlannedPage[];
  /** Files that no template renders. */
  files: readonly PlannedFile[];
  /** The sources of thumbnails for cards. A build draws cards. */
  cards?: CardSources;
  /** Path of the front page, such as `/` or `/cars/`. */
  home: string;
}

/** For Eleventy projects with custom pages only. */
export const NO_PAGES = { pages: [], files: [], home: '' };

/** The site, for all runs of Eleventy with one configuration. */
export interface SiteData {
  /** Reads the site for the next run. */
  read(runMode: string): SiteState | Promise<SiteState>;
  /** The site of this run. Undefined if it could not be read. */
  state?: SiteState;
  /** The error if it could not be read while Eleventy watches files. */
  problem?: unknown;
  /** Folder of the thumbnails. A build publishes them itself. */
  mediaFolder?: string;
  /** Folders with partials for Nunjucks. Folders of the Eleventy project come first. */
  partials?: readonly string[];
  /** Folders and files whose changes start another run. */
  watched?: readonly string[];
  /** Added to an error that is printed while Eleventy watches files. */
  advice?: string;
}

/** An error that Eleventy prints without a stack, because the place in this program does not help a user. */
const siteError = (message: string): Error => Object.assign(new Error(message), { stack: '' });

/** Runs `work`. Eleventy prints its error with the advice and without a stack. */
export async function withoutStack<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (problem) {
    throw siteError(describeError(problem));
  }
}

/** The error for global data of the project that Eleventy would mix with the data of the plugin. */
const nameTaken = (name: string, file = 'addGlobalData'): Error =>
  siteError(
    `The data "${name}" (${file}) has a name of the vehicle data: site, dealers, vehicles, words, assets. Rename it.`,
  );

/** Reads the site. Only builds throw errors, because Eleventy watches no files after an error in the first run. */
async function readSite(data: SiteData, runMode: string): Promise<void> {
  try {
    // A server shows the previous site until the next one is read.
    data.state = await data.read(runMode);
    data.problem = undefined;
  } catch (problem) {
    if (runMode === 'build') throw siteError(describeError(problem));
    data.state = undefined;
    data.problem = problem;
    if ((problem as Error).name === 'AbortError') return;
    process.stderr.write(`${describeError(problem)}\n${data.advice ?? ''}`);
  }
}

/**
 * The plugin of all Eleventy projects with vehicles: generated sites (`.eleventy.ts`), their custom pages, and
 * other sites (`vehicle-media-site/eleventy`). It adds the global data `site`, `dealers`, `vehicles`, `words`
 * and `assets`, the shortcodes `vehicleMediaHead` and `vehicleGallery`, partials and watch targets.
 */
export function vehicleMedia(eleventyConfig: EleventyConfig, data: SiteData): void {
  let views: Partial<SiteViews> = {};
  /** Number of galleries so far, by page. */
  let galleries = new WeakMap<object, number>();
  const ownData: Record<string, () => unknown> = {
    site: () => views.site,
    dealers: () => views.dealers,
    vehicles: () => views.vehicles,
    words: () => views.site?.words,
    assets: () => views.site?.assets,
  };
  const { globalData } = eleventyConfig;
  for (const [name, value] of Object.entries(ownData)) {
    if (name in globalData) throw nameTaken(name);
    // Frozen, because Eleventy copies other objects into the data of every page.
    ownData[name] = () => Object.freeze(value());
    eleventyConfig.addGlobalData(name, ownData[name]);
  }
  eleventyConfig.on('eleventy.before', async ({ runMode, directories }) => {
    const files = entriesOf(directories.data);
    for (const [name, value] of Object.entries(ownData)) {
      const file = files.find((entry) => path.parse(entry.name).name === name);
      if (file || globalData[name] !== value) throw nameTaken(name, file?.name);
    }
    galleries = new WeakMap();
    await readSite(data, runMode);
    views = data.state?.views() ?? { dealers: [], vehicles: [] };
  });

  const addShortcode = (
    name: string,
    textOf: (vehicle: VehicleView, page: object) => string | undefined,
  ) =>
    eleventyConfig.addShortcode(name, function (vehicle: VehicleView | undefined) {
      if (vehicle?.scripts) return textOf(vehicle, this.page ?? {});
      throw new Error(
        `It needs an entry of "vehicles", such as "vehicle" in {% for vehicle in vehicles %}.`,
      );
    });
  addShortcode('vehicleMediaHead', ({ css, scripts }) =>
    [
      `<link rel="stylesheet" href="${css}">`,
      ...scripts.map((script) => `<script defer src="${script}"></script>`),
    ].join('\n'),
  );
  const layout = data.partials ? 'layouts/gallery.njk' : 'layouts/gallery-alone.njk';
  // Further galleries of a page have ids with zeros, such as `03`. The icons are in its frame or in each gallery.
  const ids = data.partials ? /(?:\sid="|href="#)(?=\d)/g : /\sid="|href="#/g;
  addShortcode('vehicleGallery', (vehicle, page) => {
    const others = galleries.get(page) ?? 0;
    galleries.set(page, others + 1);
    const html = data.state?.render({ layout, view: () => vehicle });
    return html?.replace(ids, `$&${'0'.repeat(others)}`);
  });
  eleventyConfig.addPlugin((late) => keepImages(late, () => views.site?.home ?? '/'), {});
  // After the folders of the project, so that its partials replace built-in ones of the same name.
  eleventyConfig.on('eleventy.engine.njk', ({ environment: { loaders } }) => {
    const folders = data.partials ?? [TEMPLATES];
    loaders.find(({ searchPaths }) => searchPaths)?.searchPaths?.push(...folders);
  });
  for (const target of data.watched ?? []) eleventyConfig.addWatchTarget(target);
}

/** Name of the kind of page that a template in `pages/` makes. */
const kindOf = (template: string): string => template.replace(/^pages\/|\.njk$/g, '');

/** The views of pages, by the kind of page. */
function pagesByKind(pages: readonly PlannedPage[]): Readonly<Record<string, PageView[]>> {
  const byKind: Record<string, PageView[]> = {};
  for (const file of readdirSync(PAGES)) byKind[kindOf(file)] = [];
  for (const { layout, view } of pages) byKind[kindOf(layout)]?.push(view());
  return Object.freeze(byKind);
}

/**
 * The pages of a generated site: global data `pages` by kind, such as `pages.vehicle`, which the template of that name
 * paginates, and the language of these templates.
 */
export function sitePages(
  eleventyConfig: EleventyConfig,
  { data, isServed }: { data: SiteData; isServed: boolean },
): void {
  let byKind: ReturnType<typeof pagesByKind> = {};
  eleventyConfig.addGlobalData('pages', () => {
    // A server renders pages on request.
    byKind = pagesByKind((!isServed && data.state?.pages) || []);
    return byKind;
  });
  eleventyConfig.on('eleventy.after', () => {
    // A build runs Eleventy many times, which never frees a configuration.
    for (const views of Object.values(byKind)) views.length = 0;
  });
  // The built-in Nunjucks environment also works without Eleventy, and reports errors with file and line.
  eleventyConfig.addExtension('njk', {
    key: 'njk',
    // Eleventy never empties its cache of compiled templates.
    compileOptions: { cache: false },
    compile: (_, inputPath) => {
      const layout = `pages/${path.basename(inputPath)}`;
      return ({ page_ }) => data.state?.render({ layout, view: () => page_ }) ?? '';
    },
  });
}

/** Name of the global data with the site that a build or `npm run dev` passes to `.eleventy.ts`. */
const PASSED = 'passed site';

/**
 * Eleventy with `.eleventy.ts` and a site.
 *
 * @param output its folder, as Eleventy takes it. Undefined if nothing is written.
 * @param adjust changes the configuration further.
 */
export function siteEleventy(
  data: SiteData,
  output: string | undefined,
  runMode: EleventyOptions['runMode'],
  adjust: (eleventyConfig: EleventyConfig) => void,
): Promise<EleventyInstance> {
  return newEleventy(eleventyPath('templates/pages'), output, {
    configPath: eleventyPath(SITE_CONFIG),
    runMode,
    // This runs before `.eleventy.ts`.
    config: (eleventyConfig) => {
      eleventyConfig.addGlobalData(PASSED, data);
      adjust(eleventyConfig);
    },
  });
}

/** The site that was passed. Undefined if Eleventy was started by its own command. */
export function passedSite({ globalData }: EleventyConfig): SiteData | undefined {
  const data = globalData[PASSED] as SiteData | undefined;
  // Otherwise Eleventy would copy it into the data of every page.
  delete globalData[PASSED];
  return data;
}
