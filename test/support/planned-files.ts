import type { LoadedConfig } from '../../src/config/load.ts';
import { planSources } from '../../src/images/plan.ts';
import { recipeBook } from '../../src/images/recipe-book.ts';
import { type Content, outputNames, outputSuffixes } from '../../src/images/recipes.ts';
import { pieceName } from '../../src/record/file.ts';
import { filesName } from '../../src/record/files.ts';
import { PUBLISHED_TIMES, RECORDS } from '../../src/record/published-records.ts';
import type { PlanPart } from '../../src/site/plan/planned.ts';
import { planSite, type SitePlanOptions } from '../../src/site/plan/site-plan.ts';
import type { DealerStock } from '../../src/stock/dealer-stock.ts';
import type { Vehicle } from '../../src/stock/vehicle.ts';
import { shippedAssets } from './theme.ts';

/** The stock of a dealer after a response with these vehicles and no earlier ones. */
export const stockOf = (
  dealer: DealerStock['dealer'],
  vehicles: readonly Vehicle[],
): DealerStock => ({
  dealer,
  source: 'live',
  vehicles,
  withdrawn: [],
  takenAt: '2026-03-01T00:00:00Z',
  notes: [],
});

/**
 * The plan of a site whose pictures all have their thumbnails, and the names of the thumbnails.
 *
 * @param contentOf content of a source by its key.
 */
export async function planOf(
  config: LoadedConfig,
  stock: readonly DealerStock[],
  contentOf: (key: string) => Content,
  options: Pick<SitePlanOptions, 'control' | 'headOf' | 'ownFront'> = {},
) {
  const book = recipeBook(config.media, config.feeds);
  const ends = new Map<string, readonly string[]>();
  const media = new Set<string>();
  const vehicles = stock.flatMap((dealer) => dealer.vehicles);
  for (const { key, recipes } of planSources(vehicles, book)) {
    const content = contentOf(key);
    ends.set(content.hash, outputSuffixes(content, recipes));
    for (const name of outputNames(content, recipes)) media.add(`media/${name}`);
  }
  const plan = planSite({
    config,
    stock,
    book,
    pictures: {
      contentOf: (key) => ({ ...contentOf(key), colour: '336699' }),
      suffixesOf: (hash) => ends.get(hash) ?? [],
    },
    assets: await shippedAssets(config),
    programKey: 'program',
    templatesKey: 'templates',
    ...options,
  });
  const dealers = [...plan.dealers()];
  const siteWide = plan.siteWide(dealers.map(({ head }) => head.summary));
  const parts: PlanPart[] = [
    ...dealers.flatMap((dealer) => [dealer, ...dealer.vehicles]),
    siteWide,
  ];
  return { media, plan, dealers, parts };
}

/** Every file of a site, computed from the plans of its pictures and pages without a build. */
export async function plannedFiles(
  config: LoadedConfig,
  vehicles: readonly Vehicle[],
  contentOf: (key: string) => Content,
): Promise<{ media: Set<string>; pages: Set<string> }> {
  const stock = config.dealers.map((dealer) =>
    stockOf(
      dealer,
      vehicles.filter(({ dealerId }) => dealerId === dealer.id),
    ),
  );
  const { media, parts } = await planOf(config, stock, contentOf);
  const records = config.dealers.flatMap(({ id }) => [pieceName(id), filesName(id)]);
  return {
    media,
    pages: new Set([
      ...parts.flatMap(({ pages, files }) => [...pages, ...files].map(({ file }) => file.slice(1))),
      ...[...records, filesName('site')].map((name) => `${RECORDS}${name}`),
      PUBLISHED_TIMES,
    ]),
  };
}
