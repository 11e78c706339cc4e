import type { Vehicle } from '../../stock/vehicle.ts';
import { contactsOf, quickContacts } from './contacts.ts';
import { type DealerContext, FRAMED, type SiteContext } from './context.ts';
import { FACETS } from './facets.ts';
import { nameWithTown } from './footer.ts';
import { breadcrumbs, dealerJsonLd } from './json-ld.ts';
import type { CardView, ListView, MakeLink, MakeView, SearchView } from './list-types.ts';
import { type MakeCount, makePath } from './makes.ts';
import { paginate } from './pagination.ts';
import { embedAt, pageAt } from './site-url.ts';
import type { VehicleSummary } from './summaries.ts';
import { factsOf, type ShownFacts, valuesOf, vehicleTexts } from './vehicle-texts.ts';
import type { ListedVehicle } from './vehicle-view.ts';
import type { FinderView } from './view.ts';

/** A vehicle as a card of lists. */
export function cardOf(view: ListedVehicle, vehicle: Vehicle, context: DealerContext): CardView {
  const { views, texts, favourites } = context;
  const { url, slug, heading, picturesText, videosText } = view;
  const facts = factsOf(vehicle.vrm, context);
  const { mileage, order, stockId = '' } = facts;
  const values = { ...facts, ...valuesOf(facts, context) };
  return {
    ...vehicleTexts(vehicle.vrm, facts, context),
    url,
    slug,
    order,
    stockId,
    seller: '',
    picturesText,
    videosText,
    facets: Object.fromEntries(FACETS.map((name) => [name, values[name]])),
    standard: values.standard,
    mileageUnit: mileage === undefined ? '' : (context.facts?.mileageUnit ?? ''),
    updated: { iso: vehicle.dateUpdated, text: texts.date(vehicle.dateUpdated) },
    cover: views.cover(vehicle),
    saveLabel: favourites ? `${texts.words.save}: ${heading}` : '',
    pictureCount: view.pictures.length,
    videoCount: view.videos.length,
    eager: false,
  };
}

/** The description of a page, with further texts as sentences. */
export const sentences = (description: string, ...further: readonly string[]): string =>
  [description, ...further.filter(Boolean).map((text) => `${text}.`)].join(' ');

/**
 * All pages of a dealer's list, at least one. The first is the dealer's page. `share` has the picture of the newest
 * vehicle, for shared links. `makes` are links to the pages of its makes. `described` are the makes of descriptions.
 */
export function listViews(
  cards: readonly CardView[],
  { share, makes, described }: Pick<ListView, 'share' | 'makes'> & { described: string },
  context: DealerContext,
): ListView[] {
  const { dealer, link, place, texts, assets, frame } = context;
  const { words, fill, count } = texts;
  const vehiclesText = count(words.vehicles, cards.length);
  const seller = nameWithTown(dealer);
  const description = fill(words.dealerDescription, { dealer: seller, vehicles: vehiclesText });
  const contacts = contactsOf(dealer, texts);
  const feed = fill(words.feed, { dealer: dealer.name });
  // All languages share the feeds of the first one.
  const feeds = `${place.origin}${place.root}/${dealer.slug}/`;
  const { canonical, languages } = pageAt(place, '/');
  const filtered = cards.map(({ priceValue, facets }) => JSON.stringify([priceValue, facets]));
  return paginate(cards, `/${dealer.slug}/`, context, link.url).map(
    ({ current, at, pageText, list }) => ({
      ...frame,
      ...at,
      ...(current === 1 && context.frontIsList && { canonical, languages }),
      dealer: link,
      title: [seller, pageText, dealer.name === context.title ? '' : context.title]
        .filter(Boolean)
        .join(' – '),
      description: sentences(description, described, pageText),
      scripts: [...frame.scripts, ...(cards.length > 0 ? [assets.script('list.js')] : [])],
      masthead: frame.masthead && { ...frame.masthead, vehicles: undefined },
      alternates: [
        { type: 'application/atom+xml', href: `${feeds}feed.xml`, title: feed },
        { type: 'application/feed+json', href: `${feeds}feed.json`, title: feed },
      ],
      share,
      jsonLd: current === 1 ? dealerJsonLd(context) : '',
      contacts,
      quickContacts: quickContacts(contacts),
      contactLabel: fill(words.contact, { dealer: dealer.name }),
      vehiclesText,
      ...list,
      makes,
      index: cards.length > 1 ? `${place.base}/${dealer.slug}/index.json` : '',
      priced: cards.some(({ priceValue }) => priceValue > 0),
      filterable: new Set(filtered).size > 1,
      filmed: new Set(cards.map(({ videoCount }) => videoCount > 0)).size > 1,
    }),
  );
}

