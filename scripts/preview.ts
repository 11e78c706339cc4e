import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ConfigError, EXIT } from '../src/errors.ts';
import { createConsole } from '../src/lib/terminal/progress.ts';
import { LAST_PORT, runCommand, wholeNumber } from './cli.ts';
import { onFreePort, startStaticServer } from './static-server.ts';

const usage = `
Shows the built site on this machine, as a host would serve it, and changes nothing.

npm run preview -- [options]
  --output DIR   the built site; default _site
  --port N       port of the site; default 8080 or the next free one
  --quiet        only warnings and errors

Ctrl-C ends it. Exit codes: 0 ended, 2 there is no site to show.
`;

/** Files that every site of ours has at its top. */
const OURS = ['index.html', '404.html', 'sitemap.xml', 'robots.txt', '_headers'];

/**
 * Path that a site is served below: that of the address which its front page gives itself.
 *
 * @throws {ConfigError} there is no site, or one that is not ours.
 */
function basePathOf(folder: string): string {
  const missing = OURS.find((file) => !existsSync(path.join(folder, file)));
  if (missing !== undefined) {
    const part = existsSync(path.join(folder, 'shard.json'));
    throw new ConfigError({
      code: 'preview-no-site',
      what: `There is no built site in ${folder}.`,
      why: existsSync(folder)
        ? part
          ? 'It is a part of a site.'
          : `It has no ${missing}, as every site of this project has.`
        : 'There is no such folder.',
      fix: part
        ? 'Put the parts together first: npm run merge.'
        : 'Build it first (npm run build), or name its folder with --output.',
    });
  }
  const front = readFileSync(path.join(folder, 'index.html'), 'utf8');
  const [, canonical = ''] = /<link rel="canonical" href="([^"]+)"/.exec(front) ?? [];
  return URL.parse(canonical)?.pathname.replace(/\/+$/, '') ?? '';
}

await runCommand(
  {
    usage,
    options: {
      output: { type: 'string', default: '_site' },
      port: { type: 'string', default: '8080' },
      quiet: { type: 'boolean' },
    },
  },
  async ({ values }, signal) => {
    const console = createConsole({ stream: process.stdout, quiet: values.quiet === true });
    const tell = (text: string) => console.line(text);
    const wanted = wholeNumber('port', values.port, LAST_PORT);
    const folder = path.resolve(values.output);
    const basePath = basePathOf(folder);
    const server = await onFreePort(
      wanted,
      (port) => startStaticServer({ folder, port, basePath }),
      tell,
    );
    tell(`The site is at ${server.url}`);
    tell('It is served to this machine alone. Ctrl-C ends it.');
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    await server.close();
    return EXIT.published;
  },
);
