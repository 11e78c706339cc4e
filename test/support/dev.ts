import { spawn } from 'node:child_process';
import path from 'node:path';
import { ENVIRONMENT } from './command.ts';

/** `npm run dev` as a process, with a configuration file in a folder. Resolves when it serves the site. */
export async function startDev(config: string, mediaKey: string) {
  const cache = path.join(path.dirname(config), 'cache');
  const child = spawn(
    process.execPath,
    ['scripts/run.ts', 'dev', '--config', config, '--port', '0', '--cache', cache],
    { env: { ...ENVIRONMENT, MEDIA_API_KEY: mediaKey }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
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