/**
 * `index.json` for the search of a list: all vehicles of these dealers, with cards from the template of the list.
 *
 * @param path of the page whose folder it is in.
 */
export function searchView(
  path: string,
  lists: SearchView['lists'],
  { frame, place, title }: SiteContext,
): SearchView {
  const at = pageAt(place, path);
  const file = at.file.replace(/html$/, 'json');
  return { ...frame, ...at, file, title, description: '', lists };
}

/** Links to the pages of makes, by name. @param pathOf path of a make's page. */
export function makeLinks(
  makes: readonly MakeCount[],
  pathOf: (slug: string) => string,
  { place, texts }: SiteContext,
): MakeLink[] {
  const compare = new Intl.Collator(texts.lang).compare;
  return makes
    .map(({ slug, name, vehicles }) => ({
      name,
      url: `${place.base}${pathOf(slug)}`,
      vehicles: texts.number(vehicles),
    }))
    .sort((a, b) => compare(a.name, b.name));
}

/**
 * All pages of the list of one make. They do not mention other makes, so that a vehicle only changes pages of its
 * make.
 */
export function makeViews(
  { slug, name, vehicles }: MakeCount,
  entries: readonly VehicleSummary[],
  context: DealerContext,
): MakeView[] {
  const { dealer, link, place, texts, frame } = context;
  const { words, fill, count } = texts;
  const vehiclesText = count(words.vehicles, vehicles);
  const seller = nameWithTown(dealer);
  const description = fill(words.makeDescription, {
    make: name,
    dealer: seller,
    vehicles: vehiclesText,
  });
  const path = makePath(dealer.slug, slug);
  const cards = entries.map(({ card }) => card);
  return paginate(cards, path, context).map(({ at, pageText, list }) => ({
    ...frame,
    ...at,
    dealer: link,
    title: [fill(words.makeAt, { make: name, dealer: seller }), pageText]
      .filter(Boolean)
      .join(' – '),
    description: sentences(description, pageText),
    share: (entries.find(({ card }) => card.cover) ?? entries[0])?.share,
    jsonLd: breadcrumbs([
      { name: dealer.name, item: `${place.origin}${link.url}` },
      { name, item: `${place.origin}${place.base}${path}` },
    ]),
    heading: fill(words.makeAt, { make: name, dealer: dealer.name }),
    name,
    vehiclesText,
    backText: fill(words.backToDealer, { dealer: dealer.name }),
    ...list,
  }));
}

/** The page for frames that finds vehicles by their plates. */
export function finderView(context: DealerContext): FinderView {
  const { dealer, link, place, assets, texts, frame } = context;
  return {
    ...frame,
    ...FRAMED,
    ...embedAt(place, `/${dealer.slug}/find/`),
    canonical: `${place.origin}${link.url}`,
    title: dealer.name,
    description: texts.words.withdrawn,
    scripts: [assets.script('frame.js'), assets.script('find.js')],
    dealer: link,
    plates: `${place.root}/${dealer.slug}/plates.json`,
    embeds: embedAt(place, `/${dealer.slug}/`).url,
  };
}

/** Ranks in lists. Chosen places are smaller numbers, so they come first. Sold vehicles come last. */
const UNRANKED = 1e9;
const SOLD = 2e9;

const rankOf = ({ order, status }: Pick<ShownFacts, 'order' | 'status'>): number =>
  order ?? (status === 'sold' ? SOLD : UNRANKED);

/** Comparator of lists: by rank. @param compare vehicles of equal rank. */
export function inListOrder<T>(
  factsOf: (item: T) => Pick<ShownFacts, 'order' | 'status'>,
  compare: (a: T, b: T) => number,
) {
  return (a: T, b: T): number => rankOf(factsOf(a)) - rankOf(factsOf(b)) || compare(a, b);
}

/** Comparator: newest first by date, then by name. */
export function newestFirst<T>(dateOf: (item: T) => string, nameOf: (item: T) => string) {
  return (a: T, b: T): number => {
    const date = dateOf(a);
    const other = dateOf(b);
    if (date !== other) return date < other ? 1 : -1;
    return nameOf(a) < nameOf(b) ? -1 : 1;
  };
}
