import type { CardPicture } from '../../images/card/card.ts';
import { dealerFeeds } from '../documents/feeds.ts';
import { dealerMediaJson } from '../documents/media-json.ts';
import { platesIndex } from '../documents/search-index.ts';
import { dealerSitemaps } from '../documents/sitemap.ts';
import type { DealerContext } from '../views/context.ts';
import { sellerOf } from '../views/footer.ts';
import { NEWEST_CARDS, rowOf } from '../views/front-view.ts';
import { finderView, listViews, makeLinks, makeViews, searchView } from '../views/list-views.ts';
import { frequentMakes, type MakeCount, makePath, makeSlug, withLinks } from '../views/makes.ts';
import { snippetsView } from '../views/snippets-view.ts';
import { dealerCards } from '../views/social-card.ts';
import type { DealerSummary, VehicleSummary } from '../views/summaries.ts';
import type { GeneratedFile, PageView } from '../views/view.ts';
import { plannedFile } from './planned.ts';

/** All pages and files that are made from the records of a dealer's vehicles. */
export function dealerViews(
  records: readonly VehicleSummary[],
  {
    makes,
    withdrawn,
    picture,
  }: {
    makes: readonly MakeCount[];
    /** Last parts of the URLs of its withdrawn vehicles. */
    withdrawn: string[];
    /** The picture of the newest vehicle that has one. */
    picture: CardPicture | undefined;
  },
  context: DealerContext,
) {
  const { dealer, frontIsList, place, texts } = context;
  const cards = records.map(({ card }) => card);
  const { name, slug } = dealer;
  const { list: card, front } = dealerCards(picture, context);
  const { share } = card;
  const linked = withLinks(makes).filter(({ vehicles }) => vehicles < records.length);
  const links = makeLinks(linked, (make) => makePath(slug, make), context);
  const lists = listViews(cards, { share, makes: links, described: frequentMakes(makes) }, context);
  const bySlug = Map.groupBy(records, ({ facts }) => makeSlug(facts.make ?? ''));
  const makePages = makes.map((make) => {
    const vehicles = bySlug.get(make.slug) ?? [];
    return { vehicles, views: makeViews(make, vehicles, context) };
  });
  const [list] = lists;
  if (!list) throw new Error('A list has at least one page');
  const pages: { layout: string; view: PageView }[] = [
    ...lists.map((view) => ({ layout: 'pages/dealer.njk', view })),
    ...makePages.flatMap(({ views }) => views.map((view) => ({ layout: 'pages/make.njk', view }))),
    {
      layout: 'pages/search.njk',
      view: searchView(`/${slug}/`, [{ dealer: name, cards }], context),
    },
    { layout: 'pages/embed-find.njk', view: finderView(context) },
    { layout: 'pages/snippets.njk', view: snippetsView(context) },
  ];
  const allLists = [{ views: lists, vehicles: records }, ...makePages];
  const sitemaps = [...dealerSitemaps(slug, allLists, records, place)];
  const inFolder = (name: string) => list.file.replace(/index\.html$/, name);
  // All languages share the data and the feeds of the first one.
  const shared: GeneratedFile[] =
    place.folder === ''
      ? [
          { file: inFolder('media.json'), content: dealerMediaJson(list, records, place) },
          { file: inFolder('plates.json'), content: platesIndex(records) },
          ...dealerFeeds(list, records, { place, lang: texts.lang }),
        ]
      : [];
  const embedded = records.reduce((sum, record) => sum + record.embedded, 0);
  const summary: DealerSummary = {
    link: context.link,
    share: front.share,
    hasPicture: picture !== undefined,
    row: rowOf(context, list.vehiclesText, cards),
    lead: records.flatMap(({ card, lead }) => (lead ? [{ url: card.url, cover: lead }] : []))[0],
    index: list.index,
    priced: list.priced,
    ...(frontIsList && { list }),
    makes: [...makes],
    filterable: list.filterable,
    filmed: list.filmed,
    vehicles: records.length,
    withdrawn,
    pictures: cards.reduce((sum, { pictureCount }) => sum + pictureCount, 0),
    embedded,
    linked: cards.reduce((sum, { videoCount }) => sum + videoCount, 0) - embedded,
    cards: (context.hasHubs ? cards : cards.slice(0, NEWEST_CARDS)).map((card) => ({
      ...card,
      seller: sellerOf(context),
    })),
    sitemaps: sitemaps.map(({ loc, lastmod }) => ({ loc, lastmod })),
    frameOrigins: [...new Set(records.flatMap(({ origins }) => origins))].sort(),
  };
  return {
    list,
    pages,
    files: [
      card.planned,
      ...(frontIsList ? [] : [front.planned]),
      ...[...shared, ...sitemaps].map(plannedFile),
    ],
    summary,
  };
}
