/** Replaces number plates with names on sites that keep plates private (`site.plates: "hide"`). */
import { createHmac } from 'node:crypto';
import type { LoadedConfig } from '../config/load.ts';
import { plainLatin } from '../lib/latin.ts';
import { vehicleSlug } from './address.ts';
import type { ControlRow } from './control.ts';
import { comparablePlate, plateKey } from './plate.ts';
import type { Vehicle } from './vehicle.ts';

/**
 * Returns the public name for a plate. It is an HMAC, because an attacker could try all plates against a plain hash. It
 * depends only on the plate, so it is the same in every build. Names are returned unchanged.
 */
export type NameOf = (vrm: string) => string;

/** The form of a name and of its key. No plate has this form. */
const NAME = /^V[ -]?[0-9A-F]{16}$/;

/** Shorter plates occur in other texts by chance, so they are only matched as a word. */
const SHORTEST_PART = 5;
/** Longer ones are matched by their beginning, because a search for 1,000 characters takes seconds per text. */
const LONGEST_PART = 24;

/** Undefined if plates are public. */
export function plateNames({
  site,
  siteSecret,
}: Pick<LoadedConfig, 'site' | 'siteSecret'>): NameOf | undefined {
  if (site.plates === 'show' || siteSecret === undefined) return undefined;
  return (vrm) => {
    if (NAME.test(vrm)) return vrm;
    const plate = comparablePlate(vrm) || vrm;
    const text = `vehicle-media-site plate ${plate}`;
    const mac = createHmac('sha256', siteSecret.reveal()).update(text);
    return `V ${mac.digest('hex').slice(0, 16).toUpperCase()}`;
  };
}

/** Matches a letter, also without its accent, as in `fue-ab-4711`, or with a separate one. */
function spellingsOf(character: string): string {
  const plain = plainLatin(character);
  // After an `e`, a text of `e` would match in millions of ways.
  const umlaut = plain.endsWith('e') ? plain : `${plain}e?`;
  return plain === character.toLowerCase() ? character : `(?:${character}|${umlaut})`;
}

/** Matches a plate in texts with any separators. Undefined for a plate without letters and digits. */
function patternOf(vrm: string): RegExp | undefined {
  const characters = [...comparablePlate(vrm)];
  if (characters.length === 0 || NAME.test(vrm)) return undefined;
  const start = characters.slice(0, LONGEST_PART);
  const spelling = start.map(spellingsOf).join('[^\\p{L}\\p{N}]*');
  if (start.length < characters.length) return new RegExp(`${spelling}.*`, 'gisu');
  const isPart = characters.length >= SHORTEST_PART;
  const source = isPart ? spelling : `(?<![\\p{L}\\p{N}])${spelling}(?![\\p{L}\\p{N}])`;
  return new RegExp(source, 'giu');
}

const without = (text: string, plate: RegExp): string =>
  text.search(plate) < 0 ? text : text.replace(plate, ' ').replace(/\s+/g, ' ').trim();

const containsPlate = (address = '', plate: RegExp): boolean =>
  (['utf8', 'latin1'] as const).some((encoding) => {
    const decode = (codes: string) =>
      Buffer.from(codes.replaceAll('%', ''), 'hex').toString(encoding);
    return address.replace(/(?:%[0-9a-f]{2})+/gi, decode).search(plate) >= 0;
  });

type Named = Pick<Vehicle, 'vrm' | 'media'> & Partial<Pick<Vehicle, 'slug'>>;

/**
 * Replaces the plate of a vehicle with its name. Removes the plate from labels, and videos whose URL contains it. URLs
 * of pictures are used only for downloads, see `MediaViews`.
 */
export function withoutPlate<T extends Named>(vehicle: T, nameOf: NameOf | undefined): T {
  if (!nameOf) return vehicle;
  const plate = patternOf(vehicle.vrm);
  const vrm = nameOf(vehicle.vrm);
  const media = vehicle.media.flatMap((item) => {
    if (!plate) return [item];
    const isVideo = item.kind === 'video';
    const addresses = isVideo ? [item.playerUrl, item.hostedUrl, item.embedHtml] : [];
    if (addresses.some((address) => containsPlate(address, plate))) return [];
    return [{ ...item, label: without(item.label, plate) }];
  });
  return { ...vehicle, vrm, ...('slug' in vehicle && { slug: vehicleSlug(vrm) }), media };
}

/** Replaces plates in recorded vehicles. Also removes URLs of pictures, because the record is public. */
export function recordedWithoutPlates<T extends Named>(
  vehicles: readonly T[],
  nameOf: NameOf | undefined,
): readonly T[] {
  if (!nameOf) return vehicles;
  return vehicles.map((vehicle) => {
    const namedVehicle = withoutPlate(vehicle, nameOf);
    const media = namedVehicle.media.map((item) => {
      if (item.kind === 'video') return item;
      const { url: _, ...publicItem } = item;
      return publicItem;
    });
    const facts = 'facts' in vehicle && {
      facts: factsWithoutPlate(vehicle.facts as object, vehicle.vrm),
    };
    return { ...namedVehicle, media, ...facts };
  });
}

/** Removes the plate of the vehicle from facts or decisions, and a link that contains it. */
export function factsWithoutPlate<T extends object>(facts: T, vrm: string): T {
  const plate = patternOf(vrm);
  if (!plate) return facts;
  const entries = Object.entries(facts).flatMap(([key, value]: [string, unknown]) => {
    if (key === 'link' && containsPlate(String(value), plate)) return [];
    const texts = [value]
      .flat()
      .map((text) => (typeof text === 'string' ? without(text, plate) : text));
    const filledTexts = texts.filter((text) => text !== '');
    if (Array.isArray(value)) return [[key, filledTexts]];
    return filledTexts.length > 0 ? [[key, filledTexts[0]]] : [];
  });
  return Object.fromEntries(entries);
}

/**
 * Replaces plates with names in facts by plate. Facts of two plates with the same name are left out, because a page
 * could show the facts of the other vehicle.
 *
 * @param plateOf returns the plate of a row by its key, which may be a VIN or stock number.
 */
export const namedFacts = <T extends object>(
  byPlate: ReadonlyMap<string, T>,
  nameOf: NameOf,
  plateOf: (key: string) => string = (key) => key,
): Map<string, T> => {
  const byName = Map.groupBy(byPlate, ([key]) => plateKey(nameOf(key)));
  return new Map(
    [...byName].flatMap(([name, [first, ...others]]) =>
      first && others.length === 0
        ? [[name, factsWithoutPlate(first[1], plateOf(first[0]))] as const]
        : [],
    ),
  );
};

/** Replaces plates with names in decisions. Reports still show the plates as written. */
export const namedControl = (
  control: ReadonlyMap<string, ControlRow>,
  nameOf: NameOf,
): Map<string, ControlRow> =>
  new Map(
    Array.from(control, ([plate, row]) => [
      plateKey(nameOf(plate)),
      { ...factsWithoutPlate(row, plate), plate: row.plate },
    ]),
  );
