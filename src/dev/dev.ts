import { watch } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Console } from '../lib/terminal/progress.ts';
import { openSiteData, type SiteDataOptions } from '../publish/build/site-data.ts';
import {
  type EleventyInstance,
  eleventyPath,
  loadEleventy,
  SITE_CONFIG,
} from '../render/eleventy.ts';
import { passSite } from '../render/plugin.ts';

/** Error codes of a system that has no watcher left: of files, of watchers, of handles. */
const NONE_LEFT = ['ENOSPC', 'EMFILE', 'ENFILE'];

/** Waits until a file is written completely, in milliseconds; Eleventy's own 150 are felt. */
const WRITTEN = { stabilityThreshold: 20, pollInterval: 10 };

/** How often the watcher is asked which files it has found, in milliseconds. */
const LOOK = 50;

/** Looks after which it is not waited for any longer. The watcher ignores some files, for example in `.gitignore`. */
const LOOKS = 60;

/** How Eleventy watches files: if the system has too few watchers, by looking at them every half second. */
async function watching(watched: readonly string[], console: Console): Promise<object> {
  const probes: ReturnType<typeof watch>[] = [];
  try {
    for (const target of watched) {
      const below = await readdir(target, { recursive: true }).catch(() => []);
      for (const name of ['', ...below]) probes.push(watch(path.join(target, name)));
    }
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (NONE_LEFT.includes(code)) {
      console.warn(
        `The system has no watcher of files left (${code}): changes are looked for every half second. On Linux a larger fs.inotify.max_user_watches or max_user_instances helps (sysctl).`,
      );
      return { usePolling: true, interval: 500 };
    }
  } finally {
    for (const probe of probes) probe.close();
  }
  return { awaitWriteFinish: WRITTEN };
}

/** Waits until all files are watched: if a watched file does not exist, the watcher is ready before that. */
async function allWatched(
  watched: readonly string[],
  { watcher }: Pick<EleventyInstance, 'watcher'>,
): Promise<void> {
  const below = watched.map(async (target) => {
    const names = await readdir(target, { recursive: true }).catch(() => []);
    return names.map((name) => path.join(target, name));
  });
  const files = (await Promise.all(below)).flat();
  for (let looks = 0; looks < LOOKS; looks++) {
    const found = new Set<string>();
    for (const [folder, names] of Object.entries(watcher?.getWatched() ?? {})) {
      const at = path.resolve(watcher?.options.cwd ?? '', folder);
      for (const name of names) found.add(path.join(at, name));
    }
    // It knows a file's name a moment before it watches it.
    await setTimeout(LOOK);
    if (files.every((file) => found.has(file))) return;
  }
}

/**
 * Prepares vehicles and pictures, then has Eleventy serve the site and watch its files until it is disposed of.
 *
 * @throws any error while the site is first prepared; later errors are shown in its place.
 */
export async function serveSite({
  port,
  ...options
}: SiteDataOptions & { port: number }): Promise<AsyncDisposable> {
  const { console } = options;
  const data = await openSiteData(options);
  const chokidar = await watching(data.watched ?? [], console);
  const Eleventy = await loadEleventy();
  let ended = false;
  // A watcher that is closed would be opened again.
  const watchAll = () => ended || eleventy.watcher?.add([...(data.watched ?? [])]);
  // Without an output folder: nothing is written.
  const eleventy = new Eleventy(eleventyPath('templates/pages'), undefined, {
    configPath: eleventyPath(SITE_CONFIG),
    runMode: 'serve',
    quietMode: true,
    config: (eleventyConfig) => {
      passSite(eleventyConfig, data);
      eleventyConfig.setChokidarConfig(chokidar);
      eleventyConfig.setServerOptions({ messageOnStart: () => false });
      let [started, names] = [0, ''];
      eleventyConfig.on('eleventy.beforeWatch', (changed) => {
        started = performance.now();
        names = changed.map((file) => path.normalize(file)).join(', ');
      });
      eleventyConfig.on('eleventy.after', () => {
        if (!data.problem && names) {
          console.line(`${names}: ${Math.round(performance.now() - started)} ms`);
        }
        // A changed configuration may name further files.
        watchAll();
      });
    },
  });
  eleventy.disableLogger();
  await eleventy.init();
  const run = await eleventy.watch();
  // If templates are outside of the working folder, Eleventy mistakes absolute paths for relative ones.
  watchAll();
  await allWatched(data.watched ?? [], eleventy);
  // Eleventy itself does nothing if a file is removed.
  eleventy.watcher?.on('unlink', (file) => void run(file));
  await eleventy.serve(port);
  return {
    [Symbol.asyncDispose]: () => {
      ended = true;
      return eleventy.stopWatch();
    },
  };
}
