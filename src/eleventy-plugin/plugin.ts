/**
 * The vehicles of a site that somebody makes with Eleventy and layouts of their own. The plugin runs a
 * whole build, with all that keeps it safe, into a folder of its own: what reaches the pages has passed
 * the same gates as a site of ours, and where it has not, Eleventy ends with the reason.
 */
import path from 'node:path';
import { enginesOf } from '../config/engines.ts';
import { loadEnvironmentFile, processEnvironment } from '../config/environment.ts';
import { loadConfig } from '../config/load.ts';
import { describeError } from '../errors.ts';
import { createConsole } from '../lib/terminal/progress.ts';
import type { BuiltSite } from '../publish/options/run-options.ts';
import { runAndReport } from '../publish/outcome/run-and-report.ts';
import { runBuild } from '../publish/run.ts';
import { TEMPLATES } from '../render/theme/theme.ts';
import type { ListView } from '../site/views/list-types.ts';
import { siteAddress } from '../site/views/site-url.ts';
import type { SiteView, VehicleView } from '../site/views/view.ts';
import type { UserEleventyConfig } from './eleventy-config.ts';

export type { ListView, SiteView, VehicleView };

export interface VehicleMediaOptions {
  /** The configuration; default `site.config.ts`. */
  config?: string;
  /** A folder that only the plugin writes to; default `.vehicle-media`. A CI may keep it from run to run. */
  folder?: string;
}

/** What templates have as `vehicleMedia`. */
export interface VehicleMedia {
  site: SiteView;
  /** The first page of each dealer's list, with its cards. */
  dealers: readonly ListView[];
  /** All vehicles that are there, those of one dealer beside each other. */
  vehicles: readonly VehicleView[];
}

/** Records of dealers: the next build remembers by them. Lists of files are of pages that are not published. */
const RECORDS = 'api/records/!(*.files).json';

/** What follows the error of a build while Eleventy watches files. */
const NO_VEHICLES =
  'There are no vehicles until the next build. Save any file of the site to start it.';

/** A fault that Eleventy prints as it is: where in this program it was thrown helps nobody. */
class VehicleMediaError extends Error {
  override name = 'VehicleMediaError';

  constructor(text: string) {
    super(text);
    this.stack = '';
  }
}

/** Builds, and takes what was built. @throws {VehicleMediaError} nothing may be published. */
async function buildSite(configFile: string, folder: string): Promise<BuiltSite> {
  const env = processEnvironment();
  loadEnvironmentFile('.env', { env });
  let site: BuiltSite | undefined;
  const output = path.join(folder, 'site');
  const console = createConsole({ stream: process.stdout, quiet: false });
  const { error } = await runAndReport({
    loadConfig: () => loadConfig({ file: configFile, keysFor: 'dealers', env }),
    readEngines: () => enginesOf(env),
    reportFile: path.join(folder, 'build-report.json'),
    place: path.relative('', output),
    summaryFile: undefined,
    console,
    run: (config, engines) =>
      runBuild({
        config,
        engines,
        output,
        cacheDir: path.join(folder, 'cache'),
        console,
        fromPublished: true,
        onSite: (built) => {
          site = built;
        },
      }),
  });
  if (!site) throw new VehicleMediaError(describeError(error));
  return site;
}

/**
 * Adds to a site of Eleventy's: global data `vehicleMedia`, thumbnails, style sheets and scripts, the
 * shortcodes `vehicleMediaHead` and `vehicleGallery` of a vehicle, and our partials for Nunjucks, such as
 * `{% from "partials/gallery.njk" import gallery %}`.
 *
 * With `--serve`, vehicles stay as they were in the first build that succeeded.
 *
 * @throws {ConfigError} the configuration is wrong, said when Eleventy loads its own.
 */
export default async function vehicleMedia(
  eleventyConfig: UserEleventyConfig,
  { config = 'site.config.ts', folder = '.vehicle-media' }: VehicleMediaOptions = {},
): Promise<void> {
  const env = processEnvironment();
  loadEnvironmentFile('.env', { env });
  const { site } = await loadConfig({ file: path.resolve(config), keysFor: 'none', env });
  const { base } = siteAddress(site.url);
  const built = path.posix.join(folder, 'site');
  let result: Promise<BuiltSite> | undefined;
  const start = () => {
    result ??= buildSite(path.resolve(config), path.resolve(folder));
    return result;
  };

  // What lies there is HTML: Eleventy would take it for templates.
  eleventyConfig.ignores.add(`${folder}/**`);
  eleventyConfig.watchIgnores.add(`${folder}/**`);
  for (const name of ['media', 'assets']) {
    eleventyConfig.addPassthroughCopy({ [`${built}/${name}`]: path.posix.join(base, name) });
  }
  eleventyConfig.addPassthroughCopy({
    [`${built}/${RECORDS}`]: path.posix.join(base, 'api/records'),
  });
  eleventyConfig.on('eleventy.before', async ({ runMode }) => {
    try {
      await start();
    } catch (error) {
      result = undefined;
      if (runMode === 'build') throw error;
      // An error in the first build would end Eleventy's watch. The next change of a file builds again.
      process.stderr.write(`${(error as Error).message}\n${NO_VEHICLES}\n`);
    }
  });
  eleventyConfig.addGlobalData('vehicleMedia', async (): Promise<Partial<VehicleMedia>> => {
    if (!result) return { dealers: [], vehicles: [] };
    const { site, dealers, vehicles } = await result;
    return { site, dealers, vehicles };
  });
  eleventyConfig.addAsyncShortcode('vehicleGallery', async (vehicle: VehicleView) => {
    const { render } = await start();
    const text = render({ layout: 'partials/gallery-alone.njk', view: () => vehicle });
    // Thumbnails are made already; this is how the transform of eleventy-img is told to leave them.
    return text.replaceAll('<img ', '<img eleventy:ignore ');
  });
  eleventyConfig.addShortcode('vehicleMediaHead', ({ css, scripts }: VehicleView) =>
    [
      `<link rel="stylesheet" href="${css}">`,
      ...scripts.map((script) => `<script defer src="${script}"></script>`),
    ].join('\n'),
  );
  // After the folders of the site's own: a partial of the same name there is the one that is taken.
  eleventyConfig.on('eleventy.engine.njk', ({ environment: { loaders } }) => {
    loaders.find(({ searchPaths }) => searchPaths !== undefined)?.searchPaths?.push(TEMPLATES);
  });
}
