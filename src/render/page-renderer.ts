import type { PlannedPage } from '../site/plan/planned.ts';
import type { SiteView } from '../site/views/view.ts';
import { templateEnvironment } from './theme/environment.ts';
import { renderError } from './theme/failure.ts';
import type { Theme } from './theme/theme.ts';

/** The text of a page. @throws {AppError} what is wrong with a template, with file and line. */
export type PageRenderer = (page: Pick<PlannedPage, 'layout' | 'view'>) => string;

/**
 * Renders pages by the templates of a site. Builds, the doctor, `npm run dev` and Eleventy's own command
 * all do so here. A template is compiled when it is first used, and stays compiled.
 */
export function pageRenderer(
  site: SiteView,
  theme: Pick<Theme, 'templates' | 'functions' | 'folder'>,
): PageRenderer {
  const environment = templateEnvironment(theme);
  return ({ layout, view }) => {
    const context = { site, page_: view() };
    try {
      return environment.render(layout, context);
    } catch (cause) {
      throw renderError(cause, theme.folder);
    }
  };
}
