import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { ConfigError } from '../../errors.ts';

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

/** A path with the links of all its existing parts resolved; missing parts stay as they are. */
export function realPathOf(target: string): string {
  const absolute = path.resolve(target);
  const missing: string[] = [];
  for (let at = absolute; ; at = path.dirname(at)) {
    try {
      return path.join(realpathSync(at), ...missing);
    } catch {
      missing.unshift(path.basename(at));
      if (at === path.dirname(at)) return absolute;
    }
  }
}

function* ancestors(folder: string): Generator<string> {
  for (let at = folder; ; at = path.dirname(at)) {
    yield at;
    if (at === path.dirname(at)) return;
  }
}

/** What a built site has at its top, whatever its folder is called. */
const looksPublished = (folder: string): boolean =>
  existsSync(path.join(folder, 'index.html')) &&
  ['sitemap.xml', 'robots.txt', '404.html'].some((name) => existsSync(path.join(folder, name)));

function externalPlace(real: string, bases: readonly string[]): string | undefined {
  for (const base of bases.map(realPathOf)) {
    const inside = path.relative(base, real);
    const [first = ''] = inside.split(path.sep);
    if (first === '..' || path.isAbsolute(inside)) continue;
    if (Object.hasOwn(FOREIGN, first)) return FOREIGN[first];
    if (first.startsWith('._site.')) return "the site's output";
  }
  for (const folder of ancestors(path.dirname(real))) {
    if (looksPublished(folder)) return 'a published site';
    if (path.basename(folder) === '.git') return 'a repository itself';
  }
  return undefined;
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
  const place = externalPlace(realPathOf(target), bases);
  if (place === undefined) return;
  throw new ConfigError({
    code: 'place-not-private',
    what: `${what} cannot be written to ${target}.`,
    why: `That is inside ${place}; what stands there is published, cached or committed.`,
    fix: 'Choose a folder of its own outside the site, such as .batches/.',
  });
}
