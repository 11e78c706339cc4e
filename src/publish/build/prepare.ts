import type { LoadedConfig } from '../../config/load.ts';
import { OutputNames } from '../../images/output-names.ts';
import { runPipeline } from '../../images/pipeline/pipeline.ts';
import type { MediaResult, PipelineOptions } from '../../images/pipeline/types.ts';
import { planSources, withWithdrawn } from '../../images/plan.ts';
import type { TimeLimit } from '../../images/process/tasks.ts';
import { recipeBook } from '../../images/recipe-book.ts';
import { readNavigation, usesNavigation } from '../../render/custom-page-links.ts';
import type { ProjectOptions } from '../../render/custom-pages.ts';
import type { UserFiles } from '../../render/user-files.ts';
import type { PlanPart } from '../../site/plan/planned.ts';
import { planSite, type SitePlan, type SitePlanOptions } from '../../site/plan/site-plan.ts';
import type { GeneratedFile } from '../../site/views/view.ts';
import type { DealerStock } from '../../stock/dealer-stock.ts';
import type { Vehicle } from '../../stock/vehicle.ts';
import { mediaOf, posterOf } from '../../videos/configured.ts';
import { filesKey, programKey } from './program-key.ts';
import { urgentPictures, type Waiting, withoutWaiting } from './waiting.ts';

export interface PreparedSite {
  plan: SitePlan;
  media: MediaResult;
  /** The shown stock: the whole stock, unless pictures are missing. */
  stock: readonly DealerStock[];
  waiting?: Waiting;
}

/** Plans the site from finished pictures and the current theme. */
export const planOf = (
  config: LoadedConfig,
  stock: readonly DealerStock[],
  { control, legal, navigation, theme, assets }: UserFiles,
  media: Pick<MediaResult, 'contentOf' | 'outputs'>,
  headOf?: SitePlanOptions['headOf'],
): SitePlan =>
  planSite({
    config,
    stock,
    book: recipeBook(config.media, config.feeds),
    pictures: {
      contentOf: media.contentOf,
      suffixesOf: (hash) => media.outputs.suffixesOf(hash),
    },
    control,
    legal,
    navigation,
    ownFront: theme.hasOwnFront,
    assets,
    programKey: programKey(),
    templatesKey: filesKey(theme.templates),
    ...(headOf && { headOf }),
    languages: theme.languages,
  });

/** All parts of a plan: one for each dealer, and the site-wide one with the files of custom pages. */
export function partsOf(plan: SitePlan, custom: readonly GeneratedFile[]): PlanPart[] {
  const dealers = [...plan.dealers()];
  const siteWide = plan.siteWide(
    dealers.map(({ head }) => head.summary),
    custom,
  );
  return [...dealers.flatMap((dealer) => [...dealer.vehicles, dealer]), siteWide];
}

/** Stock of the configured dealers without any vehicles. */
const onlyDealers = (config: LoadedConfig): DealerStock[] =>
  config.dealers.map((dealer) => ({
    dealer,
    source: 'none',
    vehicles: [],
    withdrawn: [],
    notes: [],
  }));

/** Plans only the site-wide pages and files. Other processes or machines plan the dealers' pages. */
export const siteWidePlan = (config: LoadedConfig, userFiles: UserFiles): SitePlan =>
  planOf(config, onlyDealers(config), userFiles, {
    contentOf: () => undefined,
    outputs: new OutputNames(),
  });

/** Adds the links to custom pages, which all pages have. Reads front matter, and fetches nothing. */
export async function withNavigation(
  config: LoadedConfig,
  userFiles: UserFiles,
  options: Pick<ProjectOptions, 'runMode' | 'watched' | 'signal'>,
): Promise<UserFiles> {
  const { customPages, theme } = userFiles;
  if (!customPages || !(await usesNavigation(customPages))) return userFiles;
  const plan = siteWidePlan(config, userFiles);
  return {
    ...userFiles,
    navigation: await readNavigation(customPages, { config, plan, theme, ...options }),
  };
}

interface PrepareOptions
  extends Pick<
      PipelineOptions,
      'cacheDir' | 'now' | 'engines' | 'published' | 'signal' | 'onProgress' | 'onRestore'
    >,
    Pick<SitePlanOptions, 'headOf'> {
  /** User files. They are read before fetching, so that mistakes in them are reported early. */
  userFiles: UserFiles;
  /** Known pictures of the records. */
  pictures: Pick<PipelineOptions, 'known' | 'lastConfirmed' | 'usedByOthers'>;
  /** Time limit for pictures, and whether nothing is live yet. */
  limit?: { time: TimeLimit; first: boolean };
}

/** Makes the thumbnails of a stock, and the view models that use them. */
export async function prepareSite(
  config: LoadedConfig,
  stock: readonly DealerStock[],
  { userFiles, headOf, published, pictures, limit, ...options }: PrepareOptions,
): Promise<PreparedSite> {
  const book = recipeBook(config.media, config.feeds);
  const sourcesOf = (vehicles: Iterable<Vehicle>) => planSources(vehicles, book, posterOf(config));
  const sourcesIn = (dealers: readonly DealerStock[]) => {
    const vehicles = dealers.flatMap((dealer) => dealer.vehicles);
    return withWithdrawn(sourcesOf(vehicles), dealers, book);
  };
  let [shownStock, waiting]: [readonly DealerStock[], Waiting | undefined] = [stock, undefined];
  // The other dealers use a snapshot.
  const fresh = stock.filter(({ source }) => source === 'live');
  const freshIds = new Set(fresh.map(({ dealer }) => String(dealer.id)));
  const media = await runPipeline({
    ...options,
    sources: sourcesIn(stock),
    limit: limit && { time: limit.time, urgent: urgentPictures(stock, sourcesOf, limit) },
    without: (missing, lost) => {
      const isKnown = (key: string) => pictures.known?.known(key) !== undefined;
      ({ stock: shownStock, waiting } = withoutWaiting(stock, sourcesOf, {
        missing,
        lost,
        isKnown,
      }));
      return sourcesIn(shownStock);
    },
    ...pictures,
    asks: (dealer) => freshIds.has(dealer),
    media: mediaOf(config),
    baseUrl: config.service.baseUrl,
    published,
  });
  const plan = planOf(config, shownStock, userFiles, media, headOf);
  return { plan, media, stock: shownStock, waiting };
}
