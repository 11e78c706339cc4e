import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';

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

/** Follows the output of a process until it ends. */
export function follow(child: ChildProcess): Running {
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
  const prints = (pattern: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const watch = () => {
        const match = pattern.exec(printed.stdout) ?? pattern.exec(printed.stderr);
        if (match) resolve(match);
      };
      child.stdout?.on('data', watch);
      child.stderr?.on('data', watch);
      watch();
      ended.then(({ stdout, stderr }) =>
        reject(new Error(`ended without saying ${pattern}:\n${stdout}\n${stderr}`)),
      );
    });
  return { child, printed, prints, ended };
}

interface StartOptions {
  cwd?: string;
  /** Folder of the program. */
  clone?: string;
  /** Words of another command, which runs this one. */
  within?: readonly string[];
  /** Kills it after this many milliseconds. */
  timeout?: number;
}

const STDIO: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe'];

/** Words for a shell that first runs a line, such as `umask 077`. */
export const afterLine = (line: string) => ['sh', '-c', `${line}; exec "$@"`, '-'];

/** Starts a command in a separate process with a separate environment. */
export function startCommand(
  name: string,
  args: readonly string[],
  env: Record<string, string> = {},
  { cwd = '.', clone = '.', within = [], timeout }: StartOptions = {},
): Running {
  const script = path.resolve(clone, 'scripts/run.ts');
  const [program = '', ...words] = [...within, process.execPath, script, name, ...args];
  const killed = { timeout: timeout && Math.ceil(timeout), killSignal: 'SIGKILL' } as const;
  const options = { cwd, env: { ...ENVIRONMENT, ...env } };
  return follow(spawn(program, words, { ...options, ...killed, stdio: STDIO }));
}

export const runCommand = (
  name: string,
  args: readonly string[],
  env?: Record<string, string>,
  options?: StartOptions,
): Promise<Ran> => startCommand(name, args, env, options).ended;

/** Starts Eleventy's command. @param options.node flags of Node. */
export function startEleventy(
  args: readonly string[],
  options: { cwd?: string; env?: Record<string, string>; node?: readonly string[] },
): Running {
  const { cwd = '.', env = {}, node = [] } = options;
  const words = [...node, path.resolve('node_modules/@11ty/eleventy/cmd.cjs'), ...args];
  return follow(
    spawn(process.execPath, words, { cwd, env: { ...ENVIRONMENT, ...env }, stdio: STDIO }),
  );
}

/** The same with the `config.json` of a folder and its cache. `output` is the folder of the pages. */
export function eleventyIn(
  folder: string,
  mediaKey: string,
  ...options: string[]
): Running & { output: string } {
  const output = path.join(folder, 'by-eleventy');
  const env = {
    MEDIA_API_KEY: mediaKey,
    SITE_CONFIG: path.join(folder, 'config.json'),
    SITE_CACHE: path.join(folder, 'cache'),
  };
  const args = ['--config=.eleventy.ts', '--quiet', `--output=${output}`, ...options];
  return { output, ...startEleventy(args, { env }) };
}
