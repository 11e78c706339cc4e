import { type ChildProcess, fork } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { PACKAGE_ROOT } from '../../lib/own-package.ts';

/** The folder of installed packages that sharp lies in. */
function packages(): string {
  const sharp = createRequire(import.meta.url).resolve('sharp');
  const folder = `${path.sep}node_modules${path.sep}`;
  return sharp.slice(0, sharp.lastIndexOf(folder) + folder.length - 1);
}

/**
 * Starts the program that decodes untrusted bytes with as little as it can work with: none of our
 * environment and so none of our keys, Node's permission model (it reads its own code and the store,
 * writes the store, starts no process), and no way to our output. What a picture could make of
 * libvips itself is native code, which the permission model does not bind: see docs/security.md.
 */
export function forkDecoder(
  entry: string,
  { folder, threads }: { folder: string; threads: number },
): ChildProcess {
  // The permission to a folder holds for what is in it only if it is there.
  mkdirSync(folder, { recursive: true });
  const readable = [
    path.join(PACKAGE_ROOT, 'src'),
    path.join(PACKAGE_ROOT, 'package.json'),
    packages(),
    entry,
    folder,
  ];
  return fork(entry, ['--encoder'], {
    execArgv: [
      '--disable-warning=ExperimentalWarning',
      '--disable-warning=SecurityWarning',
      '--permission',
      '--allow-addons',
      ...readable.map((name) => `--allow-fs-read=${name}`),
      `--allow-fs-write=${folder}`,
    ],
    env: {
      UV_THREADPOOL_SIZE: String(threads),
      // For glibc, others do not read them. It gives each thread memory of its own and keeps it: 50 MB
      // more at 2 cores; with one for all, threads wait for each other, 15 % more CPU (both measured).
      // And after the first large picture it would put all pictures among small things, where they
      // leave holes; those over 4 MB have mappings of their own, which go when they do.
      MALLOC_ARENA_MAX: '2',
      MALLOC_MMAP_THRESHOLD_: String(4 * 2 ** 20),
      MALLOC_TRIM_THRESHOLD_: String(16 * 2 ** 20),
    },
    // Nothing that it prints reaches a log, where it could be a command to the CI.
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
}
