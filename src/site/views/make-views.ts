import type { DealerContext } from './context.ts';
import { breadcrumbs } from './json-ld.ts';
import type { MakeLink } from './list-types.ts';
import { paginate } from './list-views.ts';
import { type MakeCount, makePath } from './makes.ts';
import type { MakeView } from './site-wide-view.ts';
import type { ListEntry } from './summaries.ts';

/** Links to the pages of a dealer's makes, by name. */
export function makeLinks(makes: readonly MakeCount[], context: DealerContext): MakeLink[] {
  const { place, dealer, texts } = context;
  const compare = new Intl.Collator(texts.lang).compare;
  return makes
    .map(({ slug, name, vehicles }) => ({
      name,
      url: `${place.base}${makePath(dealer.slug, slug)}`,
      vehicles: texts.number(vehicles),
    }))
    .sort((a, b) => compare(a.name, b.name));
}

/**
 * All pages of the list of one make. They say nothing of other makes, so that a vehicle changes the
 * pages of its own make alone.
 */
export function makeViews(
  { slug, name, vehicles }: MakeCount,
  entries: readonly ListEntry[],
  context: DealerContext,
): MakeView[] {
  const { dealer, link, place, texts, frame } = context;
  const { words, fill, count } = texts;
  const vehiclesText = count(words.vehicles, vehicles);
  const heading = fill(words.makeAt, { make: name, dealer: dealer.name });
  const path = makePath(dealer.slug, slug);
  const cards = entries.map(({ card }) => card);
  return paginate(cards, path, context).map(({ at, pageText, list }) => ({
    ...frame,
    ...at,
    dealer: link,
    title: [heading, pageText].filter(Boolean).join(' – '),
    description: fill(words.makeDescription, {
      make: name,
      dealer: dealer.name,
      vehicles: vehiclesText,
    }),
    share: entries.find(({ share }) => share)?.share,
    jsonLd: breadcrumbs([
      { name: dealer.name, item: `${place.origin}${link.url}` },
      { name, item: `${place.origin}${place.base}${path}` },
    ]),
    heading,
    name,
    vehiclesText,
    backText: fill(words.backToDealer, { dealer: dealer.name }),
    ...list,
  }));
}
