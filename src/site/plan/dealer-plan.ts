import { fromPublic, type PublicVehicle } from '../../record/vehicle.ts';
import type { DealerStock } from '../../stock/load.ts';
import type { Vehicle } from '../../stock/vehicle.ts';
import { dealerFeeds } from '../documents/feeds.ts';
import { dealerMediaJson } from '../documents/media-json.ts';
import { platesIndex } from '../documents/search-index.ts';
import { dealerSitemaps } from '../documents/sitemap.ts';
import type { DealerContext } from '../views/context.ts';
import { FRONT_CARDS, rowOf } from '../views/front-view.ts';
import type { ListView } from '../views/list-types.ts';
import {
  finderView,
  inListOrder,
  listViews,
  makeLinks,
  makeViews,
  newestFirst,
  searchView,
} from '../views/list-views.ts';
import { type MakeCount, makeSlug, makesIn, withPage } from '../views/makes.ts';
import { snippetsView } from '../views/snippets-view.ts';
import type { DealerSummary, VehicleSummary } from '../views/summaries.ts';
import { factsOf } from '../views/vehicle-texts.ts';
import type { GeneratedFile, PageView } from '../views/view.ts';
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
  /** First page of its list. */
  list(): ListView;
}

const byDate = newestFirst<Vehicle>(
  ({ dateUpdated }) => dateUpdated,
  ({ slug }) => slug,
);

/** Everything that is made from the records of a dealer's vehicles. */
function dealerViews(
  records: readonly VehicleSummary[],
  { makes, withdrawn }: { makes: readonly MakeCount[]; withdrawn: number },
  context: DealerContext,
) {
  const { place, texts } = context;
  const cards = records.map(({ card }) => card);
  const share = records.find((record) => record.share)?.share;
  const paged = withPage(makes);
  const isDivided = paged.some(({ vehicles }) => vehicles < records.length);
  const links = isDivided ? makeLinks(paged, context) : [];
  const lists = listViews(cards, { share, makes: links }, context);
  const bySlug = Map.groupBy(records, ({ make }) => makeSlug(make));
  const ofMakes = paged.map((make) => makeViews(make, bySlug.get(make.slug) ?? [], context));
  const [list] = lists;
  if (!list) throw new Error('A list has at least one page');
  const pages: { layout: string; view: PageView }[] = [
    ...lists.map((view) => ({ layout: 'pages/dealer.njk', view })),
    ...ofMakes.flat().map((view) => ({ layout: 'pages/make.njk', view })),
    { layout: 'pages/search.njk', view: searchView(list, cards) },
    { layout: 'pages/embed-find.njk', view: finderView(context) },
    { layout: 'pages/snippets.njk', view: snippetsView(context) },
  ];
  const sitemaps = [...dealerSitemaps({ lists, makes: ofMakes }, records, place)];
  const below = (name: string) => list.file.replace(/index\.html$/, name);
  // All languages have the data and the feeds of the first.
  const shared: GeneratedFile[] =
    place.folder === ''
      ? [
          { file: below('media.json'), content: dealerMediaJson(list, records, place) },
          { file: below('plates.json'), content: platesIndex(records) },
          ...dealerFeeds(list, records, { place, lang: texts.lang }),
        ]
      : [];
  const files = [...shared, ...sitemaps];
  const embedded = records.reduce((sum, record) => sum + record.embedded, 0);
  const summary: DealerSummary = {
    link: context.link,
    row: rowOf(context, list.vehiclesText, cards.find(({ cover }) => cover)?.cover),
    share,
    indices: list.indices,
    priced: list.priced,
    ...(context.frontIsList && { list }),
    makes: [...makes],
    filterable: list.filterable,
    filmed: list.filmed,
    vehicles: records.length,
    withdrawn,
    pictures: cards.reduce((sum, { pictureCount }) => sum + pictureCount, 0),
    embedded,
    linked: cards.reduce((sum, { videoCount }) => sum + videoCount, 0) - embedded,
    newest: cards.slice(0, FRONT_CARDS),
    newestOfMakes: context.hasHubs
      ? Object.fromEntries(
          makes.map(({ slug }) => [
            slug,
            (bySlug.get(slug) ?? []).slice(0, FRONT_CARDS).map(({ card }) => card),
          ]),
        )
      : {},
    sitemaps: sitemaps.map(({ loc, lastmod }) => ({ loc, lastmod })),
    frameOrigins: [...new Set(records.flatMap(({ origins }) => origins))].sort(),
  };
  return { list, pages, files, summary };
}

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
    listed.map(({ slug, vrm }) => ({ slug, facts: factsOf(vrm, context) })),
  );
  const inEach = shown.map((vehicle, index) =>
    contexts.map((one) =>
      planVehicle(vehicle, one, {
        similar: similar[index]?.flatMap((other) => others[other] ?? []) ?? [],
        previous: others[index - 1],
        next: others[index + 1],
        isKnown: former !== undefined,
        makePage: pageOf(factsOf(vehicle.vrm, context).make),
      }),
    ),
  );
  const there = inEach.map(asOne);
  const withdrawn = stock.withdrawn.map(({ vrm }) =>
    asOne(contexts.map((one) => planWithdrawn(vrm, one))),
  );
  const key = keyOf(
    [
      ...contexts.flatMap(({ viewKey, renderKey }) => [viewKey, renderKey]),
      perPage,
      withdrawn.length,
    ],
    there.map((vehicle) => vehicle.key),
  );

  let made: ReturnType<typeof dealerViews> | undefined;
  const views = () => {
    made ??= inAllLanguages(
      contexts.map((one, language) =>
        dealerViews(
          inEach.flatMap((plans) => plans[language]?.record() ?? []),
          { makes, withdrawn: withdrawn.length },
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
    files: views().files.map(({ file, content }) => ({ file, key: keyOf(content) })),
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
      content: () => views().files[index]?.content ?? '',
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
    list: () => views().list,
    release: () => {
      made = undefined;
      for (const vehicle of [...there, ...withdrawn]) vehicle.release();
    },
  };
}
