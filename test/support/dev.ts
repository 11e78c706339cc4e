import path from 'node:path';
import { startCommand } from './command.ts';

/** `npm run dev` with a configuration file, which is also in the folder of the cache. */
export const startDev = (config: string, mediaKey: string, port = 0, env = {}) =>
  runDev(
    [
      ...['--config', config, '--cache', path.join(path.dirname(config), 'cache')],
      ...['--port', `${port}`],
    ],
    { env: { MEDIA_API_KEY: mediaKey, ...env } },
  );

interface Options {
  cwd?: string;
  env?: Record<string, string>;
  /** Folder of the program. */
  clone?: string;
}

/** `npm run dev` as a process. Resolves when it serves the site. */
export async function runDev(args: string[], { env, ...folders }: Options = {}) {
  const dev = startCommand('dev', ['--port', '0', ...args], env, folders);
  const [, origin = ''] = await dev.prints(/The site is at (http:\/\/[^/\s]+)/);
  return {
    origin,
    printed: dev.printed,
    close: async () => {
      dev.child.kill('SIGINT');
      await dev.ended;
    },
  };
}
