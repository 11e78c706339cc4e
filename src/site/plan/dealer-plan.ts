import { fromPublic, type PublicVehicle } from '../../record/vehicle.ts';
import { vehicleSlug } from '../../stock/address.ts';
import type { DealerStock } from '../../stock/load.ts';
import type { Vehicle } from '../../stock/vehicle.ts';
import { type FeedRows, feedRows } from '../vehicle-feeds/feed.ts';
import { offerOf } from '../vehicle-feeds/offer.ts';
import type { DealerContext } from '../views/context.ts';
import type { ListView } from '../views/list-types.ts';
import { inListOrder, newestFirst } from '../views/list-views.ts';
import { makeSlug, makesIn, withPage } from '../views/makes.ts';
import type { DealerSummary } from '../views/summaries.ts';
import { factsOf } from '../views/vehicle-texts.ts';
import type { PageView } from '../views/view.ts';
import { dealerViews } from './dealer-views.ts';
import {
  keyOf,
  type Planned,
  type PlannedFile,
  type PlannedPage,
  type PlanPart,
} from './planned.ts';
import { similarVehicles } from './surroundings.ts';
import { otherOf, planVehicle, planWithdrawn, type VehiclePlan } from './vehicle-plan.ts';

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

/** Merges the views in all languages of the site into the views of the first language. */
function mergeViews([first, ...others]: readonly ReturnType<typeof dealerViews>[]) {
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
  const { perPage, views: media } = context;
  const unmatched = new Map<string, number>();
  const orderedVehicles = [...stock.vehicles].sort(
    inListOrder(({ vrm }) => factsOf(vrm, context), byDate),
  );
  const makes = makesIn(orderedVehicles, context.facts);
  const makesWithPage = withPage(makes).map(({ slug }) => slug);
  const pageOf = (make = '') => makesWithPage.find((slug) => slug === makeSlug(make));
  const publicVehicles = orderedVehicles.map((vehicle) => media.publicOf(vehicle, unmatched));
  const others = publicVehicles.map((vehicle) =>
    otherOf(fromPublic(vehicle, stock.dealer.id), context),
  );
  const similar = similarVehicles(
    [
      ...orderedVehicles.map(({ slug, vrm }) => ({ slug, facts: factsOf(vrm, context) })),
      ...stock.withdrawn.map(({ vrm, facts = {} }) => ({ slug: vehicleSlug(vrm), facts })),
    ],
    orderedVehicles.length,
  ).map((indices) => indices.flatMap((index) => others[index] ?? []));
  const plansByVehicle = publicVehicles.map((vehicle, index) =>
    contexts.map((languageContext) =>
      planVehicle(vehicle, languageContext, {
        similar: similar[index] ?? [],
        previous: others[index - 1],
        next: others[index + 1],
        isKnown: previousHead !== undefined,
        makePage: pageOf(factsOf(vehicle.vrm, context).make),
      }),
    ),
  );
  const inStock = plansByVehicle.map(mergePlans);
  const withdrawn = stock.withdrawn.map((vehicle, index) =>
    mergePlans(
      contexts.map((languageContext) =>
        planWithdrawn(vehicle, languageContext, similar[orderedVehicles.length + index] ?? []),
      ),
    ),
  );
  const key = keyOf(
    [
      ...contexts.flatMap(({ viewKey, renderKey }) => [viewKey, renderKey]),
      perPage,
      withdrawn.length,
    ],
    inStock.map((vehicle) => vehicle.key),
  );

  const picture = () => {
    for (const vehicle of publicVehicles) {
      const cardPicture = media.cardPicture(fromPublic(vehicle, stock.dealer.id));
      if (cardPicture) return cardPicture;
    }
    return undefined;
  };
  let cachedViews: ReturnType<typeof dealerViews> | undefined;
  const views = () => {
    cachedViews ??= mergeViews(
      contexts.map((languageContext, language) =>
        dealerViews(
          plansByVehicle.flatMap((plans) => plans[language]?.record() ?? []),
          { makes, withdrawn: withdrawn.length, picture: picture() },
          languageContext,
        ),
      ),
    );
    return cachedViews;
  };
  const renderKeys = new Map(contexts.map(({ texts, renderKey }) => [texts.lang, renderKey]));
  const headNow = (): DealerHead => ({
    key,
    summary: views().summary,
    pages: views().pages.map(({ layout, view }) => {
      return { file: view.file, key: keyOf(renderKeys.get(view.lang), view), layout };
    }),
    files: views().files.map(({ file, key: fileKey }) => ({ file, key: fileKey })),
  });
  const head = previousHead?.key === key ? previousHead : headNow();
  const pages = head.pages.map(
    (planned, index): PlannedPage => ({
      ...planned,
      view: () => views().pages[index]?.view as PageView,
    }),
  );
  const files = head.files.map(
    (planned, index): PlannedFile => ({
      ...planned,
      content: () => views().files[index]?.content() ?? '',
    }),
  );
  return {
    dealerId: stock.dealer.id,
    vehicles: [...inStock, ...withdrawn],
    head,
    shown: publicVehicles,
    unmatched,
    pages,
    files,
    feedRows: (picturesOf = (vehicle) => media.feedPictures(vehicle)) => {
      if (context.feeds.length === 0) return [];
      const offers = orderedVehicles.map((vehicle) =>
        offerOf(vehicle, context, picturesOf(vehicle)),
      );
      return feedRows(context.feeds, stock.dealer.id, offers);
    },
    list: () => views().list,
    release: () => {
      cachedViews = undefined;
      for (const vehicle of [...inStock, ...withdrawn]) vehicle.release();
    },
  };
}
