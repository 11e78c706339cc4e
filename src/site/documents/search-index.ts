import { escapeHtml } from '../../lib/html.ts';
import { plateKey } from '../../stock/plate.ts';
import { namesOf } from '../../stock/values.ts';
import { FACETS, VALUED } from '../views/facets.ts';
import type { CardView } from '../views/list-types.ts';
import { inListOrder } from '../views/list-views.ts';

/** Version of the format, which list.js asks for. */
const VERSION = 9;

/** First placeholder in shapes, from Unicode's private use area. Each column of {@link TEXTS} has one. */
const FIRST_PLACEHOLDER = 0xe000;

/** The part of a cover's URL that its sizes share. Source: names of outputs, images/recipes.ts. */
const sharedPart = (src = ''): string => /\/(\w\w\/[\w-]{18,})-\d+-\w+\.\w+$/.exec(src)?.[1] ?? '';

/** Texts that differ between cards. A text that can be a part of another comes after it. */
const TEXTS: Readonly<Record<string, (card: CardView) => string>> = {
  covers: ({ cover }) => sharedPart(cover?.src),
  dates: ({ updated }) => updated.iso,
  slugs: ({ slug }) => slug,
  folders: ({ url, slug }) => url.replace(`${slug}/`, ''),
  sellers: ({ seller }) => seller,
  facts: ({ keyFacts }) => keyFacts,
  headings: ({ named, heading }) => (named ? heading : ''),
  plates: ({ plate }) => plate,
  priceTexts: ({ priceText }) => priceText,
  colours: ({ cover }) => cover?.colourClass ?? '',
  counts: ({ picturesText }) => picturesText,
};

/** A card's markup with placeholders for its texts. */
function shapeOf(html: string, card: CardView): string {
  // Private use characters of the markup must not become placeholders.
  let shape = html.replace(/[\ue000-\uf8ff]/g, (character) => `&#${character.charCodeAt(0)};`);
  for (const [column, textOf] of Object.values(TEXTS).entries()) {
    const text = textOf(card);
    if (text.length < 3) continue;
    shape = shape.replaceAll(escapeHtml(text), String.fromCharCode(FIRST_PLACEHOLDER + column));
  }
  return shape;
}

/** A value for each vehicle. Repeated values are stored once, and `at` has the index for each vehicle. */
type Column<T> = readonly T[] | { values: readonly T[]; at?: readonly number[] };

/** The shorter of both forms. Without `at`, all vehicles have the same value. */
function columnOf<T>(all: readonly T[]): Column<T> {
  const indices = new Map<string, number>();
  const values: T[] = [];
  const at = all.map((value) => {
    const text = JSON.stringify(value);
    const index = indices.get(text);
    if (index !== undefined) return index;
    indices.set(text, values.length);
    return values.push(value) - 1;
  });
  if (values.length === 1) return { values };
  const indexed = { values, at };
  return JSON.stringify(indexed).length < JSON.stringify(all).length ? indexed : all;
}

/** A dealer's list: `html` is the markup of each card, in the order of `cards`. */
interface SearchedList {
  dealer: string;
  cards: readonly CardView[];
  html: readonly string[];
}

/**
 * `index.json` for the search of a list: all cards in the order of lists, as the template renders them, and their
 * texts and facts in columns. Cards share their markup (`shapes`), with placeholders for their texts. So the search
 * shows any content of a theme's card, and the file has a third of the size.
 */
export function searchIndex(lists: readonly SearchedList[], lang: string): string {
  const rows = lists.flatMap(({ dealer, cards, html }) => {
    // A dealer's stock list has one currency and one unit.
    const { priceCurrency: currency = '' } = cards.find((card) => card.priceCurrency) ?? {};
    const { mileageUnit: unit = '' } = cards.find((card) => card.mileageUnit) ?? {};
    return cards.map((card, at) => ({ card, html: html[at] ?? '', dealer, currency, unit }));
  });
  rows.sort(
    inListOrder(
      ({ card }) => card,
      ({ card: { updated } }, { card: other }) =>
        Number(updated.iso < other.updated.iso) - Number(updated.iso > other.updated.iso),
    ),
  );
  const cards = rows.map(({ card }) => card);
  const shapes = new Map<string, number>();
  const kinds = rows.map(({ html, card }) => {
    const shape = shapeOf(html, card);
    const kind = shapes.get(shape) ?? shapes.size;
    shapes.set(shape, kind);
    return kind;
  });
  /** An entry for each fact that has standard values. */
  const ofFacts = <T>(make: (fact: (typeof VALUED)[number]) => T) =>
    Object.fromEntries(VALUED.map((fact) => [fact, make(fact)]));
  const columns = {
    // First, followed by the texts: list.js finds the column of a placeholder by its position.
    kinds: columnOf(kinds),
    ...Object.fromEntries(
      Object.entries(TEXTS).map(([name, textOf]) => [name, columnOf(cards.map(textOf))]),
    ),
    // 0: the plate without its spaces, as for most vehicles.
    slugs: columnOf(
      cards.map(({ slug, plate }) => (slug === plate.replace(/\s/g, '').toLowerCase() ? 0 : slug)),
    ),
    sold: columnOf(cards.map(({ status }) => Number(status === 'sold'))),
    stock: columnOf(cards.map(({ stockId }) => stockId)),
    pictures: columnOf(cards.map(({ pictureCount }) => pictureCount)),
    videos: columnOf(cards.map(({ videoCount }) => videoCount)),
    dealer: columnOf(rows.map(({ dealer }) => dealer)),
    currency: columnOf(rows.map(({ currency }) => currency)),
    unit: columnOf(rows.map(({ unit }) => unit)),
    price: columnOf(cards.map(({ priceValue }) => priceValue)),
    ...Object.fromEntries(
      FACETS.map((name) => [name, columnOf(cards.map(({ facets }) => facets[name] ?? ''))]),
    ),
    // The dealer's text, and the standard value.
    ...ofFacts((name) =>
      columnOf(cards.map(({ facets, standard }) => [facets[name] ?? '', standard[name] ?? ''])),
    ),
  };
  const names = ofFacts((name) => {
    const keys = new Set(cards.flatMap(({ standard }) => standard[name] ?? []));
    return Object.fromEntries([...keys].map((key) => [key, namesOf(name, key, lang)]));
  });
  return JSON.stringify({
    version: VERSION,
    vehicles: rows.length,
    columns,
    names,
    shapes: [...shapes.keys()],
  });
}

/**
 * `DEALER/plates.json`: plate (see `plateKey`) → last part of the URL, or 0 if it is the plate itself. If the plates of two
 * vehicles differ only in spaces, the newer vehicle is used. Vehicles without a plate are left out.
 */
export function platesIndex(vehicles: readonly { vrm: string; slug: string }[]): string {
  const plates = new Map<string, string | 0>();
  for (const { vrm, slug } of vehicles) {
    const plate = plateKey(vrm);
    if (plate === '' || plates.has(plate)) continue;
    plates.set(plate, plate.toLowerCase() === slug ? 0 : slug);
  }
  // fromEntries defines properties, so that a plate named `__proto__` is an ordinary key.
  return `${JSON.stringify({ version: 1, plates: Object.fromEntries(plates) })}\n`;
}
