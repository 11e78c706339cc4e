import { type ChildProcess, fork } from 'node:child_process';
import { existsSync, mkdirSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { PACKAGE_ROOT } from '../../lib/own-package.ts';

/** Folders of packages that Node looks in from a file on: those above it that are there. */
function packagesAbove(file: string): string[] {
  const folder = path.dirname(file);
  const packages = path.join(folder, 'node_modules');
  return [
    ...(existsSync(packages) ? [packages, realpathSync(packages)] : []),
    ...(folder === file ? [] : packagesAbove(folder)),
  ];
}

/**
 * What the decoder is made of: this program and the packages that it finds. Package managers link them: pnpm
 * each package to a store, people a whole `node_modules` to another one.
 */
function ownFiles(): string[] {
  const source = path.join(PACKAGE_ROOT, 'src');
  const sharp = realpathSync(createRequire(import.meta.url).resolve('sharp'));
  const packages = [...packagesAbove(path.join(source, 'any')), ...packagesAbove(sharp)];
  const all = [...new Set([source, path.join(PACKAGE_ROOT, 'package.json'), ...packages])];
  // What lies in another of them needs no permission of its own.
  return all.filter((one) => !all.some((other) => one.startsWith(other + path.sep)));
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
  const readable = [...ownFiles(), entry, folder];
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
      // For glibc, others do not read them. It gives each thread memory of its own and keeps it: 50 MB
      // more at 2 cores. With one for all, threads wait for each other, 15 % more CPU (both measured).
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
