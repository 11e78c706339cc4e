import { type ChildProcess, execFile, spawn } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

export interface Ran {
  exitCode: number | null;
  stdout: string;
  stderr: string;
}

export interface Running {
  child: ChildProcess;
  /** Resolves once a line of the output matches. */
  says(pattern: RegExp): Promise<RegExpExecArray>;
  ended: Promise<Ran>;
}

/** Starts a command as its own process, with an environment of its own. */
export function startCommand(
  name: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Running {
  const child = spawn(process.execPath, ['scripts/run.ts', name, ...args], {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  const watchers = new Set<() => void>();
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
    for (const watch of watchers) watch();
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const ended = new Promise<Ran>((resolve) => {
    child.on('close', (exitCode) => resolve({ exitCode, stdout, stderr }));
  });
  return {
    child,
    ended,
    says: (pattern) =>
      new Promise((resolve, reject) => {
        const watch = () => {
          const match = pattern.exec(stdout);
          if (match) resolve(match);
        };
        watchers.add(watch);
        watch();
        ended.then(() =>
          reject(new Error(`ended without saying ${pattern}:\n${stdout}\n${stderr}`)),
        );
      }),
  };
}

export const runCommand = (
  name: string,
  args: readonly string[],
  env?: Record<string, string>,
): Promise<Ran> => startCommand(name, args, env).ended;

/**
 * Eleventy's own command for the `config.json` of a folder and its cache, after a build with both.
 * Says where the pages are.
 */
export async function runEleventy(folder: string, mediaKey: string): Promise<string> {
  const output = path.join(folder, 'by-eleventy');
  await promisify(execFile)(
    process.execPath,
    [
      'node_modules/@11ty/eleventy/cmd.cjs',
      '--config=.eleventy.ts',
      '--quiet',
      `--output=${output}`,
    ],
    {
      env: {
        PATH: process.env.PATH,
        MEDIA_API_KEY: mediaKey,
        SITE_CONFIG: path.join(folder, 'config.json'),
        SITE_CACHE: path.join(folder, 'cache'),
      },
    },
  );
  return output;
}
