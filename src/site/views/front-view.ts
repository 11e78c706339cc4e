import type { DealerContext, SiteContext } from './context.ts';
import { mapOf, openNowData } from './footer.ts';
import type { CardView, DealerRow, FrontView, MakeHubView } from './list-types.ts';
import { inListOrder, newestFirst, withEager } from './list-views.ts';
import { type MakeCount, makePath, makesOf, withPage } from './makes.ts';
import { pageAt } from './site-url.ts';
import type { DealerSummary } from './summaries.ts';
import type { PageView } from './view.ts';

/** Vehicles on the front page. */
export const FRONT_CARDS = 8;
/** Most dealers for which the front page has a search across all of them: it reads a file of each. */
export const SEARCHED_DEALERS = 100;

const newerFirst = inListOrder<CardView>(
  (card) => card,
  newestFirst(
    ({ updated }) => updated.iso,
    ({ url }) => url,
  ),
);

/** The picture for links to the front page: that of the dealer with the newest vehicle. */
function newestShare(dealers: readonly DealerSummary[]): PageView['share'] {
  const newest = dealers
    .flatMap(({ share, newest: [card] }) => (card && share ? [{ card, share }] : []))
    .sort((a, b) => newerFirst(a.card, b.card));
  return newest[0]?.share;
}

/** A dealer as a row: who, where, when, and how many vehicles. */
export const rowOf = (
  { dealer, link, texts, timeZone }: DealerContext,
  vehiclesText: string,
  cover: DealerRow['cover'],
): DealerRow => ({
  name: link.name,
  url: link.url,
  vehiclesText,
  cover,
  town: dealer.address?.city ?? '',
  map: mapOf(dealer),
  now: openNowData(dealer, texts, timeZone),
});

/** Makes of all dealers that have a page. */
const makesOfAll = (dealers: readonly DealerSummary[]): MakeCount[] =>
  withPage(makesOf(dealers.flatMap(({ makes }) => makes)));

const hubPath = (slug: string): string => `/make/${slug}/`;

/** The front page: the search, all makes, the newest vehicles of all, and all dealers. */
export function frontView(dealers: readonly DealerSummary[], context: SiteContext): FrontView {
  const { place, texts, assets, title } = context;
  const { words, fill, count, number } = texts;
  // The newest vehicles of all dealers are among the newest of each.
  const newest = dealers.flatMap((dealer) => dealer.newest).sort(newerFirst);
  const total = dealers.reduce((sum, { vehicles }) => sum + vehicles, 0);
  const vehiclesText = count(words.vehicles, total);
  const searched = dealers.length <= SEARCHED_DEALERS && total > 0;
  const rows = dealers.map(({ row }) => row);
  const compare = new Intl.Collator(texts.lang).compare;
  return {
    ...context.frame,
    ...pageAt(place, '/'),
    title,
    heading: title,
    description: fill(words.frontDescription, { vehicles: vehiclesText }),
    scripts: [
      ...(searched ? [assets.script('list.js')] : []),
      ...(rows.some(({ now }) => now) ? [assets.script('hours.js')] : []),
      ...context.frame.scripts,
    ],
    share: newestShare(dealers),
    dealers: rows,
    makes: makesOfAll(dealers)
      .map(({ slug, name, vehicles }) => ({
        name,
        url: `${place.base}${hubPath(slug)}`,
        vehicles: number(vehicles),
      }))
      .sort((a, b) => compare(a.name, b.name)),
    vehiclesText,
    cards: withEager(newest.slice(0, FRONT_CARDS)),
    indices: searched ? dealers.flatMap(({ indices }) => indices) : [],
    priced: dealers.some((dealer) => dealer.priced),
    filterable: dealers.length > 1 || dealers.some((dealer) => dealer.filterable),
    filmed: dealers.some((dealer) => dealer.filmed),
  };
}

/**
 * A page for each make of the front page: the newest vehicles of each dealer that has it, and the way to all
 * its others.
 */
export function makeHubViews(
  dealers: readonly DealerSummary[],
  context: SiteContext,
): MakeHubView[] {
  const { place, texts, assets, title, frame } = context;
  const { words, fill, count } = texts;
  return makesOfAll(dealers).map(({ slug, name, vehicles }) => {
    const vehiclesText = count(words.vehicles, vehicles);
    const heading = fill(words.makeAt, { make: name, dealer: title });
    const rows = dealers.flatMap((dealer) => {
      const make = dealer.makes.find((one) => one.slug === slug);
      if (!make) return [];
      const [paged] = withPage([make]);
      const url = paged ? `${place.base}${makePath(dealer.link.slug, slug)}` : dealer.link.url;
      return [{ ...dealer.row, url, vehiclesText: count(words.vehicles, make.vehicles) }];
    });
    return {
      ...frame,
      ...pageAt(place, hubPath(slug)),
      title: heading,
      description: fill(words.makeDescription, {
        make: name,
        dealer: title,
        vehicles: vehiclesText,
      }),
      scripts: rows.some(({ now }) => now) ? [assets.script('hours.js')] : [],
      heading,
      name,
      vehiclesText,
      cards: withEager(
        dealers.flatMap((dealer) => dealer.newestOfMakes[slug] ?? []).sort(newerFirst),
      ),
      dealers: rows,
    };
  });
}
