/**
 * Adds vehicles to an existing Eleventy site with custom layouts. The plugin runs a complete build, with all
 * gates, in a separate folder. So the data passes the same checks as a generated site. If a gate stops the
 * build, Eleventy ends with its error.
 */
import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { readEnvironment } from '../config/environment.ts';
import { loadConfig } from '../config/load.ts';
import { ConfigError } from '../errors.ts';
import { entriesOf } from '../lib/files/entries-of.ts';
import { PLAIN } from '../lib/plain-issue.ts';
import { createConsole } from '../lib/terminal/progress.ts';
import type { BuiltSite } from '../publish/options/run-options.ts';
import { runAndReport } from '../publish/run-and-report.ts';
import { type EleventyConfig, fromWorkingFolder } from '../render/eleventy.ts';
import { NO_PAGES, vehicleMedia, withoutStack } from '../render/plugin.ts';
import { themeFolder } from '../render/theme/theme.ts';
import { siteAddress } from '../site/views/site-url.ts';

/** Names in the folder of the plugin. Names of temporary files begin with a dot. */
const OWN_NAME = /^(?:site|cache|build-report\.json|\..*)$/;

const optionsSchema = z.strictObject({
  config: z.string().min(1).default('site.config.ts'),
  /** A folder that only the plugin writes to. CI can keep it between runs. */
  folder: z
    .string()
    .refine((folder) => /^(?!\.\.)./.test(path.relative('', folder)), 'must be below the project')
    .refine(
      (folder) => entriesOf(folder).every(({ name }) => OWN_NAME.test(name)),
      'has other files',
    )
    .default('.vehicle-media'),
});

export type VehicleMediaOptions = z.input<typeof optionsSchema>;

/** @throws {ConfigError} an option is unknown or unusable. */
function readOptions(options: unknown): z.output<typeof optionsSchema> {
  const { data, error } = optionsSchema.safeParse(options, PLAIN);
  if (data) return data;
  throw new ConfigError({
    code: 'plugin-options',
    what: 'The options of the plugin vehicle-media-site/eleventy are not accepted.',
    why: error.issues.map((issue) => [...issue.path, issue.message].join(': ')).join('. '),
    fix: 'Correct them: docs/eleventy.md explains config and folder.',
  });
}

/** Folders to copy, with names of files in them. Excludes lists of files, because those pages are not published. */
const COPIED = { media: /./, assets: /./, 'api/records': /(?<!\.files)\.json$/ };

/** Ignored if eleventy-plugin-vite is used. It publishes only imported files, and `public` unchanged. */
const VITE = path.join('.11ty-vite', '**');

const terminal = createConsole({ stream: process.stdout, quiet: false });

/** Runs a build and returns its site. @throws the error of a failed build. */
async function buildSite(file: string, folder: string): Promise<BuiltSite> {
  let site: BuiltSite | undefined;
  const output = path.join(folder, 'site');
  const { error } = await runAndReport({
    file,
    env: readEnvironment(),
    reportFile: path.join(folder, 'build-report.json'),
    place: path.relative('', output),
    output,
    cacheDir: path.join(folder, 'cache'),
    console: terminal,
    fromPublished: true,
    onSite: (newSite) => {
      site = newSite;
    },
  });
  if (!site) throw error;
  return site;
}

/** Adds the vehicles. The entry describes it. */
export async function addVehicles(
  eleventyConfig: EleventyConfig,
  options: VehicleMediaOptions,
): Promise<void> {
  const { config, folder } = await withoutStack(() => readOptions(options));
  const file = path.resolve(config);
  const loaded = await withoutStack(() =>
    loadConfig({ file, keysFor: 'none', env: readEnvironment() }),
  );
  const { site, dealers } = loaded;
  const { base } = siteAddress(site.url);
  const { pathPrefix } = eleventyConfig;
  if (pathPrefix !== '/') {
    terminal.warn(
      `The pathPrefix "${pathPrefix}" of Eleventy is not part of the vehicles' addresses, so pictures and links can be wrong. Remove it, and publish the output at the root of its domain (docs/eleventy.md).`,
    );
  }
  const from = path.posix.join(folder, 'site');
  let vehicleSite: BuiltSite | undefined;
  let changed = 0;

  // Eleventy would make pages from HTML files of the folder and templates of the theme.
  eleventyConfig.ignores.add(`${folder}/**`);
  eleventyConfig.ignores.add(`${fromWorkingFolder(themeFolder(loaded))}/**`);
  eleventyConfig.watchIgnores.add(`${folder}/**`);
  vehicleMedia(eleventyConfig, {
    async read() {
      const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: 0 }));
      if (mtimeMs !== changed) vehicleSite = undefined;
      changed = mtimeMs;
      vehicleSite ??= await buildSite(file, path.resolve(folder));
      const { render, ...views } = vehicleSite;
      return { ...NO_PAGES, render, views: () => views };
    },
    watched: [config],
    // With --incremental, Eleventy then makes all pages, but copies no files.
    advice: `There are no vehicles until the next build. Save ${config} to start it. With --incremental, start Eleventy again.\n`,
  });
  // Runs after plugins that are added later. `addPlugin` would run it now.
  const plugin = async () => {
    const to = path.posix.join(eleventyConfig.ignores.has(VITE) ? 'public' : '', base);
    // Pictures for shared links are next to the built-in pages, which are not published.
    const cards = Object.fromEntries(dealers.map(({ slug }) => [slug, /\bcard\.jpg$/]));
    for (const [name, copied] of Object.entries({ ...COPIED, ...cards })) {
      // Eleventy checks only once whether a folder exists, which may be before the first successful build. The build
      // reports a folder that cannot be used.
      await mkdir(path.join(from, name), { recursive: true }).catch(() => {});
      eleventyConfig.addPassthroughCopy(
        { [`${from}/${name}`]: path.posix.join(to, name) },
        { filter: (file) => copied.test(file) },
      );
    }
  };
  eleventyConfig.plugins.push({ plugin, options: {} });
}
