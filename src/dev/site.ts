import type { LoadedConfig } from '../config/load.ts';
import { modelOf, type PreparedSite } from '../publish/prepare.ts';
import { checkTemplates, templateEnvironment } from '../publish/theme/environment.ts';
import { renderError } from '../publish/theme/failure.ts';
import { readTheme } from '../publish/theme/theme.ts';
import { pagesByLayout } from '../site/pages.ts';
import type { PageView, SiteModel } from '../site/view.ts';
import { loadFacts } from '../stock/facts.ts';
import type { DealerStock } from '../stock/load.ts';

/** A site that is rendered page by page, as somebody looks at it. */
export interface DevSite {
  /** A page as a build would write it; undefined where there is none. @throws a template's error. */
  page(file: string): string | undefined;
  /** A file that is no page. */
  file(file: string): string | Uint8Array | undefined;
}

function siteOf(model: SiteModel, theme: PreparedSite['theme']): DevSite {
  const environment = templateEnvironment(theme.templates);
  const pages = new Map<string, { layout: string; view: PageView }>();
  for (const [layout, views] of pagesByLayout(model)) {
    for (const view of views) pages.set(view.file, { layout, view });
  }
  let files: Map<string, string | Uint8Array> | undefined;
  return {
    page(file) {
      const found = pages.get(file);
      if (!found) return undefined;
      try {
        return environment.render(found.layout, { site: model.site, page_: found.view });
      } catch (cause) {
        throw renderError(cause, theme.folder);
      }
    },
    file(name) {
      // Feeds, JSON and sitemaps of all vehicles: made when one is asked for.
      files ??= new Map(Array.from(model.files(), ({ file, content }) => [file, content]));
      return files.get(name);
    },
  };
}

/**
 * The site as its files are now: theme, words, assets and dealers' lists are read again; vehicles
 * and pictures stay as they were prepared.
 *
 * @throws {ConfigError} a file of the theme or a list is wrong.
 */
export async function readDevSite(
  config: LoadedConfig,
  stock: readonly DealerStock[],
  { media, extension }: Pick<PreparedSite, 'media' | 'extension'>,
): Promise<DevSite> {
  const theme = await readTheme(config);
  checkTemplates(theme);
  const facts = await loadFacts(config.dealers, config.file);
  return siteOf(await modelOf(config, stock, { media, facts, theme, extension }), theme);
}
