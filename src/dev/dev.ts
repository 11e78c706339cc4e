import { existsSync, globSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { holdPort } from '../lib/static-server/server.ts';
import { openSiteData, type SiteDataOptions } from '../publish/build/site-data.ts';
import { fromWorkingFolder } from '../render/eleventy.ts';
import { siteEleventy } from '../render/plugin.ts';
import { shownPath } from '../render/theme/failure.ts';

/** Interval between checks of all files, in milliseconds. Longer if a check takes longer than a twentieth of it. */
const CHECK_INTERVAL = 100;

/** A changed file is complete if it stays the same for this time, in milliseconds. */
const WRITE_INTERVAL = 20;

/** Eleventy's watcher would need a watcher of the system for each file. With this interval, it never reports a change. */
const UNUSED_WATCHER = { usePolling: true, interval: 2 ** 31 - 1, binaryInterval: 2 ** 31 - 1 };

/** Time and size of each watched file, and of each file below watched folders. Missing files are left out. */
function statesOf(watched: readonly string[]): ReadonlyMap<string, string> {
  const states = new Map<string, string>();
  const isFolder = (file: string): boolean => {
    const status = statSync(file, { throwIfNoEntry: false });
    if (status?.isFile()) states.set(path.resolve(file), `${status.mtimeMs} ${status.size}`);
    return status?.isDirectory() ?? false;
  };
  for (const target of watched) {
    try {
      // `addWatchTarget` also takes patterns.
      const isPattern = /[*?{]/.test(target) && !existsSync(target);
      const found = isPattern ? globSync(fromWorkingFolder(target)) : [target];
      for (const folder of found.filter(isFolder)) {
        for (const name of readdirSync(folder, { recursive: true }))
          isFolder(path.join(folder, `${name}`));
      }
    } catch {
      // It was removed during the check, or it cannot be read, which is reported if the site needs it.
    }
  }
  return states;
}

/** Reports added, changed and removed files once they stay the same, until the signal aborts. */
async function watchFiles(
  watched: readonly string[],
  signal: AbortSignal,
  onChange: (files: readonly string[]) => Promise<void>,
): Promise<void> {
  let reported = statesOf(watched);
  for (let last = reported; !signal.aborted; ) {
    const started = performance.now();
    const states = statesOf(watched);
    const interval = Math.max(CHECK_INTERVAL, 20 * (performance.now() - started));
    const changesSince = (before: typeof states) =>
      [...new Set([...before.keys(), ...states.keys()])].filter(
        (file) => before.get(file) !== states.get(file),
      );
    const isWritten = changesSince(last).length === 0;
    const changed = isWritten ? changesSince(reported) : [];
    last = states;
    if (changed.length > 0) {
      reported = states;
      await onChange(changed);
    }
    await setTimeout(isWritten ? interval : WRITE_INTERVAL);
  }
}

/**
 * Prepares vehicles and pictures, then serves the site with Eleventy and watches its files until disposal.
 *
 * @throws the error of a configuration or of a cache folder that cannot be used. Other errors are shown in the browser.
 */
export async function serveSite({
  heldPort,
  ...options
}: SiteDataOptions & { heldPort: Awaited<ReturnType<typeof holdPort>> }): Promise<AsyncDisposable> {
  const { console } = options;
  const data = await openSiteData(options);
  // There is no output folder, because nothing is written.
  const eleventy = await siteEleventy(data, undefined, 'serve', (config) => {
    config.setChokidarConfig(UNUSED_WATCHER);
    config.setServerOptions({ messageOnStart: () => false });
  });
  await eleventy.init();
  const run = await eleventy.watch();
  if (options.signal?.aborted) await eleventy.stopWatch();
  options.signal?.throwIfAborted();
  const stop = new AbortController();
  void watchFiles(data.watched ?? [], stop.signal, async (files) => {
    const started = performance.now();
    // Eleventy runs once for all of them. It takes other paths for paths from the working folder.
    await Promise.race(files.map((file) => run(fromWorkingFolder(file))));
    if (data.problem) return;
    const names = files.map(shownPath).join(', ');
    console.line(`${names}: ${Math.round(performance.now() - started)} ms`);
  });
  await heldPort.release();
  await eleventy.serve(heldPort.port);
  return {
    [Symbol.asyncDispose]: () => {
      stop.abort();
      return eleventy.stopWatch();
    },
  };
}
