import nunjucks from 'nunjucks';
import type { PlannedPage } from '../site/plan/planned.ts';
import type { SiteView } from '../site/views/view.ts';
import { templateEnvironment } from './theme/environment.ts';
import { renderError } from './theme/failure.ts';
import type { Theme } from './theme/theme.ts';

/** Variables of a template; Nunjucks ships no types of them. */
const { Frame } = nunjucks.runtime as unknown as { Frame: new () => object };

/** What is used of Nunjucks here; its types do not say all of it. */
interface Environment {
  getTemplate(name: string): {
    render(context: object, variables: object, done: (error: unknown, text: string) => void): void;
  };
}

/** The text of a page. @throws {AppError} what is wrong with a template, with file and line. */
export type PageRenderer = (page: Pick<PlannedPage, 'layout' | 'view'>) => string;

/**
 * Renders pages by the templates of a site, each with the words of its language. Builds, the doctor, `npm run dev` and Eleventy's own command
 * all do so here. A template is compiled when it is first used, and stays compiled.
 */
export function pageRenderer(
  sites: readonly SiteView[],
  theme: Pick<Theme, 'templates' | 'folder'>,
): PageRenderer {
  const environment = templateEnvironment(theme) as unknown as Environment;
  const byLanguage = new Map(sites.map((site) => [site.lang, site]));
  return ({ layout, view }) => {
    const page = view();
    const context = { site: byLanguage.get(page.lang), page_: page };
    let failure: { cause: unknown } | undefined;
    let text: string | undefined;
    try {
      // With variables of its own, the one that renders calls back at once. Without a callback it would
      // throw: every template that is being rendered would catch that, as if it had failed itself.
      const variables = new Frame();
      environment.getTemplate(layout).render(context, variables, (cause, result) => {
        if (cause) failure ??= { cause };
        else text ??= result;
      });
    } catch (cause) {
      failure ??= { cause };
    }
    if (failure) throw renderError(failure.cause, theme.folder);
    if (text === undefined) throw new Error(`The template ${layout} did not end`);
    return text;
  };
}
