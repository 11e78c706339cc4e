import path from 'node:path';
import type { LoadedConfig } from '../config/load.ts';
import { describeError } from '../errors.ts';
import { lockFolderSoon } from '../lib/files/folder-lock.ts';
import type { Console } from '../lib/terminal/progress.ts';
import { type PreparedSite, prepareSite, stockForTemplates } from '../publish/build/prepare.ts';
import { claimCache } from '../publish/folder-checks/check.ts';
import { customPageFiles } from '../render/custom-pages.ts';
import { fontFile } from '../render/font.ts';
import { legalFiles } from '../render/legal-texts.ts';
import { readOwnFiles } from '../render/own-files.ts';
import { TEMPLATES, watchedTheme } from '../render/theme/theme.ts';
import { siteAddress } from '../site/views/site-url.ts';
import { controlFile } from '../stock/control.ts';
import type { DealerStock } from '../stock/load.ts';
import type { DevServer } from './server.ts';
import { readDevSite } from './site.ts';
import { watchFiles } from './watch.ts';

/** Waits for the other files of one save, in milliseconds. */
const TOGETHER = 20;

export interface DevOptions {
  config: LoadedConfig;
  cacheDir: string;
  server: DevServer;
  console: Console;
  signal: AbortSignal;
  /** Reads the configuration again when its file changes; without it, a change has no effect. */
  reload?: () => Promise<LoadedConfig>;
}

/** State that is reused from one change to the next. */
interface DevState {
  config: LoadedConfig;
  stock: DealerStock[];
  prepared: PreparedSite;
}

/** Vehicles and pictures: as of the last hour, or the last good answer. */
async function prepare(config: LoadedConfig, options: DevOptions): Promise<DevState> {
  const { cacheDir, server, console, signal } = options;
  const now = Date.now();
  await claimCache(cacheDir, config);
  const own = await readOwnFiles(config, { signal });
  // Answers and pictures are noted in files that a build writes, too; whoever came second would take
  // away from the pages of the first what that one had made.
  using _cache = await lockFolderSoon(cacheDir, {
    signal,
    onWait: () =>
      console.line(`A build is running with ${cacheDir}; waiting until it has ended. Ctrl-C ends.`),
  });
  const { stock, pictures } = await stockForTemplates(config, {
    cacheDir,
    control: own.control,
    now,
    signal,
  });
  for (const { dealer, problem } of stock) {
    if (problem) console.warn(`${dealer.name}: ${problem.message}`);
  }
  const prepared = await prepareSite(config, stock, {
    cacheDir,
    now,
    own,
    pictures,
    signal,
    onProgress: ({ done, total }) => {
      if (total > 0) console.progress(`Pictures: ${done} of ${total}`, done / total);
    },
  });
  console.finish();
  server.place({ base: siteAddress(config.site.url).base, mediaFolder: prepared.media.folder });
  return { config, stock, prepared };
}

/** Files and folders that a change of is shown. */
function watchedPaths({ config }: DevState): string[] {
  const lists = config.dealers.flatMap(({ stock }) =>
    stock ? [path.resolve(path.dirname(config.file), stock.file)] : [],
  );
  return [
    TEMPLATES,
    watchedTheme(config),
    config.file,
    controlFile(config),
    ...lists,
    ...legalFiles(config),
    ...[fontFile(config)].filter((file) => file !== undefined),
    ...customPageFiles(config),
  ];
}

/**
 * Prepares vehicles and pictures, then shows the site as its templates, assets, words, lists and
 * custom pages are, until `signal` ends it. A changed configuration prepares it again. Answers of the
 * last hour are used again; where the service cannot be reached, the last good answer stands in.
 *
 * @throws any error while the site is first prepared; later errors are shown in its place.
 */
export async function showWhileChanging(options: DevOptions): Promise<AsyncDisposable> {
  const { server, console, signal, reload } = options;
  let state = await prepare(options.config, options);
  /** Whether the configuration changed and was not read yet, because it is wrong. */
  let isStale = false;
  const watcher = await watchFiles(watchedPaths(state), console);

  const readAgain = async (changed: readonly string[]): Promise<void> => {
    isStale ||= changed.includes(state.config.file);
    if (!isStale || !reload) return;
    console.line('The configuration changed: the site is prepared again.');
    state = await prepare(await reload(), options);
    isStale = false;
    watcher.add(watchedPaths(state));
  };

  const refresh = async (changed: readonly string[]): Promise<void> => {
    const started = performance.now();
    const names = changed.map((file) => path.relative(process.cwd(), file)).join(', ');
    try {
      await readAgain(changed);
      const site = await readDevSite(state.config, state.stock, state.prepared);
      server.show(site, changed.length > 0 && changed.every((file) => file.endsWith('.css')));
      if (names) console.line(`${names}: ${Math.round(performance.now() - started)} ms`);
    } catch (problem) {
      if (signal.aborted) return;
      console.finish();
      server.show({ problem });
      console.warn(describeError(problem));
    }
  };
  await refresh([]);

  let waiting: string[] = [];
  let running = Promise.resolve();
  watcher.onChange((file) => {
    waiting.push(file);
    if (waiting.length > 1) return;
    setTimeout(() => {
      const changed = [...new Set(waiting)];
      waiting = [];
      running = running.then(() => refresh(changed));
    }, TOGETHER);
  });
  return { [Symbol.asyncDispose]: () => watcher.close() };
}
