/**
 * The vehicles of an existing Eleventy site with its own layouts. The plugin runs a complete build, with all
 * its gates, into a separate folder: data of pages have passed the same checks as a site of ours, and if
 * nothing may be published, Eleventy ends with the reason.
 */
import path from 'node:path';
import { enginesOf } from '../config/engines.ts';
import { loadEnvironmentFile, processEnvironment } from '../config/environment.ts';
import { loadConfig } from '../config/load.ts';
import { createConsole } from '../lib/terminal/progress.ts';
import type { BuiltSite } from '../publish/options/run-options.ts';
import { runAndReport } from '../publish/outcome/run-and-report.ts';
import { runBuild } from '../publish/run.ts';
import type { EleventyConfig } from '../render/eleventy.ts';
import { NO_PAGES, vehicleMedia } from '../render/plugin.ts';
import type { SiteViews } from '../site/plan/site-wide-plan.ts';
import type { ListView } from '../site/views/list-types.ts';
import { siteAddress } from '../site/views/site-url.ts';
import type { SiteView, VehicleView } from '../site/views/view.ts';

export type { ListView, SiteView, SiteViews, VehicleView };

export interface VehicleMediaOptions {
  /** The configuration; default `site.config.ts`. */
  config?: string;
  /** A folder that only the plugin writes to; default `.vehicle-media`. A CI may keep it from run to run. */
  folder?: string;
}

/** Records of dealers, by which the next build decides. Lists of files are of pages that are not published. */
const RECORDS = 'api/records/!(*.files).json';

/** Follows the error of a build while Eleventy watches files. */
const ADVICE =
  'There are no vehicles until the next build. Save any file of the site to start it.\n';

/** Builds, and takes what was built. @throws nothing may be published. */
async function buildSite(configFile: string, folder: string): Promise<BuiltSite> {
  const env = processEnvironment();
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
  if (!site) throw error;
  return site;
}

/**
 * Adds to an existing Eleventy site what `.eleventy.ts` has too: global data, shortcodes and partials; and
 * copies thumbnails, style sheets, scripts and records.
 *
 * With `--serve`, vehicles stay as they were in the first build that succeeded.
 *
 * @throws {ConfigError} the configuration is wrong, when Eleventy loads its own.
 */
export default async function vehicleMediaPlugin(
  eleventyConfig: EleventyConfig,
  { config = 'site.config.ts', folder = '.vehicle-media' }: VehicleMediaOptions = {},
): Promise<void> {
  const env = processEnvironment();
  loadEnvironmentFile('.env', { env });
  const { site } = await loadConfig({ file: path.resolve(config), keysFor: 'none', env });
  const { base } = siteAddress(site.url);
  const from = path.posix.join(folder, 'site');
  let built: BuiltSite | undefined;

  // The folder holds HTML, which Eleventy would take for templates.
  eleventyConfig.ignores.add(`${folder}/**`);
  eleventyConfig.watchIgnores.add(`${folder}/**`);
  vehicleMedia(eleventyConfig, {
    async read() {
      built ??= await buildSite(path.resolve(config), path.resolve(folder));
      const { render, ...views } = built;
      return { ...NO_PAGES, render, views: () => views };
    },
    copied: {
      [`${from}/media`]: path.posix.join(base, 'media'),
      [`${from}/assets`]: path.posix.join(base, 'assets'),
      [`${from}/${RECORDS}`]: path.posix.join(base, 'api/records'),
    },
    advice: ADVICE,
  });
}
