import { watch } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Console } from '../lib/terminal/progress.ts';
import { openSiteData, type SiteDataOptions } from '../publish/build/site-data.ts';
import { eleventyPath, loadEleventy, SITE_CONFIG } from '../render/eleventy.ts';
import { passSite } from '../render/plugin.ts';

/** Error codes of a system that has no watcher left: of files, of watchers, of handles. */
const NONE_LEFT = ['ENOSPC', 'EMFILE', 'ENFILE'];

/** Waits until a file is written completely, in milliseconds; Eleventy's own 150 are felt. */
const WRITTEN = { stabilityThreshold: 20, pollInterval: 10 };

/** A watcher that finds no further folder for so long has found all, in milliseconds. */
const SETTLED = 100;

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
        // A changed configuration may name further files. A watcher that is closed would be opened again.
        if (!ended) eleventy.watcher?.add([...(data.watched ?? [])]);
      });
    },
  });
  eleventy.disableLogger();
  await eleventy.init();
  const run = await eleventy.watch();
  // If a watched file does not exist, the watcher is ready before it has read all folders.
  for (let [before, now] = [-1, 0]; now !== before; await setTimeout(SETTLED)) {
    [before, now] = [now, Object.keys(eleventy.watcher?.getWatched() ?? {}).length];
  }
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
