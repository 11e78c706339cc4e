import path from 'node:path';
import { watch } from 'chokidar';
import type { LoadedConfig } from '../config/load.ts';
import { describeError } from '../errors.ts';
import { prepareSite } from '../publish/prepare.ts';
import { TEMPLATES, watchedTheme } from '../publish/theme/theme.ts';
import { placeOf } from '../site/place.ts';
import { loadStock } from '../stock/load.ts';
import type { Console } from '../terminal/progress.ts';
import type { DevServer } from './server.ts';
import { readDevSite } from './site.ts';

/** Waits for the other files of one save, in milliseconds. */
const TOGETHER = 20;

export interface DevOptions {
  config: LoadedConfig;
  cacheDir: string;
  server: DevServer;
  console: Console;
  signal: AbortSignal;
}

/**
 * Prepares vehicles and pictures once, then shows the site as its templates, assets, words and
 * lists are, until `signal` ends it. Answers of the last hour are used again; where the service
 * cannot be reached, the last good answer stands in.
 *
 * @throws whatever keeps the site from being prepared; mistakes made later are shown in its place.
 */
export async function showWhileChanging(options: DevOptions): Promise<AsyncDisposable> {
  const { config, cacheDir, server, console, signal } = options;
  const now = Date.now();
  const stock = await loadStock({ config, cacheDir, now, maxAge: '1h', signal });
  for (const { dealer, problem } of stock) {
    if (problem) console.warn(`${dealer.name}: ${problem.message}`);
  }
  const prepared = await prepareSite(config, stock, {
    cacheDir,
    now,
    signal,
    onProgress: ({ done, total }) => {
      if (total > 0) console.progress(`Pictures: ${done} of ${total}`);
    },
  });
  console.finish();
  server.place({ base: placeOf(config.site.url).base, mediaFolder: prepared.media.folder });

  const refresh = async (changed: readonly string[]): Promise<void> => {
    const started = performance.now();
    const names = changed.map((file) => path.relative(process.cwd(), file)).join(', ');
    try {
      const site = await readDevSite(config, stock, prepared);
      server.show(site, changed.length > 0 && changed.every((file) => file.endsWith('.css')));
      if (names) console.line(`${names}: ${Math.round(performance.now() - started)} ms`);
    } catch (problem) {
      server.show({ problem });
      console.warn(describeError(problem));
    }
  };
  await refresh([]);

  const lists = config.dealers.flatMap(({ stock: list }) =>
    list ? [path.resolve(path.dirname(config.file), list.file)] : [],
  );
  const watcher = watch([path.resolve(TEMPLATES), watchedTheme(config), ...lists], {
    ignoreInitial: true,
  });
  let waiting: string[] = [];
  let running = Promise.resolve();
  watcher.on('all', (_, file) => {
    waiting.push(file);
    if (waiting.length > 1) return;
    setTimeout(() => {
      const changed = [...new Set(waiting)];
      waiting = [];
      running = running.then(() => refresh(changed));
    }, TOGETHER);
  });
  await new Promise<void>((resolve) => watcher.once('ready', () => resolve()));
  return { [Symbol.asyncDispose]: () => watcher.close() };
}
