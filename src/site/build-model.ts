import type { LoadedConfig } from '../config/load.ts';
import { providersOf } from '../media/embeds/configured.ts';
import type { RecipeBook } from '../media/recipes.ts';
import type { DealerFacts } from '../stock/facts.ts';
import type { DealerStock } from '../stock/load.ts';
import { comparablePlate } from '../stock/plate.ts';
import type { Vehicle } from '../stock/vehicle.ts';
import { type AssetSources, Assets } from './assets.ts';
import type { DealerContext, SiteContext } from './context.ts';
import type { ListEntry } from './entry.ts';
import type { OwnPage, PagesInput } from './extend.ts';
import { type DealerBundle, siteFiles } from './files.ts';
import { cardOf, finderView, frontView, listViews } from './list-views.ts';
import { MediaViews, type PictureFacts } from './media-views.ts';
import { ownPageView } from './own-pages.ts';
import { placeOf } from './place.ts';
import { contentPolicy, PLAYER_ALLOW } from './policy.ts';
import { findable } from './search-index.ts';
import { vehicleSitemapXml } from './sitemap.ts';
import { textsFor } from './text.ts';
import { embedView, vehicleView, withdrawnView } from './vehicle-view.ts';
import type { PageView, SiteModel, SiteView, VehicleView } from './view.ts';
import type { Catalogues } from './words/theme-words.ts';

const newestFirst = (a: Vehicle, b: Vehicle): number =>
  a.dateUpdated === b.dateUpdated
    ? a.slug < b.slug
      ? -1
      : 1
    : a.dateUpdated < b.dateUpdated
      ? 1
      : -1;

export interface BuildModelOptions {
  config: LoadedConfig;
  stock: readonly DealerStock[];
  book: RecipeBook;
  /** What the media line knows of pictures. */
  pictures: PictureFacts;
  /** What dealers' own lists say, by dealer id. */
  facts?: ReadonlyMap<number, DealerFacts>;
  assets: AssetSources;
  /** Words of every language; without them, those that are shipped. */
  languages?: Catalogues;
  /** What an extension adds: its data, and its pages once the other views are there. */
  extension?: {
    data: Record<string, unknown>;
    pages(input: Omit<PagesInput<unknown>, 'data'>): readonly OwnPage[];
  };
}

function dealerContext(
  { dealer }: DealerStock,
  site: SiteContext,
  facts: DealerFacts | undefined,
): DealerContext {
  const url = `${site.place.base}/${dealer.slug}/`;
  return {
    ...site,
    dealer,
    link: { id: dealer.id, slug: dealer.slug, name: dealer.name, url },
    facts,
    css: site.assets.styles(dealer.colour),
    logo: dealer.logo ? site.assets.logo(dealer) : undefined,
  };
}

/** What lists, feeds and sitemaps must know of a vehicle. */
function entryOf(view: VehicleView, vehicle: Vehicle, context: DealerContext): ListEntry {
  return {
    vrm: view.vrm,
    slug: view.slug,
    canonical: view.canonical,
    fullName: view.fullName,
    card: cardOf(view, vehicle, context),
    share: view.share,
    sitemapXml: vehicleSitemapXml(view, context.place),
  };
}

function bundleOf(stock: DealerStock, context: DealerContext): DealerBundle {
  const listed = [...stock.vehicles].sort(newestFirst);
  const found = findable(listed);
  const entries = listed.map((vehicle) => {
    const view = vehicleView(vehicle, context, {
      findable: found.get(comparablePlate(vehicle.vrm)) === vehicle.slug,
    });
    return { view, entry: entryOf(view, vehicle, context), embed: embedView(view, context) };
  });
  const gone = stock.withdrawn.map(({ vrm }) => {
    const view = withdrawnView(vrm, context);
    return { view, embed: embedView(view, context) };
  });
  const cards = entries.map(({ entry }) => entry.card);
  const share = entries.find(({ view }) => view.share)?.view.share;
  return { lists: listViews(cards, share, context), entries, gone, finder: finderView(context) };
}

function notFoundPage(context: SiteContext): PageView {
  const { texts, assets, place, title } = context;
  const home = `${place.base}/`;
  return {
    url: `${place.base}/404.html`,
    file: '/404.html',
    canonical: `${place.origin}${place.base}/404.html`,
    title: `${texts.words.notFoundTitle} – ${title}`,
    description: texts.words.notFoundText,
    noindex: true,
    css: assets.styles(),
    scripts: [],
    masthead: { name: title, url: home, logo: undefined },
    alternates: [],
    share: undefined,
    jsonLd: '',
  };
}

/** All view models of a site. Pure: the same input gives the same pages, whatever the clock says. */
export function buildModel(options: BuildModelOptions): SiteModel {
  const { config, stock, book, pictures, facts, extension } = options;
  const place = placeOf(config.site.url);
  const texts = textsFor(config.site.locale, config.site.timeZone, options.languages);
  const assets = new Assets(place.base, options.assets);
  const views = new MediaViews({
    place,
    book,
    pictures,
    texts,
    providers: providersOf(config),
    fullSize: config.media.fullSize,
  });
  const context: SiteContext = {
    place,
    title: config.site.title,
    texts,
    views,
    assets,
    perPage: config.site.perPage,
    embedSnippet: config.site.embedSnippet,
  };
  const contexts = stock.map((one) => dealerContext(one, context, facts?.get(one.dealer.id)));
  const bundles = stock.flatMap((one, index) => {
    const dealer = contexts[index];
    return one.source === 'none' || !dealer ? [] : [bundleOf(one, dealer)];
  });
  const front = frontView(
    bundles.flatMap(({ lists, entries }) => {
      const [list] = lists;
      return list ? [{ list, cards: entries.map(({ entry }) => entry.card) }] : [];
    }),
    context,
  );
  const notFound = notFoundPage(context);
  const frameOrigins = views.frameOrigins();
  const site: SiteView = {
    title: config.site.title,
    lang: texts.lang,
    ogLocale: texts.lang.replace('-', '_'),
    home: front.url,
    media: `${place.base}/media/`,
    words: texts.words,
    assets: assets.own(),
    data: extension?.data ?? {},
    policy: contentPolicy(frameOrigins, { fonts: assets.hasFonts() }),
    playerAllow: PLAYER_ALLOW,
  };
  const own = (
    extension?.pages({
      site,
      dealers: bundles.flatMap(({ lists }) => lists.slice(0, 1)),
      vehicles: bundles.flatMap(({ entries }) => entries.map(({ view }) => view)),
    }) ?? []
  ).map((page) => ownPageView(page, context, contexts));
  return {
    site,
    front,
    notFound,
    lists: bundles.flatMap(({ lists }) => lists),
    vehicles: bundles.flatMap(({ entries, gone }) => [
      ...entries.map(({ view }) => view),
      ...gone.map(({ view }) => view),
    ]),
    embeds: bundles.flatMap(({ entries, gone }) => [
      ...entries.map(({ embed }) => embed),
      ...gone.map(({ embed }) => embed),
    ]),
    finders: bundles.map(({ finder }) => finder),
    own,
    files: () => siteFiles({ bundles, front, own, assets, place, context, frameOrigins }),
    unmatchedEmbeds: views.unmatchedEmbeds(),
    frameOrigins,
    usedOutputs: views.usedOutputs,
  };
}

/** Files of all pages, beginning with a slash. */
export function* pageFiles(model: SiteModel): Iterable<string> {
  const { front, notFound, lists, vehicles, embeds, finders, own } = model;
  for (const { file } of [front, notFound, ...lists, ...vehicles, ...embeds, ...finders, ...own]) {
    yield file;
  }
}
