import { type ChildProcess, fork } from 'node:child_process';
import { existsSync, mkdirSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { PACKAGE_ROOT } from '../../lib/own-package.ts';

/** Existing `node_modules` folders above a file, in which Node searches for packages. */
function packagesAbove(file: string): string[] {
  const folder = path.dirname(file);
  const packages = path.join(folder, 'node_modules');
  return [
    ...(existsSync(packages) ? [packages, realpathSync(packages)] : []),
    ...(folder === file ? [] : packagesAbove(folder)),
  ];
}

/**
 * Folders with the decoder's code: this program and its packages. These may be links: pnpm links each package
 * to a store, and some users link `node_modules` to another project.
 */
function codeFolders(): string[] {
  const source = path.join(PACKAGE_ROOT, 'src');
  const sharp = realpathSync(createRequire(import.meta.url).resolve('sharp'));
  const packages = [...packagesAbove(path.join(source, 'any')), ...packagesAbove(sharp)];
  const all = [...new Set([source, path.join(PACKAGE_ROOT, 'package.json'), ...packages])];
  // A folder inside another one needs no separate permission.
  return all.filter((folder) => !all.some((other) => folder.startsWith(other + path.sep)));
}

/**
 * Starts the program that decodes untrusted bytes, with minimal rights: no environment and so no keys, Node's
 * permission model (it reads its code and the thumbnails, writes thumbnails, and starts no process), and no
 * access to the terminal. The permission model does not restrict native code, so it does not contain a picture
 * that takes over libvips: see docs/security.md.
 */
export function forkDecoder(
  entry: string,
  { folder, threads }: { folder: string; threads: number },
): ChildProcess {
  // A permission covers the contents of a folder only if the folder exists.
  mkdirSync(folder, { recursive: true });
  const readable = [...codeFolders(), entry, folder];
  return fork(entry, {
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
      // Only glibc reads these. One memory arena per thread takes 50 MB more at 2 cores. With a single arena,
      // threads wait for each other, which takes 15 % more CPU (both measured). After the first large picture,
      // glibc would place all pictures between small allocations and leave holes. With a threshold, pictures
      // over 4 MB have separate mappings, which are returned to the system.
      MALLOC_ARENA_MAX: '2',
      MALLOC_MMAP_THRESHOLD_: String(4 * 2 ** 20),
      MALLOC_TRIM_THRESHOLD_: String(16 * 2 ** 20),
    },
    // Its output never reaches a log, because a CI could read it as a command.
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
}
