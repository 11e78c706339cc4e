import { type FSWatcher, watch } from 'chokidar';
import type { Console } from '../lib/terminal/progress.ts';

/** What a system answers that has no watcher left: of files, of watchers, of handles. */
const NONE_LEFT = ['ENOSPC', 'EMFILE', 'ENFILE'];

/** Milliseconds between two looks at files that nobody watches for us. */
const INTERVAL = 500;

export interface WatchedFiles {
  /** Watches more. */
  add(paths: readonly string[]): void;
  /** Calls back with each path that changed, from now on. */
  onChange(changed: (path: string) => void): void;
  close(): Promise<void>;
}

/**
 * Watches files and folders. Where the system has no watchers left they are looked at again and
 * again, and that is reported; resolves when all are watched.
 */
export async function watchFiles(
  paths: readonly string[],
  console: Pick<Console, 'warn'>,
): Promise<WatchedFiles> {
  const watched = new Set(paths);
  let changed: ((path: string) => void) | undefined;
  let polls = false;
  let watcher: FSWatcher;
  const poll = (code: string) => {
    if (polls) return;
    polls = true;
    console.warn(
      `The system has no watcher of files left (${code}): changes are looked for every half second. On Linux a larger fs.inotify.max_user_watches or max_user_instances helps (sysctl).`,
    );
    void watcher.close();
    open();
  };
  const ready = Promise.withResolvers<void>();
  function open(): void {
    watcher = watch([...watched], {
      ignoreInitial: true,
      backend: polls ? 'polling' : 'auto',
      pollingInterval: INTERVAL,
    });
    watcher.on('ready', ready.resolve);
    watcher.on('all', (_, path) => changed?.(path));
    watcher.on('error', (error) => {
      const { code = '', message } = error as NodeJS.ErrnoException;
      if (NONE_LEFT.includes(code) && !polls) poll(code);
      else console.warn(`Changes of some files may not be seen. ${message}`);
    });
  }
  open();
  await ready.promise;
  return {
    add: (more) => {
      for (const one of more) watched.add(one);
      watcher.add([...more]);
    },
    onChange: (callback) => {
      changed = callback;
    },
    close: () => watcher.close(),
  };
}
