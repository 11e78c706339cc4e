import { constants, lstatSync } from 'node:fs';
import { copyFile, mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { listFiles } from '../../change-set/listing.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { parseJson } from '../../config/read-file.ts';
import { localesOf } from '../../config/site-schema.ts';
import { ConfigError, printable } from '../../errors.ts';
import { didYouMean } from '../../lib/closest.ts';
import { userText } from '../../lib/files/read.ts';
import { isSafeFile } from '../../lib/files/safe-file.ts';
import { PACKAGE_ROOT } from '../../lib/own-package.ts';
import { type Catalogues, hasWords, LANGUAGES } from '../../site/i18n/index.ts';
import { withThemeWords } from '../../site/i18n/theme-words.ts';
import { unusedFile } from './failure.ts';

/** Folder of the built-in layouts, partials and assets, absolute. */
export const TEMPLATES = path.join(PACKAGE_ROOT, 'templates');

/** Folder of the built-in templates of pages, absolute: one for each kind. */
export const PAGES = path.join(TEMPLATES, 'pages');

/** Files of editors and file managers, and the notes of a theme's author. */
const IGNORED = /(?:^|\/)(?:\..*|.*~|README\.md|Thumbs\.db)(?:\/|$)/;

/** File endings of assets. All assets are published. */
const ASSET_TYPES = /\.(?:css|js|woff2?|svg|png|jpe?g|webp|avif|ico)$/;

const TEMPLATE_FOLDER = /^(?:layouts|partials|pages)\//;

type ThemeConfig = Pick<LoadedConfig, 'site' | 'file'>;

export interface Theme {
  /** Absolute. Undefined if there is no theme. */
  folder: string | undefined;
  /** Absolute file of every template by its name, such as `pages/vehicle.njk`. Files of the theme override built-in ones. */
  templates: ReadonlyMap<string, string>;
  /** Absolute file of every asset by its name, such as `base.css` or `gallery/zoom.js`. */
  assets: ReadonlyMap<string, string>;
  /** Names of the assets that only the theme has. */
  ownAssets: ReadonlySet<string>;
  hasOwnFront: boolean;
  /** Texts of every language. The theme's replace the built-in ones. */
  languages: Catalogues;
}

/** The error for a file of a theme that is not accepted. */
const refusal = (file: string, why: string, fix: string): ConfigError =>
  new ConfigError({
    code: 'theme-file-refused',
    what: `The theme's file ${printable(file)} is refused.`,
    why,
    fix,
  });

/**
 * Files below a folder, by their path in it with `/` between the parts. Undefined if the folder does not exist.
 *
 * @throws {ConfigError} there is a symbolic link, which could lead out of the folder, or a name that not every
 *   system can store.
 */
function filesBelow(folder: string): Map<string, string> | undefined {
  const status = lstatSync(folder, { throwIfNoEntry: false });
  if (!status) return undefined;
  if (!status.isDirectory()) {
    throw new ConfigError({
      code: 'theme-no-folder',
      what: `The theme ${folder} is not a folder.`,
      why: 'Files and symbolic links are not accepted.',
      fix: 'Set site.theme to a real folder.',
    });
  }
  const { files, odd } = listFiles(folder);
  const isUsed = (name: string) => !IGNORED.test(name);
  const link = odd.find(isUsed);
  if (link !== undefined) {
    throw refusal(
      path.join(folder, link),
      'It is a symbolic link or a device, which could lead to any file of this machine.',
      'Replace it with a copy of the file.',
    );
  }
  const names = files.filter(isUsed).sort();
  const unsafe = names.find((name) => !isSafeFile(name));
  if (unsafe !== undefined) {
    throw refusal(
      path.join(folder, unsafe),
      'Not every file system and web server can store its name.',
      'Use letters, digits, dots, hyphens and underscores.',
    );
  }
  return new Map(names.map((name) => [name, path.join(folder, name)]));
}

const builtInFiles = (): Map<string, string> => filesBelow(TEMPLATES) ?? new Map();

/** Why a file of a theme would have no effect, with the fix. Undefined if it has one. */
function faultOf(
  name: string,
  builtIn: ReadonlyMap<string, string>,
): [why: string, fix: string] | undefined {
  if (name === 'words.json') return undefined;
  if (/^(?:layouts|pages)\//.test(name) && !builtIn.has(name)) {
    const names = [...builtIn.keys()].filter((other) => /^(?:layouts|pages)\//.test(other));
    return [
      'Files in layouts/ and pages/ replace default templates, and no default template has this name.',
      `The default templates are ${names.join(', ')}.${didYouMean(name, names)} Custom pages go into the folder pages/ next to the configuration (docs/extending.md).`,
    ];
  }
  if (TEMPLATE_FOLDER.test(name)) {
    if (name.endsWith('.njk')) return undefined;
    return ['Templates end in .njk.', 'Rename it, or take it out of the theme.'];
  }
  if (!name.startsWith('assets/')) {
    return [
      'A theme has layouts/, partials/, pages/, assets/ and words.json.',
      'Move it into one of these folders. docs/theming.md explains each.',
    ];
  }
  if (!ASSET_TYPES.test(name)) {
    return [
      'Assets are style sheets, scripts, fonts and pictures.',
      'Use .css, .js, .woff2, .woff, .svg, .png, .jpg, .webp, .avif or .ico.',
    ];
  }
  if (/^assets\/(?:logo-|site[.-])/.test(name) && !builtIn.has(name)) {
    return ['Names that begin with "logo-" or "site" are reserved.', 'Give it another name.'];
  }
  return undefined;
}

/** @throws {ConfigError} an additional language of the site has no texts: its pages would be in English. */
function checkLocales({ site }: ThemeConfig, languages: Catalogues): void {
  const locales = localesOf(site).map(({ locale }) => locale);
  const missing = locales.filter((locale) => !hasWords(locale, languages));
  if (locales.length === 1 || missing.length === 0) return;
  throw new ConfigError({
    code: 'locale-words-missing',
    what: `There are no texts for ${missing.join(', ')}.`,
    why: 'A site with several languages needs the texts of each.',
    fix: `Remove it from site.locales, or write its texts into words.json of a theme (docs/theming.md). Available: ${Object.keys(languages).join(', ')}.`,
  });
}

async function readWords(file: string): Promise<Catalogues> {
  const wordsError = (list: string[], cause?: unknown) =>
    new ConfigError({
      code: 'theme-words-invalid',
      what: `The texts ${file} have ${list.length === 1 ? 'a problem' : `${list.length} problems`}:\n${list.map((line) => `- ${printable(line)}`).join('\n')}`,
      fix: 'Correct them. docs/theming.md explains the file.',
      cause,
    });
  const text = userText(await readFile(file), file);
  const content = await parseJson(text).catch((cause: Error) => {
    throw wordsError([cause.message], cause);
  });
  const { languages, problems } = withThemeWords(content);
  if (problems.length === 0) return languages;
  throw wordsError(problems);
}

/** The folder of the theme, absolute. It need not exist. */
export function themeFolder({ site, file }: ThemeConfig): string {
  return path.resolve(path.dirname(file), site.theme ?? 'theme');
}

/** Finds the templates, assets and texts of a site: the built-in ones, and their replacements in the theme. */
export async function readTheme(config: ThemeConfig): Promise<Theme> {
  const builtIn = builtInFiles();
  const folder = themeFolder(config);
  const themeFiles = filesBelow(folder);
  if (!themeFiles && config.site.theme !== undefined) {
    throw new ConfigError({
      code: 'theme-missing',
      what: `The theme ${folder} does not exist.`,
      why: 'site.theme names it. A relative path counts from the configuration file.',
      fix: 'Correct site.theme, or remove it to use the default design.',
    });
  }
  for (const [name, file] of themeFiles ?? []) {
    const reason = faultOf(name, builtIn);
    if (reason) throw unusedFile(file, ...reason);
  }
  const all = [...new Map([...builtIn, ...(themeFiles ?? [])])];
  const words = themeFiles?.get('words.json');
  const languages = words === undefined ? LANGUAGES : await readWords(words);
  checkLocales(config, languages);
  const assets = new Map(
    all.flatMap(([name, file]) =>
      name.startsWith('assets/') ? [[name.slice('assets/'.length), file]] : [],
    ),
  );
  return {
    folder: themeFiles && folder,
    templates: new Map(all.filter(([name]) => TEMPLATE_FOLDER.test(name))),
    assets,
    hasOwnFront: Boolean(themeFiles?.has('pages/front.njk')),
    ownAssets: new Set([...assets.keys()].filter((name) => !builtIn.has(`assets/${name}`))),
    languages,
  };
}

/**
 * Copies a built-in template or asset into a theme. The copy replaces the built-in file.
 *
 * @param name such as `partials/card.njk`.
 * @param theme the theme's folder, absolute. It is created if it is missing.
 * @returns the new file, absolute.
 * @throws {ConfigError} there is no file of this name, the theme has one, or the theme is not a folder.
 */
export async function copyIntoTheme(name: string, theme: string): Promise<string> {
  const builtIn = builtInFiles();
  const source = builtIn.get(name);
  if (source === undefined) {
    const names = [...builtIn.keys()];
    // A user may leave out the folder or the ending, as in "dealer".
    const named = names.filter((full) => path.parse(full).name === path.parse(name).name);
    throw new ConfigError({
      code: 'theme-copy-unknown',
      what: `There is no template ${name || 'without a name'}.`,
      why: `The templates are ${names.join(', ')}.`,
      fix: `Choose one of them.${named[0] === undefined ? didYouMean(name, names) : ` Did you mean ${named.join(' or ')}?`}`,
    });
  }
  // Refuses symbolic links, so that the copy stays inside the theme.
  filesBelow(theme);
  const file = path.join(theme, name);
  await mkdir(path.dirname(file), { recursive: true });
  try {
    await copyFile(source, file, constants.COPYFILE_EXCL);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause;
    throw new ConfigError({
      code: 'theme-copy-exists',
      what: `The theme already has ${file}.`,
      why: 'It may contain your changes, so it was not replaced.',
      fix: 'Edit that file, or move it away and run the command again.',
      cause,
    });
  }
  return file;
}
