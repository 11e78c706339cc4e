import { type ChildProcess, execFile, spawn } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

/**
 * Environment variables passed to a command. Its compiled code is cached like by `npm run build`, because
 * compiling takes most of the time of a short command.
 */
export const ENVIRONMENT = {
  PATH: process.env.PATH ?? '',
  NODE_COMPILE_CACHE: path.resolve('node_modules/.cache/compiled'),
};

export interface Ran {
  exitCode: number | null;
  stdout: string;
  stderr: string;
}

export interface Running {
  child: ChildProcess;
  /** Its output so far. */
  printed: Omit<Ran, 'exitCode'>;
  /** Resolves once a line of the output matches. */
  prints(pattern: RegExp): Promise<RegExpExecArray>;
  ended: Promise<Ran>;
}

/** The output of a process so far, and its result. */
export function outputOf(child: ChildProcess): Pick<Running, 'printed' | 'ended'> {
  const printed = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      printed[name] += text;
    });
  }
  const ended = new Promise<Ran>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (exitCode) => resolve({ exitCode, ...printed }));
  });
  return { printed, ended };
}

/** Starts a command in a separate process with a separate environment. @param clone folder of the program. */
export function startCommand(
  name: string,
  args: readonly string[],
  env: Record<string, string> = {},
  { cwd = '.', clone = '.' }: { cwd?: string; clone?: string } = {},
): Running {
  const child = spawn(process.execPath, [path.resolve(clone, 'scripts/run.ts'), name, ...args], {
    cwd,
    env: { ...ENVIRONMENT, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { printed, ended } = outputOf(child);
  return {
    child,
    printed,
    ended,
    prints: (pattern) =>
      new Promise((resolve, reject) => {
        const watch = () => {
          const match = pattern.exec(printed.stdout);
          if (match) resolve(match);
        };
        child.stdout?.on('data', watch);
        watch();
        ended.then(({ stdout, stderr }) =>
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
 * Runs Eleventy's command with the `config.json` of a folder and its cache, after a build with both.
 *
 * @param onError receives its standard error. @returns the folder of the pages.
 */
export async function runEleventy(
  folder: string,
  mediaKey: string,
  onError: (text: string) => void = () => {},
): Promise<string> {
  const output = path.join(folder, 'by-eleventy');
  const running = promisify(execFile)(
    process.execPath,
    [
      'node_modules/@11ty/eleventy/cmd.cjs',
      '--config=.eleventy.ts',
      '--quiet',
      `--output=${output}`,
    ],
    {
      env: {
        ...ENVIRONMENT,
        MEDIA_API_KEY: mediaKey,
        SITE_CONFIG: path.join(folder, 'config.json'),
        SITE_CACHE: path.join(folder, 'cache'),
      },
    },
  );
  running.child.stderr?.on('data', onError);
  await running;
  return output;
}
