import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ConfigError, EXIT } from '../errors.ts';
import type { Run } from '../lib/command-line/definition.ts';
import { untilAborted } from '../lib/command-line/process.ts';
import { onFreePort, startStaticServer } from '../lib/static-server/server.ts';
import { createConsole } from '../lib/terminal/progress.ts';
import type { PREVIEW_OPTIONS } from './options.ts';

/** Files at the top of every site. */
const TOP_FILES = ['index.html', '404.html', 'sitemap.xml', 'robots.txt', '_headers'];

/**
 * The base path of a site: the path in the canonical URL of its home page.
 *
 * @throws {ConfigError} the folder does not contain a built site.
 */
function basePathOf(folder: string): string {
  const missing = TOP_FILES.find((file) => !existsSync(path.join(folder, file)));
  if (missing !== undefined) {
    throw new ConfigError({
      code: 'preview-no-site',
      what: `Found no built site in ${folder}.`,
      why: existsSync(folder)
        ? `It has no ${missing}, which every built site has.`
        : 'The folder does not exist.',
      fix: 'Build it first (npm run build), or name its folder with --output.',
    });
  }
  const front = readFileSync(path.join(folder, 'index.html'), 'utf8');
  const [, canonical = ''] = /<link rel="canonical" href="([^"]+)"/.exec(front) ?? [];
  return URL.parse(canonical)?.pathname.replace(/\/+$/, '') ?? '';
}

export const run: Run<typeof PREVIEW_OPTIONS> = async ({ values }, { stdout, signal }) => {
  const console = createConsole({ stream: stdout, quiet: values.quiet });
  const folder = values.output;
  const basePath = basePathOf(folder);
  await using server = await onFreePort(
    values.port,
    (port) => startStaticServer({ folder, port, basePath }),
    console.line,
  );
  console.line(`The site is at ${server.url}`);
  console.line('Only this machine can reach it. Ctrl-C stops it.');
  await untilAborted(signal);
  return EXIT.published;
};
