import { spawn } from 'node:child_process';
import path from 'node:path';
import { ENVIRONMENT } from './command.ts';

/** `npm run dev` with a configuration file, which is also in the folder of the cache. */
export const startDev = (config: string, mediaKey: string, port = 0) =>
  runDev(
    [
      ...['--config', config, '--cache', path.join(path.dirname(config), 'cache')],
      ...['--port', `${port}`],
    ],
    { env: { MEDIA_API_KEY: mediaKey } },
  );

/**
 * `npm run dev` as a process. Resolves when it serves the site.
 *
 * @param clone folder of the program.
 */
export async function runDev(args: string[], { cwd = '.', env = {}, clone = '.' }) {
  const program = path.resolve(clone, 'scripts/run.ts');
  const child = spawn(process.execPath, [program, 'dev', '--port', '0', ...args], {
    cwd,
    env: { ...ENVIRONMENT, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()));
  let printed = '';
  const origin = new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        printed += chunk;
        const [, url] = /The site is at (http:\/\/[^/\s]+)/.exec(printed) ?? [];
        if (url !== undefined) resolve(url);
      });
    }
    child.on('close', () => reject(new Error(`dev ended: ${printed}`)));
  });
  return {
    origin: await origin,
    printed: () => printed,
    close: async () => {
      child.kill('SIGINT');
      await ended;
    },
  };
}
