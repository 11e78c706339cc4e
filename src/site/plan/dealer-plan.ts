import type { CardPicture } from '../../images/card/card.ts';
import { fromPublic, type PublicVehicle } from '../../record/vehicle.ts';
import { vehicleSlug } from '../../stock/address.ts';
import type { DealerStock } from '../../stock/dealer-stock.ts';
import type { Vehicle } from '../../stock/vehicle.ts';
import { type FeedRows, feedRows } from '../vehicle-feeds/feed.ts';
import { offerOf } from '../vehicle-feeds/offer.ts';
import type { DealerContext } from '../views/context.ts';
import type { ListView } from '../views/list-types.ts';
import { inListOrder, newestFirst } from '../views/list-views.ts';
import { type MakeCount, makeSlug, makesOf, withLinks } from '../views/makes.ts';
import type { Other, Surroundings } from '../views/other-vehicles.ts';
import type { DealerSummary } from '../views/summaries.ts';
import { factsOf } from '../views/vehicle-texts.ts';
import type { PageView } from '../views/view.ts';
import { dealerViews } from './dealer-views.ts';
import { keyOf, type Planned, type PlannedPage, type PlanPart } from './planned.ts';
import { similarVehicles } from './surroundings.ts';
import {
  otherOf,
  planSheets,
  planVehicle,
  planWithdrawn,
  type VehiclePlan,
} from './vehicle-plan.ts';

/** Results for a dealer that are stored for the next build, which reuses all of them if the key is the same. */
export interface DealerHead {
  /** Hash of all vehicles and of the dealer. */
  key: string;
  summary: DealerSummary;
  /** Its lists and files, which depend only on the records of its vehicles. */
  pages: (Planned & Pick<PlannedPage, 'layout'>)[];
  files: Planned[];
}

export interface DealerPlan extends PlanPart {
  dealerId: number;
  /** Plans of its vehicles with their pages: vehicles in stock, newest first, then withdrawn ones. */
  vehicles: readonly VehiclePlan[];
  head: DealerHead;
  /** Its vehicles in their public form. */
  shown: readonly PublicVehicle[];
  /**
   * Hosts of hosted videos that no provider matches, with their counts in the response. No page shows them,
   * so they are not part of the record.
   */
  unmatched: ReadonlyMap<string, number>;
  /**
   * Its rows of each feed.
   *
   * @param picturesOf the pictures of a vehicle. Default: the pictures that are made.
   */
  feedRows(picturesOf?: (vehicle: Vehicle) => readonly string[]): FeedRows[];
  /** First page of its list. */
  list(): ListView;
}

const byDate = newestFirst<Vehicle>(
  ({ dateUpdated }) => dateUpdated,
  ({ slug }) => slug,
);

type DealerViews = ReturnType<typeof dealerViews>;

/** Merges the views in all languages of the site into the views of the first language. */
function mergeViews([first, ...others]: readonly DealerViews[]): DealerViews {
  if (!first) throw new Error('A site has at least one language');
  if (others.length === 0) return first;
  const { list, pages, files, summary } = first;
  return {
    list,
    pages: [...pages, ...others.flatMap((other) => other.pages)],
    files: [...files, ...others.flatMap((other) => other.files)],
    summary: {
      ...summary,
      sitemaps: [...summary.sitemaps, ...others.flatMap((other) => other.summary.sitemaps)],
      translated: others.map((other) => other.summary),
    },
  };
}

/** Merges a vehicle's plans in all languages. The view is in the first language. */
function mergePlans([first, ...others]: readonly VehiclePlan[]): VehiclePlan {
  if (!first) throw new Error('A site has at least one language');
  if (others.length === 0) return first;
  const all = [first, ...others];
  return {
    ...first,
    key: keyOf(all.map(({ key }) => key)),
    pages: all.flatMap(({ pages }) => pages),
    files: all.flatMap(({ files }) => files),
    release: () => {
      for (const { release } of all) release();
    },
  };
}

/** The vehicles around each vehicle: in stock, in the order of the list, and withdrawn. */
function surroundingsOf(
  { dealer, withdrawn }: DealerStock,
  { vehicles, shown }: { vehicles: readonly Vehicle[]; shown: readonly PublicVehicle[] },
  makes: readonly MakeCount[],
  context: DealerContext,
): {
  inStock: (Surroundings & { vehicle: PublicVehicle })[];
  similarToWithdrawn: Other[][];
} {
  const linked = withLinks(makes).map(({ slug }) => slug);
  const pageOf = (make = '') => linked.find((slug) => slug === makeSlug(make));
  const others = shown.map((vehicle) => otherOf(fromPublic(vehicle, dealer.id), context));
  const similar = similarVehicles(
    [
      ...vehicles.map(({ slug, vrm }) => ({ slug, facts: factsOf(vrm, context) })),
      ...withdrawn.map(({ vrm, facts = {} }) => ({ slug: vehicleSlug(vrm), facts })),
    ],
    vehicles.length,
  ).map((indices) => indices.flatMap((index) => others[index] ?? []));
  const inStock = shown.map((vehicle, index) => ({
    vehicle,
    similar: similar[index] ?? [],
    previous: others[index - 1],
    next: others[index + 1],
    makePage: pageOf(factsOf(vehicle.vrm, context).make),
  }));
  return { inStock, similarToWithdrawn: similar.slice(vehicles.length) };
}

