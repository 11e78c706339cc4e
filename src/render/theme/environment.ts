import { readFileSync } from 'node:fs';
import path from 'node:path';
import nunjucks from 'nunjucks';
import { OWN_VERSION, packageVersion } from '../../lib/own-package.ts';
import { cachedForProgram } from '../../lib/program-cache.ts';
import { searchIndex } from '../../site/documents/search-index.ts';
import type { CardView, SearchView } from '../../site/views/list-types.ts';
import { compileTemplate } from './compiler.ts';
import { renderError } from './failure.ts';
import { checkNames, type Finder, type Template } from './names.ts';
import { checkParts } from './parts.ts';
import { parseTemplate, readTemplate, resolvedName } from './syntax.ts';
import type { Theme } from './theme.ts';
import { checkUses } from './uses.ts';

/** `dev`: errors stay the objects that they were, with what is noted on them. */
const OPTIONS = { autoescape: true, throwOnUndefined: true, dev: true };

/** Gives Nunjucks the templates of a map and no other file: no name leads out of it. */
class ThemedLoader extends nunjucks.Loader implements nunjucks.ILoader {
  readonly async = false;
  readonly #templates: ReadonlyMap<string, string>;

  constructor(templates: ReadonlyMap<string, string>) {
    super();
    this.#templates = templates;
  }

  getSource(name: string): nunjucks.LoaderSource {
    const file = this.#templates.get(name);
    // Nunjucks takes null for "not found"; its types do not say so.
    if (file === undefined) return null as unknown as nunjucks.LoaderSource;
    const obj = compileTemplate(readTemplate(file), { name, file });
    const src = { type: 'code', obj } as unknown as string;
    return { src, path: file, noCache: false };
  }

  override resolve(from: string, to: string): string {
    return resolvedName(from, to);
  }
}

/** @param cards the macro of `partials/card.njk`, called with one card at a time. */
const indexOfCards = (
  cards: (list: CardView[]) => unknown,
  lists: SearchView['lists'],
  lang: string,
) =>
  searchIndex(
    lists.map((list) => ({
      ...list,
      html: list.cards.map((card) => String(cards([card])).trim()),
    })),
    lang,
  );

/**
 * The Nunjucks environment of a site. Texts are escaped on output, and a name without a value is an error
 * with file and line, not a gap on a published page.
 */
export function templateEnvironment({ templates }: Pick<Theme, 'templates'>): nunjucks.Environment {
  const loader = new ThemedLoader(templates);
  const environment = new nunjucks.Environment(loader, OPTIONS);
  environment.addFilter('listIndex', indexOfCards);
  return environment;
}

/**
 * Reads every template before anything is fetched: one that cannot be read, or that names what does
 * not exist, would otherwise be found after the pictures were made.
 *
 * @throws the template's error, with file and line; {@link ConfigError} if a theme's file lacks
 *   a part that others use, or nothing would show a theme's partial, or a part of a template.
 */
export function checkTemplates(theme: Pick<Theme, 'templates' | 'folder'>): void {
  const { templates, folder } = theme;
  const environment = templateEnvironment(theme);
  const read = new Map<string, Template>();
  try {
    for (const [name, file] of templates) {
      environment.getTemplate(name, true);
      const root = parseTemplate(readTemplate(file));
      const isTheirs = folder !== undefined && file.startsWith(folder + path.sep);
      read.set(name, { file, root, isTheirs });
    }
    checkNames(read, environment as unknown as Finder);
  } catch (cause) {
    throw renderError(cause, folder);
  }
  checkParts(read);
  checkUses(read);
}

/** Raised when templates are looked at in another way. */
const CHECK = 5;

/**
 * Reads every template before anything is fetched, unless the same ones were found to be good before.
 * Compiling all of them takes 40 ms.
 *
 * @throws the template's error, with file and line.
 */
export async function checkTheme(theme: Theme): Promise<void> {
  const check = (): string => {
    checkTemplates(theme);
    return 'good';
  };
  let texts: (readonly unknown[])[];
  try {
    texts = [...theme.templates].map(([name, file]) => [
      name,
      readFileSync(file, 'utf8'),
      // Default templates may be unused.
      theme.folder !== undefined && file.startsWith(theme.folder),
    ]);
  } catch {
    // The check reports which one cannot be read.
    check();
    return;
  }
  const versions = [OWN_VERSION, packageVersion('nunjucks')];
  await cachedForProgram(['templates', CHECK, ...versions, texts], check);
}
