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
  /** Its lists and files, which are made from the records of its vehicles alone. */
  pages: (Planned & Pick<PlannedPage, 'layout'>)[];
  files: Planned[];
}

export interface DealerPlan extends PlanPart {
  dealerId: number;
  /** Plans of its vehicles, each with its own pages: first those in stock, newest first, then withdrawn ones. */
  vehicles: readonly VehiclePlan[];
  head: DealerHead;
  /** Its vehicles in their public form. */
  shown: readonly PublicVehicle[];
  /**
   * Hosts of hosted videos that no provider matches, with their counts in the answer. No page shows them,
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

/** Views in all languages of the site: those of the first have the rest beside them. */
function inAllLanguages([first, ...others]: readonly ReturnType<typeof dealerViews>[]) {
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

/** A vehicle's plans in all languages as one, whose view is that of the first. */
function asOne([first, ...others]: readonly VehiclePlan[]): VehiclePlan {
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
 * Plans the pages and files of one dealer. Those of an earlier build from the same input are reused.
 *
 * @param contexts in every language of the site, the first one first.
 */
export function planDealer(
  stock: DealerStock,
  contexts: readonly [DealerContext, ...DealerContext[]],
  former: DealerHead | undefined,
): DealerPlan {
  const [context] = contexts;
  const { perPage, views: media } = context;
  const unmatched = new Map<string, number>();
  const listed = [...stock.vehicles].sort(inListOrder(({ vrm }) => factsOf(vrm, context), byDate));
  const makes = makesIn(listed, context.facts);
  const paged = withPage(makes).map(({ slug }) => slug);
  const pageOf = (make = '') => paged.find((slug) => slug === makeSlug(make));
  const shown = listed.map((vehicle) => media.publicOf(vehicle, unmatched));
  const others = shown.map((vehicle) => otherOf(fromPublic(vehicle, stock.dealer.id), context));
  const similar = similarVehicles(
    [
      ...listed.map(({ slug, vrm }) => ({ slug, facts: factsOf(vrm, context) })),
      ...stock.withdrawn.map(({ vrm, facts = {} }) => ({ slug: vehicleSlug(vrm), facts })),
    ],
    listed.length,
  ).map((some) => some.flatMap((index) => others[index] ?? []));
  const inEach = shown.map((vehicle, index) =>
    contexts.map((one) =>
      planVehicle(vehicle, one, {
        similar: similar[index] ?? [],
        previous: others[index - 1],
        next: others[index + 1],
        isKnown: former !== undefined,
        makePage: pageOf(factsOf(vehicle.vrm, context).make),
      }),
    ),
  );
  const there = inEach.map(asOne);
  const withdrawn = stock.withdrawn.map((gone, index) =>
    asOne(contexts.map((one) => planWithdrawn(gone, one, similar[listed.length + index] ?? []))),
  );
  const key = keyOf(
    [
      ...contexts.flatMap(({ viewKey, renderKey }) => [viewKey, renderKey]),
      perPage,
      withdrawn.length,
    ],
    there.map((vehicle) => vehicle.key),
  );

  const picture = () => {
    for (const vehicle of shown) {
      const found = media.cardPicture(fromPublic(vehicle, stock.dealer.id));
      if (found) return found;
    }
    return undefined;
  };
  let made: ReturnType<typeof dealerViews> | undefined;
  const views = () => {
    made ??= inAllLanguages(
      contexts.map((one, language) =>
        dealerViews(
          inEach.flatMap((plans) => plans[language]?.record() ?? []),
          { makes, withdrawn: withdrawn.length, picture: picture() },
          one,
        ),
      ),
    );
    return made;
  };
  const renderKeys = new Map(contexts.map(({ texts, renderKey }) => [texts.lang, renderKey]));
  const headNow = (): DealerHead => ({
    key,
    summary: views().summary,
    pages: views().pages.map(({ layout, view }) => {
      return { file: view.file, key: keyOf(renderKeys.get(view.lang), view), layout };
    }),
    files: views().files.map(({ file, key: its }) => ({ file, key: its })),
  });
  const head = former?.key === key ? former : headNow();
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
    vehicles: [...there, ...withdrawn],
    head,
    shown,
    unmatched,
    pages,
    files,
    feedRows: (picturesOf = (vehicle) => media.advertised(vehicle)) => {
      if (context.feeds.length === 0) return [];
      const offers = listed.map((vehicle) => offerOf(vehicle, context, picturesOf(vehicle)));
      return feedRows(context.feeds, stock.dealer.id, offers);
    },
    list: () => views().list,
    release: () => {
      made = undefined;
      for (const vehicle of [...there, ...withdrawn]) vehicle.release();
    },
  };
}
