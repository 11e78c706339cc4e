import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { cacheFolder, configFile, readEnvironment } from '../../config/environment.ts';
import { type LoadedConfig, loadConfig } from '../../config/load.ts';
import { SecretSearch, secretsOf } from '../../config/secret-search.ts';
import { describeError } from '../../errors.ts';
import { thumbnailsIn } from '../../images/stores/folder.ts';
import { lockFolderSoon } from '../../lib/files/folder-lock.ts';
import { type Console, createConsole } from '../../lib/terminal/progress.ts';
import { logoFiles } from '../../render/asset-sources.ts';
import { customPageFiles, makeCustomPages } from '../../render/custom-pages.ts';
import { fontFile } from '../../render/font.ts';
import { legalFiles } from '../../render/legal-texts.ts';
import { PlannedPaths } from '../../render/planned-paths.ts';
import type { SiteData, SiteState } from '../../render/plugin.ts';
import { pageRenderer } from '../../render/theme/page-renderer.ts';
import { TEMPLATES, themeFolder } from '../../render/theme/theme.ts';
import { readUserFiles } from '../../render/user-files.ts';
import { type Control, controlFile, shownVehicles } from '../../stock/control.ts';
import type { DealerStock } from '../../stock/dealer-stock.ts';
import { LIST_MAX_AGE, loadList } from '../../stock/list.ts';
import { loadStock } from '../../stock/load.ts';
import { plateNames } from '../../stock/plate-names.ts';
import { listPath } from '../../stock/source.ts';
import { claimCache } from '../folder-checks/check.ts';
import { checkNotAllRefused } from '../gates/gates.ts';
import { BuildMemory } from '../memory/memory.ts';
import { partsOf, planOf, prepareSite, withNavigation } from './prepare.ts';

export interface SiteDataOptions {
  /** Reads the configuration, before the first and each further run. */
  load: () => Promise<LoadedConfig>;
  cacheDir: string;
  console: Console;
  signal?: AbortSignal;
}

/** Options for `npx eleventy`: the default configuration, and only warnings. */
function usualOptions(): SiteDataOptions {
  const place = { cwd: '', env: readEnvironment() };
  return {
    load: () =>
      loadConfig({ file: configFile({}, place), keysFor: 'dealers', env: readEnvironment() }),
    cacheDir: cacheFolder({}, place),
    console: createConsole({ stream: process.stderr, quiet: true }),
  };
}

/**
 * Loads stock and pictures. Requests GetMediaByDealer for each dealer at most once an hour, and uses the snapshot
 * if the response is not accepted. Makes all pictures as in a build.
 */
async function prepare(config: LoadedConfig, { cacheDir, console, signal }: SiteDataOptions) {
  const now = Date.now();
  const userFiles = await readUserFiles(config);
  // Builds write to the same files.
  using _cache = await lockFolderSoon(cacheDir, {
    signal,
    onWait: () =>
      console.warn(
        `A build is running with ${cacheDir}. Waiting until it has ended. Press Ctrl-C to stop.`,
      ),
  });
  const memory = new BuildMemory(config, { cacheDir, now });
  const stock = await loadStock({
    config,
    control: userFiles.control,
    cacheDir,
    now,
    signal,
    maxAge: '1h',
    memory: (dealer) => memory.of(dealer),
  });
  // Otherwise an interrupted request would be reported as a fault of the service.
  signal?.throwIfAborted();
  checkNotAllRefused(stock);
  for (const { dealer, problem } of stock) {
    if (problem) console.warn(`${dealer.name}: ${describeError(problem)}`);
  }
  const { media } = await prepareSite(config, stock, {
    cacheDir,
    now,
    userFiles,
    signal,
    pictures: memory.pictures(stock, SecretSearch.of(secretsOf(config))),
    onProgress: ({ done, total }) => {
      if (total > 0) console.progress(`Pictures: ${done} of ${total}`, done / total);
    },
  });
  console.finish();
  return { config, keys: keysOf(config), stock, media };
}

