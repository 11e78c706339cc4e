import { type ChildProcess, spawn } from 'node:child_process';

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

/** Starts a command of scripts/ as its own process, with an environment of its own. */
export function startCommand(
  script: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Running {
  const child = spawn(process.execPath, [`scripts/${script}.ts`, ...args], {
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
  script: string,
  args: readonly string[],
  env?: Record<string, string>,
): Promise<Ran> => startCommand(script, args, env).ended;
