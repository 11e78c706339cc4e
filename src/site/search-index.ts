import { comparablePlate } from '../stock/plate.ts';
import type { CardView } from './view.ts';

/**
 * What the search of a list reads: one row a vehicle, in the order of the list. `list.js` reads the
 * cells by their place, so new ones go to the end.
 */
export type IndexRow = [
  slug: string,
  plate: string,
  name: string,
  price: string,
  priceValue: number,
  date: string,
  dateText: string,
  pictureCount: number,
  picturesText: string,
  videosText: string,
  src: string,
  srcset: string,
  colourClass: string,
];

/** `DEALER/index.json`: all vehicles of a dealer's list, under 100 bytes each once compressed. */
export function searchIndex(url: string, cards: readonly CardView[]): string {
  const rows = cards.map(
    (card): IndexRow => [
      card.slug,
      card.plate,
      card.named ? card.name : '',
      card.price,
      card.priceValue,
      card.updated.iso,
      card.updated.text,
      card.pictureCount,
      card.picturesText,
      card.videosText,
      card.cover?.src ?? '',
      card.cover?.srcset ?? '',
      card.cover?.colourClass ?? '',
    ],
  );
  return `${JSON.stringify({ version: 1, url, rows })}\n`;
}

/**
 * Which vehicle each plate leads to, by comparable plate. Of two vehicles whose plates differ only
 * in spaces the newer is found; a vehicle without a plate cannot be found by it.
 */
export function findable(vehicles: readonly { vrm: string; slug: string }[]): Map<string, string> {
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
  // fromEntries defines keys, so that no plate can be taken for `__proto__`.
  return `${JSON.stringify({ version: 1, plates: Object.fromEntries(plates) })}\n`;
}
