import { escapeHtml } from '../../lib/html.ts';
import { comparablePlate } from '../../stock/plate.ts';
import { namesOf, type ValuedFact } from '../../stock/values.ts';
import type { CardView } from '../views/list-types.ts';
import { rankOf } from '../views/list-views.ts';

/** Version of the format, which list.js asks for. */
const VERSION = 6;

/** Marks in shapes, one a column of {@link textsOf}: from Unicode's area for private use. */
const FIRST_MARK = 0xe000;

const VALUED = ['fuel', 'transmission', 'body', 'colour'] as const satisfies ValuedFact[];

/** What of a cover's address is its own: what its sizes share. Source: names of outputs, images/recipes.ts. */
const ownPart = (src = ''): string => /\/(\w\w\/[\w-]{18,})-\d+-\w+\.\w+$/.exec(src)?.[1] ?? '';

/** Texts of a card that other cards do not have: those that may be in another come first. */
const textsOf = (card: CardView) => ({
  covers: ownPart(card.cover?.src),
  dates: card.updated.iso,
  slugs: card.slug,
  facts: card.keyFacts,
  headings: card.named ? card.heading : '',
  plates: card.plate,
  priceTexts: card.priceText,
  colours: card.cover?.colourClass ?? '',
  counts: card.picturesText,
});

/** The text of every private character as a reference, so that it is no mark. */
const unmarked = (html: string): string =>
  html.replace(/[\ue000-\uf8ff]/g, (mark) => `&#${mark.charCodeAt(0)};`);

/** A card's markup with marks in place of its texts. */
function shapeOf(html: string, texts: readonly string[]): string {
  let shape = unmarked(html);
  texts.forEach((text, column) => {
    if (text.length < 3) return;
    shape = shape.replaceAll(escapeHtml(text), String.fromCharCode(FIRST_MARK + column));
  });
  return shape;
}

/** A dealer's list: `html` is the markup of each card, in the order of `cards`. */
interface SearchedList {
  dealer: string;
  cards: readonly CardView[];
  html: readonly string[];
}

/** `index.json`, which the search of a list reads. */
export const searchIndex = (lists: readonly SearchedList[], lang: string): string =>
  JSON.stringify({ version: VERSION, lists: lists.map((list) => columnsOf(list, lang)) });

/**
 * All cards of a list, as its template makes them, and what they are found and filtered by, in columns. Markup
 * that cards share is there once (`shapes`), with marks where their own texts are: whatever a theme's card is
 * made like, it comes out as the list has it, and the file is half as large as with the markup of each.
 */
function columnsOf({ dealer, cards, html }: SearchedList, lang: string) {
  const texts = cards.map(textsOf);
  const shapes = new Map<string, number>();
  const kinds = cards.map((_, at) => {
    const shape = shapeOf(html[at] ?? '', Object.values(texts[at] ?? {}));
    const known = shapes.get(shape) ?? shapes.size;
    shapes.set(shape, known);
    return known;
  });
  const column = (name: keyof ReturnType<typeof textsOf>) => texts.map((text) => text[name]);
  const fact = (name: keyof CardView['facets']) => cards.map(({ facets }) => facets[name] ?? '');
  const keyOf = ({ standard }: CardView, fact: ValuedFact) => standard[fact] ?? '';
  /** Something of each fact that has standard values. */
  const ofFacts = <T>(make: (fact: ValuedFact) => T) =>
    Object.fromEntries(VALUED.map((fact) => [fact, make(fact)]));
  const only = (texts: readonly string[]) => {
    const all = new Set(texts.filter(Boolean));
    return all.size === 1 ? [...all][0] : '';
  };
  return {
    dealer,
    currency: only(cards.map(({ priceCurrency }) => priceCurrency)),
    unit: only(cards.map(({ mileageUnit }) => mileageUnit)),
    colours: column('colours'),
    counts: column('counts'),
    shapes: [...shapes.keys()],
    kinds,
    covers: column('covers'),
    dates: column('dates'),
    ranks: cards.map(rankOf),
    // Most are the plate without its spaces.
    slugs: cards.map(({ slug, plate }) =>
      slug === plate.replace(/\s/g, '').toLowerCase() ? 0 : slug,
    ),
    facts: column('facts'),
    headings: column('headings'),
    plates: column('plates'),
    priceTexts: column('priceTexts'),
    prices: cards.map(({ priceValue }) => priceValue),
    pictures: cards.map(({ pictureCount }) => pictureCount),
    videos: cards.map(({ videoCount }) => videoCount),
    make: fact('make'),
    year: fact('year'),
    mileages: fact('mileage'),
    ...ofFacts(fact),
    // By text: one dealer's list means one value by it.
    keys: ofFacts((name) =>
      Object.fromEntries(
        cards.flatMap((card) =>
          keyOf(card, name) ? [[card.facets[name], keyOf(card, name)]] : [],
        ),
      ),
    ),
    names: ofFacts((name) => {
      const keys = new Set(cards.map((card) => keyOf(card, name)).filter(Boolean));
      return Object.fromEntries([...keys].map((key) => [key, namesOf(name, key, lang)]));
    }),
  };
}

/**
 * Which vehicle each plate leads to, by comparable plate. Of two vehicles whose plates differ only
 * in spaces the newer is found; vehicles without a plate are left out.
 */
function findable(vehicles: readonly { vrm: string; slug: string }[]): Map<string, string> {
  const slugs = new Map<string, string>();
  for (const { vrm, slug } of vehicles) {
    const plate = comparablePlate(vrm);
    if (plate !== '' && !slugs.has(plate)) slugs.set(plate, slug);
  }
  return slugs;
}

/** `DEALER/plates.json`: comparable plate → last part of the address; 0 where it is the plate itself. */
export function platesIndex(vehicles: readonly { vrm: string; slug: string }[]): string {
  const plates = [...findable(vehicles)].map(([plate, slug]): [string, string | 0] => [
    plate,
    plate.toLowerCase() === slug ? 0 : slug,
  ]);
  // fromEntries defines properties, so that a plate named `__proto__` is an ordinary key.
  return `${JSON.stringify({ version: 1, plates: Object.fromEntries(plates) })}\n`;
}