function firstPicture(
  shown: readonly PublicVehicle[],
  { dealer, views }: DealerContext,
): CardPicture | undefined {
  for (const vehicle of shown) {
    const picture = views.cardPicture(fromPublic(vehicle, dealer.id));
    if (picture) return picture;
  }
  return undefined;
}

function headOf(
  key: string,
  { summary, pages, files }: DealerViews,
  contexts: readonly DealerContext[],
): DealerHead {
  const renderKeys = new Map(contexts.map(({ texts, renderKey }) => [texts.lang, renderKey]));
  return {
    key,
    summary,
    pages: pages.map(({ layout, view }) => {
      return { file: view.file, key: keyOf(renderKeys.get(view.lang), view), layout };
    }),
    files: files.map(({ file, key: fileKey }) => ({ file, key: fileKey })),
  };
}

/**
 * Plans the pages and files of one dealer. Results of an earlier build from the same input are reused.
 *
 * @param contexts in every language of the site, the first one first.
 */
export function planDealer(
  stock: DealerStock,
  contexts: readonly [DealerContext, ...DealerContext[]],
  previousHead: DealerHead | undefined,
): DealerPlan {
  const [context] = contexts;
  const { dealer, views: media } = context;
  const unmatched = new Map<string, number>();
  const inOrder = inListOrder<Vehicle>(({ vrm }) => factsOf(vrm, context), byDate);
  const vehicles = stock.vehicles.toSorted(inOrder);
  const shown = vehicles.map((vehicle) => media.publicOf(vehicle, unmatched));
  const makes = makesOf(
    vehicles.map(({ vrm }) => ({ name: factsOf(vrm, context).make ?? '', vehicles: 1 })),
  );
  const around = surroundingsOf(stock, { vehicles, shown }, makes, context);
  const isKnown = previousHead !== undefined;
  const plansByVehicle = around.inStock.map(({ vehicle, ...surroundings }) =>
    contexts.map((one) => planVehicle(vehicle, one, surroundings, isKnown)),
  );
  const plansIn = (language: number) => plansByVehicle.flatMap((plans) => plans[language] ?? []);
  const inStock = plansByVehicle.map(mergePlans);
  const withdrawn = stock.withdrawn.map((vehicle, index) =>
    mergePlans(
      contexts.map((one) => planWithdrawn(vehicle, one, around.similarToWithdrawn[index] ?? [])),
    ),
  );
  const withdrawnSlugs = stock.withdrawn.map(({ vrm }) => vehicleSlug(vrm));
  const sheets = context.sticker
    ? contexts.map((one, language) => planSheets(plansIn(language), one))
    : [];
  let cachedViews: DealerViews | undefined;
  /** The views of the lists. They are made when they are first needed. */
  const views = (): DealerViews => {
    if (cachedViews) return cachedViews;
    const picture = firstPicture(shown, context);
    const shared = { makes, withdrawn: withdrawnSlugs, picture };
    cachedViews = mergeViews(
      contexts.map((one, language) => {
        const records = plansIn(language).map((plan) => plan.record());
        return dealerViews(records, shared, one);
      }),
    );
    return cachedViews;
  };
  const key = keyOf(
    [...contexts.flatMap(({ viewKey, renderKey }) => [viewKey, renderKey]), withdrawnSlugs],
    inStock.map((vehicle) => vehicle.key),
  );
  const head = previousHead?.key === key ? previousHead : headOf(key, views(), contexts);
  return {
    dealerId: dealer.id,
    vehicles: [...inStock, ...withdrawn],
    head,
    shown,
    unmatched,
    pages: [
      ...head.pages.map((planned, index) => ({
        ...planned,
        view: () => views().pages[index]?.view as PageView,
      })),
      ...sheets,
    ],
    files: head.files.map((planned, index) => ({
      ...planned,
      content: () => views().files[index]?.content() ?? '',
    })),
    feedRows: (picturesOf = (vehicle) => media.feedPictures(vehicle)) => {
      if (context.feeds.length === 0) return [];
      const offers = vehicles.map((vehicle) => offerOf(vehicle, context, picturesOf(vehicle)));
      return feedRows(context.feeds, dealer.id, offers);
    },
    list: () => views().list,
    release: () => {
      cachedViews = undefined;
      for (const vehicle of [...inStock, ...withdrawn]) vehicle.release();
    },
  };
}
