import type { LoadedConfig } from '../config/load.ts';
import { type PreparedSite, partsOf, planOf } from '../publish/build/prepare.ts';
import { findCustomPages, makeCustomPages } from '../render/custom-pages.ts';
import { readLegalTexts } from '../render/legal-texts.ts';
import { pageRenderer } from '../render/page-renderer.ts';
import { checkTemplates } from '../render/theme/environment.ts';
import { readTheme, type Theme } from '../render/theme/theme.ts';
import type { SitePlan } from '../site/plan/site-plan.ts';
import type { GeneratedFile } from '../site/views/view.ts';
import { loadList } from '../stock/list.ts';
import type { DealerStock } from '../stock/load.ts';

/** A site that is rendered page by page, as somebody looks at it. */
export interface DevSite {
  /** A page as a build would write it; undefined where there is none. @throws a template's error. */
  page(file: string): string | undefined;
  /** A file that is no page. */
  file(file: string): string | Uint8Array | undefined;
}

function siteOf(
  plan: SitePlan,
  { theme, custom }: { theme: Theme; custom: readonly GeneratedFile[] },
): DevSite {
  const render = pageRenderer(plan.sites, theme);
  const parts = partsOf(plan, custom);
  const pages = new Map(parts.flatMap((part) => part.pages.map((page) => [page.file, page])));
  const files = new Map(parts.flatMap((part) => part.files.map((file) => [file.file, file])));
  return {
    page(file) {
      const found = pages.get(file);
      return found && render(found);
    },
    file: (name) => files.get(name)?.content(),
  };
}

/**
 * The site as its files are now: theme, words, assets, dealers' lists and texts are read again; vehicles
 * and pictures stay as they were prepared.
 *
 * @throws {ConfigError} a file of the theme, a list or a text is wrong.
 */
export async function readDevSite(
  config: LoadedConfig,
  stock: readonly DealerStock[],
  { media }: Pick<PreparedSite, 'media'>,
): Promise<DevSite> {
  const theme = await readTheme(config);
  checkTemplates(theme);
  const listed = await Promise.all(
    stock.map(async (one) => {
      const { file: configFile, publish } = config;
      const { dealer, vehicles } = one;
      const options = { configFile, publish, vehicles, last: undefined, acceptLoss: [] };
      const list = await loadList(dealer, options);
      if (list?.problem) throw list.problem;
      return { ...one, list };
    }),
  );
  const legal = await readLegalTexts(config);
  const customPages = findCustomPages(config);
  const plan = await planOf(config, listed, { media, legal, theme, customPages });
  const custom = await makeCustomPages(customPages, { config, plan, theme });
  return siteOf(plan, { theme, custom });
}
