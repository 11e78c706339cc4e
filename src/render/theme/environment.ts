import { readFileSync } from 'node:fs';
import path from 'node:path';
import nunjucks from 'nunjucks';
import { compileTemplate } from './compile.ts';
import { renderError } from './failure.ts';
import { checkNames, type Finder, type Template } from './names.ts';
import { parseTemplate, resolvedName } from './syntax.ts';
import type { Theme } from './theme.ts';
import { checkUses } from './uses.ts';

/** `dev`: errors stay the objects that they were, with what is noted on them. */
const OPTIONS = { autoescape: true, throwOnUndefined: true, dev: true };

/** Gives Nunjucks the templates of a map and no other file: no name leads out of it. */
class ThemedLoader extends nunjucks.Loader implements nunjucks.ILoader {
  readonly async = false;
  readonly #templates: ReadonlyMap<string, string>;
  /** Eleventy looks here to forget a changed file. */
  readonly pathsToNames: Record<string, string> = {};

  constructor(templates: ReadonlyMap<string, string>) {
    super();
    this.#templates = templates;
  }

  getSource(name: string): nunjucks.LoaderSource {
    const file = this.#templates.get(name);
    // Nunjucks takes null for "not found"; its types do not say so.
    if (file === undefined) return null as unknown as nunjucks.LoaderSource;
    this.pathsToNames[file] = name;
    const obj = compileTemplate(readFileSync(file, 'utf8'), { name, file });
    const src = { type: 'code', obj } as unknown as string;
    return { src, path: file, noCache: false };
  }

  override resolve(from: string, to: string): string {
    return resolvedName(from, to);
  }
}

/**
 * The Nunjucks of a site. Texts are escaped where they land, and a name without a value is an error
 * with file and line, not a gap on a published page.
 */
export function templateEnvironment(templates: ReadonlyMap<string, string>): nunjucks.Environment {
  return new nunjucks.Environment(new ThemedLoader(templates), OPTIONS);
}

/**
 * Reads every template before anything is fetched: one that cannot be read, or that names what does
 * not exist, would otherwise be found after the pictures were made.
 *
 * @throws the template's error, with file and line; {@link ConfigError} where nothing would show a
 *   theme's partial, or a part of a template.
 */
export function checkTemplates({ templates, folder }: Pick<Theme, 'templates' | 'folder'>): void {
  const environment = templateEnvironment(templates);
  const read = new Map<string, Template>();
  try {
    for (const [name, file] of templates) {
      environment.getTemplate(name, true);
      const root = parseTemplate(readFileSync(file, 'utf8'));
      const isTheirs = folder !== undefined && file.startsWith(folder + path.sep);
      read.set(name, { file, root, isTheirs });
    }
    checkNames(read, environment as unknown as Finder);
  } catch (cause) {
    throw renderError(cause, folder);
  }
  checkUses(read);
}
