import { type ChildProcess, fork } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const SOURCES = fileURLToPath(new URL('../..', import.meta.url));

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
  const readable = [SOURCES, path.join(SOURCES, '..', 'package.json'), packages(), entry, folder];
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
      // glibc, and it alone, gives each thread memory of its own and keeps it: 70 MB more at 2 cores
      // (measured). One for four threads, so that many of them need not wait for each other.
      MALLOC_ARENA_MAX: String(Math.ceil(threads / 4)),
    },
    // Nothing that it prints reaches a log, where it could be a command to the CI.
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
}
