import type { LoadedConfig } from '../config/load.ts';
import { type PreparedSite, planOf } from '../publish/build/prepare.ts';
import { checkTemplates, templateEnvironment } from '../render/theme/environment.ts';
import { renderError } from '../render/theme/failure.ts';
import { readTheme } from '../render/theme/theme.ts';
import type { PlannedFile, PlannedPage } from '../site/plan/planned.ts';
import type { SitePlan } from '../site/plan/site-plan.ts';
import { loadFacts } from '../stock/facts.ts';
import type { DealerStock } from '../stock/load.ts';

/** A site that is rendered page by page, as somebody looks at it. */
export interface DevSite {
  /** A page as a build would write it; undefined where there is none. @throws a template's error. */
  page(file: string): string | undefined;
  /** A file that is no page. */
  file(file: string): string | Uint8Array | undefined;
}

function siteOf(plan: SitePlan, theme: PreparedSite['theme']): DevSite {
  const environment = templateEnvironment(theme.templates);
  const dealers = [...plan.dealers()];
  const pages = new Map<string, PlannedPage>();
  const files = new Map<string, PlannedFile>();
  const siteWide = plan.siteWide(dealers.map(({ head }) => head.summary));
  for (const part of [...dealers.flatMap((dealer) => [...dealer.vehicles, dealer]), siteWide]) {
    for (const page of part.pages) pages.set(page.file, page);
    for (const file of part.files) files.set(file.file, file);
  }
  return {
    page(file) {
      const found = pages.get(file);
      if (!found) return undefined;
      try {
        return environment.render(found.layout, { site: plan.site, page_: found.view() });
      } catch (cause) {
        throw renderError(cause, theme.folder);
      }
    },
    file: (name) => files.get(name)?.content(),
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
  return siteOf(await planOf(config, stock, { media, facts, theme, extension }), theme);
}
