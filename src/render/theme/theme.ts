import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { LoadedConfig } from '../../config/load.ts';
import { parseJson } from '../../config/read-file.ts';
import { localesOf } from '../../config/site-schema.ts';
import { ConfigError, printable } from '../../errors.ts';
import { didYouMean } from '../../lib/closest.ts';
import { PACKAGE_ROOT } from '../../lib/own-package.ts';
import { hasWords, LANGUAGES } from '../../site/i18n/index.ts';
import { type Catalogues, withThemeWords } from '../../site/i18n/theme-words.ts';
import { nothingUses } from './failure.ts';
import { filesBelow, folderExists } from './folder.ts';

/** Where our own layouts, partials and assets lie, absolute. */
export const TEMPLATES = path.join(PACKAGE_ROOT, 'templates');

/** Our templates of pages, absolute: one for each kind. */
export const PAGES = path.join(TEMPLATES, 'pages');

/** Where a theme lies if the configuration does not say. */
const DEFAULT_FOLDER = 'theme';

/** File endings that a theme's assets may have. All of them are published. */
const ASSET_TYPES = /\.(?:css|js|woff2?|svg|png|jpe?g|webp|avif|ico)$/;

export interface Theme {
  /** Absolute. Undefined where there is none. */
  folder: string | undefined;
  /** Absolute file of every template by its name, such as `pages/vehicle.njk`. The theme's win. */
  templates: ReadonlyMap<string, string>;
  /** Absolute file of every asset by its name, such as `base.css` or `gallery/zoom.js`. The theme's win. */
  assets: ReadonlyMap<string, string>;
  /** Names of the assets that only the theme has. */
  ownAssets: ReadonlySet<string>;
  /** Whether the theme has a front page of its own. */
  hasOwnFront: boolean;
  /** Texts of every language. The theme's replace ours. */
  languages: Catalogues;
}

/** @throws {ConfigError} the file would have no effect: most likely its name is misspelled. */
function checkUse(name: string, file: string, ours: ReadonlyMap<string, string>): void {
  const [top = '', ...rest] = name.split('/');
  if (name === 'words.json') return;
  if (['layouts', 'pages'].includes(top) && !ours.has(name)) {
    const names = [...ours.keys()].filter((one) => /^(?:layouts|pages)\//.test(one));
    throw nothingUses(
      file,
      'Files in layouts/ and pages/ replace default templates, and there is none of this name.',
      `The default templates are ${names.join(', ')}.${didYouMean(name, names)} Custom pages go into the folder pages/ next to the configuration (docs/extending.md).`,
    );
  }
  if (['layouts', 'partials', 'pages'].includes(top)) {
    if (name.endsWith('.njk')) return;
    throw nothingUses(file, 'Templates end in .njk.', 'Rename it, or take it out of the theme.');
  }
  if (top === 'assets') {
    if (!ASSET_TYPES.test(name)) {
      throw nothingUses(
        file,
        'Assets are style sheets, scripts, fonts and pictures.',
        'Use .css, .js, .woff2, .woff, .svg, .png, .jpg, .webp, .avif or .ico.',
      );
    }
    if (rest.length > 1) {
      // Whether anything imports them is seen where they are joined.
      if (/\.(?:css|js)$/.test(name)) return;
      throw nothingUses(
        file,
        'In folders below assets/ lie parts of scripts and style sheets alone.',
        'Move it up into assets/.',
      );
    }
    if (name.endsWith('.css') && !ours.has(name) && name !== 'assets/theme.css') {
      throw nothingUses(
        file,
        'Of style sheets, those with the name of one of ours are used, and theme.css.',
        'Put its rules into assets/theme.css.',
      );
    }
    if (/^assets\/(?:logo-|site[.-])/.test(name)) {
      throw nothingUses(
        file,
        'Names that begin with "logo-" or "site" are given by the program itself.',
        'Give it another name.',
      );
    }
    return;
  }
  throw nothingUses(
    file,
    'A theme holds layouts/, partials/, pages/, assets/ and words.json.',
    'Move it into one of these folders; docs/theming.md says what each is for.',
  );
}

/** @throws {ConfigError} a further language of the site has no words: its pages would be English ones. */
function checkLocales(config: Pick<LoadedConfig, 'site'>, languages: Catalogues): void {
  const locales = localesOf(config.site);
  const without = locales.filter(({ locale }) => !hasWords(locale, languages));
  const [first] = without;
  if (locales.length === 1 || first === undefined) return;
  throw new ConfigError({
    code: 'locale-words-missing',
    what: `There are no words for ${without.map(({ locale }) => locale).join(', ')}.`,
    why: 'A site with several languages needs the words of each.',
    fix: `Take it out of site.locales, or write its words into words.json of a theme (docs/theming.md). There is ${Object.keys(languages).join(', ')}.`,
  });
}

async function readWords(file: string): Promise<Catalogues> {
  const wrong = (list: string[], cause?: unknown) =>
    new ConfigError({
      code: 'theme-words-invalid',
      what: `The words ${file} have ${list.length === 1 ? 'a problem' : `${list.length} problems`}:\n${list.map((line) => `- ${printable(line)}`).join('\n')}`,
      fix: 'Correct them; docs/theming.md explains the file.',
      cause,
    });
  let content: unknown;
  try {
    content = await parseJson(await readFile(file, 'utf8'));
  } catch (cause) {
    throw wrong([cause instanceof Error ? cause.message : String(cause)], cause);
  }
  const { languages, problems } = withThemeWords(content);
  if (problems.length === 0) return languages;
  throw wrong(problems.map(({ path: where, message }) => `${where}: ${message}`));
}

/** Where a configuration's theme lies, or would lie. */
export function watchedTheme({ site, file }: Pick<LoadedConfig, 'site' | 'file'>): string {
  return path.resolve(path.dirname(file), site.theme ?? DEFAULT_FOLDER);
}

/** The theme's folder of a configuration. Undefined where there is none. */
async function themeFolder(
  config: Pick<LoadedConfig, 'site' | 'file'>,
): Promise<string | undefined> {
  const folder = watchedTheme(config);
  if (await folderExists(folder)) return folder;
  if (config.site.theme === undefined) return undefined;
  throw new ConfigError({
    code: 'theme-missing',
    what: `The theme ${folder} does not exist.`,
    why: 'site.theme names it; a relative path counts from the configuration file.',
    fix: 'Correct site.theme, or take it out to use the site as it comes.',
  });
}

/** Reads which files a site is made of: ours, and a theme's in their place. */
export async function readTheme(config: Pick<LoadedConfig, 'site' | 'file'>): Promise<Theme> {
  const ours = await filesBelow(TEMPLATES);
  const folder = await themeFolder(config);
  const theirs = folder === undefined ? new Map<string, string>() : await filesBelow(folder);
  for (const [name, file] of theirs) checkUse(name, file, ours);
  const all = new Map([...ours, ...theirs]);
  const words = theirs.get('words.json');
  const languages = words === undefined ? LANGUAGES : await readWords(words);
  checkLocales(config, languages);
  const assets = new Map(
    [...all].flatMap(([name, file]) =>
      name.startsWith('assets/') ? [[name.slice('assets/'.length), file] as const] : [],
    ),
  );
  return {
    folder,
    templates: new Map([...all].filter(([name]) => /^(?:layouts|partials|pages)\//.test(name))),
    assets,
    hasOwnFront: theirs.has('pages/front.njk'),
    ownAssets: new Set([...assets.keys()].filter((name) => !ours.has(`assets/${name}`))),
    languages,
  };
}
