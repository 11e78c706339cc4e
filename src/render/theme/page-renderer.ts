import nunjucks from 'nunjucks';
import { searchIndex } from '../../site/documents/search-index.ts';
import type { PlannedPage } from '../../site/plan/planned.ts';
import type { CardView, SearchView } from '../../site/views/list-types.ts';
import type { SiteView } from '../../site/views/view.ts';
import { compileTemplate } from './compiler.ts';
import { renderError } from './failure.ts';
import { readTemplate, resolvedName } from './syntax.ts';
import type { Theme } from './theme.ts';

/** `dev` keeps the error objects that were thrown. */
const OPTIONS = { autoescape: true, throwOnUndefined: true, dev: true };

/** Loads only the templates of a map, so that no name can lead to another file. */
const loaderOf = (templates: ReadonlyMap<string, string>) => ({
  getSource(name: string): nunjucks.LoaderSource {
    const file = templates.get(name);
    // Nunjucks expects null if there is no such template. Its types do not describe that.
    if (file === undefined) return null as unknown as nunjucks.LoaderSource;
    const obj = compileTemplate(readTemplate(file), { name, file });
    const src = { type: 'code', obj } as unknown as string;
    return { src, path: file, noCache: false };
  },
  isRelative: () => true,
  resolve: resolvedName,
});

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
  const environment = new nunjucks.Environment(loaderOf(templates), OPTIONS);
  environment.addFilter('listIndex', indexOfCards);
  return environment;
}

/** Returns the text of a page. @throws {AppError} an error in a template, with file and line. */
export type PageRenderer = (page: Pick<PlannedPage, 'layout' | 'view'>) => string;

/**
 * Renders pages with the templates of a site, each with the texts of its language. Builds, the doctor,
 * `npm run dev` and Eleventy's own command all use it. A template is compiled when it is first used.
 */
export function pageRenderer(
  sites: readonly SiteView[],
  theme: Pick<Theme, 'templates' | 'folder'>,
): PageRenderer {
  const environment = templateEnvironment(theme);
  const byLanguage = new Map(sites.map((site) => [site.lang, site]));
  return ({ layout, view }) => {
    const page = view();
    try {
      return environment.render(layout, { site: byLanguage.get(page.lang), page_: page });
    } catch (error) {
      throw renderError(error, theme.templates.get(layout) ?? layout, theme.folder);
    }
  };
}
