/** Names of vehicles on sites that keep number plates private (`site.plates: "hide"`). */
import { createHmac } from 'node:crypto';
import type { LoadedConfig } from '../config/load.ts';
import { vehicleSlug } from './address.ts';
import type { ControlRow } from './control.ts';
import { comparablePlate } from './plate.ts';
import type { Vehicle } from './vehicle.ts';

/**
 * The public name in place of a plate. It is an HMAC, because all plates could be tried against a plain hash,
 * and depends only on the plate, so that it is the same every night. The name of a name is the name.
 */
export type NameOf = (vrm: string) => string;

/** The form of a name, also as a comparable plate: no plate looks like it. */
const NAME = /^V ?[0-9A-F]{16}$/;

/** Shorter plates occur in other texts by chance, and are only looked for as a word. */
const SHORTEST_PART = 5;

/** Undefined if plates are public. */
export function plateNames({
  site,
  siteSecret,
}: Pick<LoadedConfig, 'site' | 'siteSecret'>): NameOf | undefined {
  if (site.plates === 'show' || siteSecret === undefined) return undefined;
  return (vrm) => {
    if (NAME.test(vrm)) return vrm;
    const plate = comparablePlate(vrm) || vrm;
    const mac = createHmac('sha256', siteSecret.reveal()).update(
      `vehicle-media-site plate ${plate}`,
    );
    return `V ${mac.digest('hex').slice(0, 16).toUpperCase()}`;
  };
}

/** Finds a plate in texts, however its groups are separated. Undefined for a plate without letters and digits. */
function patternOf(vrm: string): RegExp | undefined {
  const characters = [...comparablePlate(vrm)];
  if (characters.length === 0 || NAME.test(vrm)) return undefined;
  const spelled = characters.join('[^\\p{L}\\p{N}]*');
  const isPart = characters.length >= SHORTEST_PART;
  const source = isPart ? spelled : `(?<![\\p{L}\\p{N}])${spelled}(?![\\p{L}\\p{N}])`;
  return new RegExp(source, 'giu');
}

const without = (text: string, plate: RegExp): string =>
  text.search(plate) < 0 ? text : text.replace(plate, ' ').replace(/\s+/g, ' ').trim();

function holds(address: string | undefined, plate: RegExp): boolean {
  if (address === undefined) return false;
  const plain = address.replace(/%[0-9a-f]{2}/gi, (code) =>
    String.fromCharCode(Number.parseInt(code.slice(1), 16)),
  );
  return plain.search(plate) >= 0 || address.search(plate) >= 0;
}

type Named = Pick<Vehicle, 'vrm' | 'media'> & Partial<Pick<Vehicle, 'slug'>>;

/**
 * A vehicle with its name in place of the plate. Labels lose the plate. Videos whose URL contains it are left out.
 * URLs of pictures are used only for downloads, see `MediaViews`.
 */
export function withoutPlate<T extends Named>(vehicle: T, nameOf: NameOf | undefined): T {
  if (!nameOf) return vehicle;
  const plate = patternOf(vehicle.vrm);
  const vrm = nameOf(vehicle.vrm);
  const media = vehicle.media.flatMap((one) => {
    if (!plate) return [one];
    const isVideo = one.kind === 'video';
    const addresses = isVideo ? [one.playerUrl, one.hostedUrl, one.embedHtml] : [];
    if (addresses.some((address) => holds(address, plate))) return [];
    return [{ ...one, label: without(one.label, plate) }];
  });
  return { ...vehicle, vrm, ...('slug' in vehicle && { slug: vehicleSlug(vrm) }), media };
}

/** Recorded vehicles with their names. The record is public, so URLs of pictures are left out as well. */
export function recordedWithoutPlates<T extends Named>(
  vehicles: readonly T[],
  nameOf: NameOf | undefined,
): readonly T[] {
  if (!nameOf) return vehicles;
  return vehicles.map((vehicle) => {
    const named = withoutPlate(vehicle, nameOf);
    const media = named.media.map((one) => {
      if (one.kind === 'video') return one;
      const { url: _, ...shown } = one;
      return shown;
    });
    const facts = 'facts' in vehicle && {
      facts: factsWithoutPlate(vehicle.facts as object, vehicle.vrm),
    };
    return { ...named, media, ...facts };
  });
}

/** Facts or decisions without the plate of their vehicle. A link that contains it is left out. */
export function factsWithoutPlate<T extends object>(facts: T, vrm: string): T {
  const plate = patternOf(vrm);
  if (!plate) return facts;
  const entries = Object.entries(facts).flatMap(([key, value]: [string, unknown]) => {
    if (key === 'link' && holds(String(value), plate)) return [];
    const texts = [value]
      .flat()
      .map((one) => (typeof one === 'string' ? without(one, plate) : one));
    const kept = texts.filter((one) => one !== '');
    if (Array.isArray(value)) return [[key, kept]];
    return kept.length > 0 ? [[key, kept[0]]] : [];
  });
  return Object.fromEntries(entries);
}

/**
 * Facts by plate as facts by name.
 *
 * @param plateOf the plate of a row that a VIN or stock number joins.
 */
export const namedFacts = <T extends object>(
  byPlate: ReadonlyMap<string, T>,
  nameOf: NameOf,
  plateOf: (key: string) => string = (key) => key,
): Map<string, T> =>
  new Map(
    Array.from(byPlate, ([key, facts]) => [
      comparablePlate(nameOf(key)),
      factsWithoutPlate(facts, plateOf(key)),
    ]),
  );

/** Decisions by plate as decisions by name. Reports still name the plates as they are written. */
export const namedControl = (
  control: ReadonlyMap<string, ControlRow>,
  nameOf: NameOf,
): Map<string, ControlRow> =>
  new Map(
    Array.from(control, ([plate, row]) => [
      comparablePlate(nameOf(plate)),
      { ...factsWithoutPlate(row, plate), plate: row.plate },
    ]),
  );
