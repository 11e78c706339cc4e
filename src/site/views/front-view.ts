import type { DealerContext, SiteContext } from './context.ts';
import { breadcrumbs, siteJsonLd } from './json-ld.ts';
import type { CardView, DealerRow, FrontView, MakeHubView } from './list-types.ts';
import { inListOrder, makeLinks, newestFirst, sentences } from './list-views.ts';
import { frequentMakes, type MakeCount, makePath, makeSlug, makesOf, withLinks } from './makes.ts';
import { withEager } from './pagination.ts';
import { pageAt } from './site-url.ts';
import type { DealerSummary } from './summaries.ts';
import type { PageView } from './view.ts';

/** Number of vehicles on the front page, without the large one. */
const FRONT_CARDS = 8;
/** Maximum number of vehicles of a dealer on pages of several dealers. */
export const NEWEST_CARDS = FRONT_CARDS + 1;
/** Number of pictures of each dealer on these pages. */
const ROW_COVERS = 2;
/** Maximum number of towns in the title of the front page. */
const MOST_TOWNS = 3;
/** Maximum number of dealers for a search of all vehicles on the front page. Its index has all their cards. */
export const SEARCHED_DEALERS = 100;

const newerFirst = inListOrder<CardView>(
  (card) => card,
  newestFirst(
    ({ updated }) => updated.iso,
    ({ url }) => url,
  ),
);

/** The social card of the front page, with the newest vehicle of all dealers. */
function newestShare(dealers: readonly DealerSummary[]): PageView['share'] {
  const [newest] = dealers
    .flatMap(({ share, hasPicture, cards: [card] }) =>
      card && hasPicture ? [{ card, share }] : [],
    )
    .sort((a, b) => newerFirst(a.card, b.card));
  return newest?.share ?? dealers[0]?.share;
}

const coversOf = (cards: readonly CardView[]) =>
  cards.flatMap(({ cover }) => cover ?? []).slice(0, ROW_COVERS);

/** The row of a dealer on pages of several dealers. */
export const rowOf = (
  { dealer, link, frame }: DealerContext,
  vehiclesText: string,
  cards: readonly CardView[],
): DealerRow => ({
  name: link.name,
  url: link.url,
  vehiclesText,
  logo: frame.masthead?.logo,
  covers: coversOf(cards),
  town: dealer.address?.city ?? '',
  map: frame.footer?.map ?? '',
  hours: frame.footer?.hours.filter(({ date }) => date === '') ?? [],
  now: frame.footer?.now ?? '',
});

/** The newest vehicles of these dealers, with at most `each` of a dealer. */
export const newestCards = (dealers: readonly DealerSummary[], most: number, each = most) =>
  withEager(
    dealers
      .flatMap(({ cards }) => cards.slice(0, each))
      .sort(newerFirst)
      .slice(0, most),
  );

const makesOfAll = (dealers: readonly DealerSummary[]): MakeCount[] =>
  makesOf(dealers.flatMap(({ makes }) => makes));

const hubPath = (slug: string): string => `/make/${slug}/`;

/** The front page: the search, all makes, the newest vehicles of all, and all dealers. */
export function frontView(dealers: readonly DealerSummary[], context: SiteContext): FrontView {
  const { place, texts, assets, title } = context;
  const { words, fill, count } = texts;
  const total = dealers.reduce((sum, { vehicles }) => sum + vehicles, 0);
  const vehiclesText = count(words.vehicles, total);
  const [first] = dealers;
  const makes = withLinks(makesOfAll(dealers));
  // A site with one dealer has only the dealer's page of the make.
  const makePathOf = (slug: string) =>
    context.hasOneDealer && first ? makePath(first.link.slug, slug) : hubPath(slug);
  const towns = [...new Set(dealers.map(({ row }) => row.town).filter(Boolean))];
  const index = context.hasHubs ? `${place.base}/index.json` : (first?.index ?? '');
  const hasSearch = dealers.length <= SEARCHED_DEALERS && total > 1;
  const rows = dealers.map(({ row }) => row);
  const newest = newestCards(dealers, NEWEST_CARDS);
  const leads = new Map(dealers.flatMap(({ lead }) => (lead ? [[lead.url, lead.cover]] : [])));
  const lead = newest.find(({ url }) => leads.has(url));
  const cards = lead
    ? [{ ...lead, cover: leads.get(lead.url) }, ...newest.filter((card) => card !== lead)]
    : newest.slice(0, FRONT_CARDS);
  return {
    ...context.frame,
    ...pageAt(place, '/'),
    title:
      towns.length > 0 && towns.length <= MOST_TOWNS ? `${title} – ${towns.join(', ')}` : title,
    heading: title,
    description: sentences(
      fill(words.frontDescription, { vehicles: vehiclesText }),
      frequentMakes(makes),
    ),
    scripts: [
      ...(hasSearch ? [assets.script('list.js')] : []),
      ...(rows.some(({ now }) => now) ? [assets.script('hours.js')] : []),
      ...context.frame.scripts,
    ],
    share: newestShare(dealers),
    jsonLd: siteJsonLd(context),
    dealers: rows,
    makes: makeLinks(makes, makePathOf, context),
    vehiclesText,
    cards: withEager(cards),
    lead: lead !== undefined,
    index: hasSearch ? index : '',
    priced: dealers.some((dealer) => dealer.priced),
    filterable: dealers.length > 1 || dealers.some((dealer) => dealer.filterable),
    filmed: dealers.some((dealer) => dealer.filmed),
  };
}

/** A page for each make: the newest vehicles of these dealers, and links to all vehicles of the make. */
export function makeHubViews(
  dealers: readonly DealerSummary[],
  context: SiteContext,
): MakeHubView[] {
  const { place, texts, assets, title, frame } = context;
  const { words, fill, count } = texts;
  const stocks = dealers.map(({ cards }) =>
    Map.groupBy(cards, ({ facets }) => makeSlug(facets.make ?? '')),
  );
  return makesOfAll(dealers).map(({ slug, name, vehicles }) => {
    const vehiclesText = count(words.vehicles, vehicles);
    const heading = fill(words.makeAt, { make: name, dealer: title });
    const sellers = dealers
      .map((dealer, at) => ({ ...dealer, cards: stocks[at]?.get(slug) ?? [] }))
      .filter(({ cards }) => cards.length > 0);
    const rows = sellers.map(({ row, link, cards }) => ({
      ...row,
      url: `${place.base}${makePath(link.slug, slug)}`,
      vehiclesText: count(words.vehicles, cards.length),
      covers: coversOf(cards),
    }));
    return {
      ...frame,
      ...pageAt(place, hubPath(slug)),
      title: heading,
      description: fill(words.makeDescription, {
        make: name,
        dealer: title,
        vehicles: vehiclesText,
      }),
      scripts: [
        ...(rows.some(({ now }) => now) ? [assets.script('hours.js')] : []),
        ...frame.scripts,
      ],
      share: newestShare(sellers),
      jsonLd: breadcrumbs([{ name: title, item: `${place.origin}${place.base}/` }, { name }]),
      heading,
      name,
      vehiclesText,
      cards: newestCards(sellers, 3 * FRONT_CARDS, FRONT_CARDS),
      dealers: rows,
    };
  });
}
