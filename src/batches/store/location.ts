import { existsSync } from 'node:fs';
import path from 'node:path';
import { ConfigError } from '../../errors.ts';
import { resolveLinks } from '../../lib/files/paths.ts';

/** Where the history lives unless `--store` says otherwise: outside every folder of the site. */
export const DEFAULT_STORE = '.batches/history.sqlite';

/** Folders of the project that are published, cached, committed or read by the site's build. */
const FOREIGN: Readonly<Record<string, string>> = {
  _site: "the site's output",
  '.cache': "the site's cache",
  '.demo': "the demo's folder",
  templates: "the site's input",
  assets: "the site's input",
  public: "the site's input",
  src: "the project's code",
  scripts: "the project's code",
  test: "the project's code",
  docs: "the project's documentation",
  node_modules: 'the installed packages',
  '.git': 'the repository itself',
};

/** What a built site has at its top, whatever its folder is called. */
const looksPublished = (folder: string): boolean =>
  existsSync(path.join(folder, 'index.html')) &&
  ['sitemap.xml', 'robots.txt', '404.html'].some((name) => existsSync(path.join(folder, name)));

function externalPlace(real: string, bases: readonly string[]): string | undefined {
  for (const base of bases) {
    const [first = ''] = path.relative(resolveLinks(path.resolve(base)), real).split(path.sep);
    const name = first.startsWith('._site.') ? '_site' : first;
    if (Object.hasOwn(FOREIGN, name)) return FOREIGN[name];
  }
  for (let folder = path.dirname(real); ; folder = path.dirname(folder)) {
    if (looksPublished(folder)) return 'a published site';
    if (path.basename(folder) === '.git') return 'a repository itself';
    if (folder === path.dirname(folder)) return undefined;
  }
}

/**
 * Refuses a place for personal data that is published, cached or read by the site's build. Links
 * are resolved first.
 *
 * @param bases folders that the site's own folders are relative to: the working folder and the
 *   folder of the configuration.
 * @throws {ConfigError} `place-not-private`
 */
export function refuseSiteFolder(target: string, what: string, bases: readonly string[]): void {
  const place = externalPlace(resolveLinks(path.resolve(target)), bases);
  if (place === undefined) return;
  throw new ConfigError({
    code: 'place-not-private',
    what: `${what} cannot be written to ${target}.`,
    why: `That is inside ${place}; its files are published, cached or committed.`,
    fix: 'Choose a separate folder outside the site, such as .batches/.',
  });
}
