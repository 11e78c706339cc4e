import { existsSync, watch } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { HeldPort } from '../lib/static-server/server.ts';
import type { Console } from '../lib/terminal/progress.ts';
import { openSiteData, type SiteDataOptions } from '../publish/build/site-data.ts';
import { type EleventyInstance, fromWorkingFolder } from '../render/eleventy.ts';
import { siteEleventy } from '../render/plugin.ts';
import { shownPath } from '../render/theme/failure.ts';

/** Error codes if the system has no file watchers left. */
const NO_WATCHERS_LEFT = ['ENOSPC', 'EMFILE', 'ENFILE'];

/** Options for waiting until a file is written completely, in milliseconds. Eleventy's 150 are noticeable. */
const AWAIT_WRITE = { stabilityThreshold: 20, pollInterval: 10 };

/** Interval between checks of the watcher's list of files, in milliseconds. */
const CHECK_INTERVAL = 50;

/** Interval between checks for files that did not exist before, in milliseconds. */
const NEW_FILE_INTERVAL = 200;

/** Limit of checks, because the watcher never lists ignored files, for example from `.gitignore`. */
const MAX_CHECKS = 60;

/** Watched files and folders that exist, and everything below them. */
async function existingIn(watched: readonly string[]): Promise<string[]> {
  const lists = watched.filter(existsSync).map(async (target) => {
    const names = await readdir(target, { recursive: true }).catch(() => []);
    return [target, ...names.map((name) => path.join(target, name))];
  });
  return (await Promise.all(lists)).flat();
}

/** How Eleventy watches files. If the system has too few watchers, it looks for changes every half second. */
async function watchOptions(watched: readonly string[], console: Console): Promise<object> {
  const probes: ReturnType<typeof watch>[] = [];
  try {
    for (const file of await existingIn(watched)) probes.push(watch(file));
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (NO_WATCHERS_LEFT.includes(code)) {
      console.warn(
        `The system has no file watchers left (${code}). Changes are detected every half second instead. On Linux, raise fs.inotify.max_user_watches or max_user_instances (sysctl).`,
      );
      return { usePolling: true, interval: 500 };
    }
  } finally {
    for (const probe of probes) probe.close();
  }
  return { awaitWriteFinish: AWAIT_WRITE };
}

/**
 * Waits until all files and folders are watched. If one does not exist, the watcher reports too early that it is
 * ready, and it overlooks new files of a folder that it has not read yet.
 *
 * @returns these files and folders.
 */
async function allWatched(
  watched: readonly string[],
  { watcher }: Pick<EleventyInstance, 'watcher'>,
): Promise<string[]> {
  const files = await existingIn(watched);
  for (let checks = 0; checks < MAX_CHECKS; checks++) {
    const watchedFiles = new Set(
      Object.entries(watcher?.getWatched() ?? {}).flatMap(([folder, names]) =>
        names.map((name) => path.resolve(watcher?.options.cwd ?? '', folder, name)),
      ),
    );
    // The watcher lists a file shortly before it watches it.
    await setTimeout(CHECK_INTERVAL);
    if (files.every((file) => watchedFiles.has(file))) break;
  }
  return files;
}

/**
 * Prepares vehicles and pictures, then serves the site with Eleventy and watches its files until disposal.
 *
 * @throws the error of a configuration or of a cache folder that cannot be used. Other errors are shown in the browser.
 */
export async function serveSite({
  heldPort,
  ...options
}: SiteDataOptions & { heldPort: HeldPort }): Promise<AsyncDisposable> {
  const { console } = options;
  const data = await openSiteData(options);
  const { watched = [] } = data;
  const chokidar = await watchOptions(watched, console);
  let isClosed = false;
  const watchFiles = (files = watched) => {
    // Adding files would open a closed watcher again.
    if (isClosed || !eleventy.watcher) return;
    // The watcher would use brackets in the path of the project as a pattern.
    const { cwd = '' } = eleventy.watcher.options;
    eleventy.watcher.add(files.map((file) => path.relative(cwd, file)));
  };
  // There is no output folder, because nothing is written.
  const eleventy = await siteEleventy(data, undefined, 'serve', (config) => {
    config.setChokidarConfig(chokidar);
    config.setServerOptions({ messageOnStart: () => false });
    let started = 0;
    let names = '';
    config.on('eleventy.beforeWatch', (changed) => {
      started = performance.now();
      const { cwd = '' } = eleventy.watcher?.options ?? {};
      // Eleventy takes the watcher's paths for paths from the working folder, and would keep changed scripts.
      for (const [index, file] of changed.entries()) {
        changed[index] = fromWorkingFolder(path.resolve(cwd, file));
      }
      names = changed.map((file) => shownPath(path.resolve(file))).join(', ');
    });
    config.on('eleventy.after', () => {
      if (!data.problem && names) {
        console.line(`${names}: ${Math.round(performance.now() - started)} ms`);
      }
      // A changed configuration may name further files.
      watchFiles();
    });
  });
  await eleventy.init();
  const run = await eleventy.watch();
  if (options.signal?.aborted) await eleventy.stopWatch();
  options.signal?.throwIfAborted();
  // If templates are outside of the working folder, Eleventy mistakes absolute paths for relative ones.
  watchFiles();
  /** Files and folders whose changes the watcher reports. */
  const noticed = new Set(await allWatched(watched, eleventy));
  eleventy.watcher?.on('all', (event, file) => {
    const target = path.resolve(eleventy.watcher?.options.cwd ?? '', file);
    if (!event.startsWith('unlink')) noticed.add(target);
    else noticed.delete(target);
    // Eleventy itself does nothing if a file is removed.
    if (event === 'unlink') void run(file);
  });
  let unnoticed: string[] = [];
  // The watcher overlooks new files and folders next to a file that it watches, such as the first `pages/`, and files
  // that are written while it reads their new folder. On a busy machine, checks overlap.
  const timer = setInterval(async () => {
    const existing = new Set(await existingIn(watched));
    for (const file of noticed) if (!existing.has(file)) noticed.delete(file);
    const before = unnoticed;
    unnoticed = [...existing].filter((file) => !noticed.has(file));
    const overlooked = unnoticed.filter((file) => before.includes(file));
    const [first] = overlooked;
    if (first === undefined) return;
    for (const file of overlooked) noticed.add(file);
    watchFiles(overlooked);
    void run(first);
  }, NEW_FILE_INTERVAL);
  await heldPort.release();
  await eleventy.serve(heldPort.port);
  return {
    [Symbol.asyncDispose]: () => {
      isClosed = true;
      clearInterval(timer);
      return eleventy.stopWatch();
    },
  };
}