/** The keys of a configuration, for comparisons, which ignore private values. */
const keysOf = (config: LoadedConfig) => secretsOf(config).map((secret) => secret.forms());

/** The stock with the current lists and vehicles.csv. @throws a list is unusable. */
function withLists(
  stock: readonly DealerStock[],
  config: LoadedConfig,
  control: Control,
  { cacheDir, signal }: Pick<SiteDataOptions, 'cacheDir' | 'signal'>,
): Promise<DealerStock[]> {
  const nameOf = plateNames(config);
  return Promise.all(
    stock.map(async (one) => {
      // Vehicles and pictures that are no longer hidden appear when the site is prepared again.
      const vehicles = shownVehicles(one.vehicles, control);
      const list = await loadList(one.dealer, {
        config,
        cacheDir,
        maxAge: LIST_MAX_AGE,
        signal,
        nameOf,
        vehicles,
        last: undefined,
        now: Date.now(),
        acceptLoss: [],
      });
      if (list?.problem) throw list.problem;
      return { ...one, vehicles, list };
    }),
  );
}

/** Files and folders to watch, because pages depend on them. Some may not exist. */
const filesOf = (config: LoadedConfig): string[] => [
  TEMPLATES,
  themeFolder(config),
  config.file,
  path.resolve('.env'),
  controlFile(config),
  ...config.dealers.flatMap(({ stock }) =>
    stock ? (listPath(stock.file, config.file) ?? []) : [],
  ),
  ...legalFiles(config),
  ...logoFiles(config),
  ...[fontFile(config)].filter((file) => file !== undefined),
  ...customPageFiles(config),
];

/**
 * The data script of `.eleventy.ts`. Nothing is verified or published here. The global data of a run are:
 *
 * - `site`, `words`, `assets`: from configuration, texts and theme, read again for each run
 * - `dealers`, `vehicles`: from the service, snapshots and stock lists, with their pictures
 * - `pages`: the views of all pages
 *
 * @throws the error of a configuration or of a cache folder that cannot be used.
 */
export async function openSiteData(options = usualOptions()): Promise<SiteData> {
  const { load, console, signal } = options;
  const first = await load();
  claimCache(options.cacheDir, first);
  const watched = filesOf(first);
  let prepared: Awaited<ReturnType<typeof prepare>> | undefined;
  let custom: Awaited<ReturnType<typeof makeCustomPages>> = [];

  const readState = async (runMode: string): Promise<SiteState> => {
    const config = await load();
    const { config: last, keys } = prepared ?? {};
    if (!prepared || !isDeepStrictEqual([config, keysOf(config)], [last, keys])) {
      if (prepared) console.line('The configuration changed: the site is prepared again.');
      // Before preparation, which may fail because of one of these files.
      watched.splice(0, watched.length, ...filesOf(config));
      prepared = await prepare(config, options);
    }
    const project = { runMode: runMode === 'build' ? 'build' : 'watch', watched, signal } as const;
    const userFiles = await withNavigation(config, await readUserFiles(config), project);
    const { media } = prepared;
    const stock = await withLists(prepared.stock, config, userFiles.control, options);
    const plan = planOf(config, stock, userFiles, media);
    const { theme } = userFiles;
    const projectOptions = { config, plan, theme, ...project };
    custom = await makeCustomPages(userFiles.customPages, projectOptions, custom);
    const parts = partsOf(plan, custom);
    const pages = parts.flatMap((part) => part.pages);
    const files = parts.flatMap((part) => part.files);
    // Eleventy writes to any path that a page names, including `../..`.
    const paths = new PlannedPaths();
    for (const { file } of [...pages, ...files]) paths.add(file);
    const render = pageRenderer(plan.sites, theme);
    // A server renders one page at a time. Making all views would delay every change.
    const views = runMode === 'serve' ? () => ({ site: plan.site }) : plan.views;
    const cards = { folder: media.folder, media: config.media, signal };
    return { views, render, pages, files, cards, home: plan.site.home };
  };

  return { read: readState, watched, mediaFolder: thumbnailsIn(options.cacheDir) };
}
