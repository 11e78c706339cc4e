import { hash } from 'node:crypto';
import { z } from 'zod';
import { LONGEST, type MediaItem, type VehicleMediaRecord } from '../contract/media.ts';
import { countName, type Quarantined } from '../contract/parse.ts';
import { vehicleSlug } from './address.ts';

export interface ImageMedia {
  kind: 'image';
  id: number;
  label: string;
  /** Hash of dealer, item and URL, see {@link sourceHash}. */
  source: string;
  /**
   * URL of the picture at the service, http(s). Missing if the vehicle was read from its record and no page shows the
   * URL.
   */
  url?: string;
}

export interface VideoMedia {
  kind: 'video';
  id: number;
  label: string;
  /** URL of the service's player page, http(s). */
  playerUrl: string;
  /** Untrusted, see `videos/embed.ts`. */
  hostedUrl?: string;
  embedHtml?: string;
}

export type VehicleMedia = ImageMedia | VideoMedia;

/** One vehicle of a dealer, ready for the plan and the pages. */
export interface Vehicle {
  dealerId: number;
  vrm: string;
  slug: string;
  /** UTC, `YYYY-MM-DDThh:mm:ssZ`. */
  dateUpdated: string;
  /** In the order of `mediaList`. */
  media: VehicleMedia[];
}

/** The pictures or videos of vehicles. */
export const countMedia = (
  vehicles: readonly Pick<Vehicle, 'media'>[],
  mediaKind: VehicleMedia['kind'],
): number => vehicles.flatMap(({ media }) => media).filter(({ kind }) => kind === mediaKind).length;

// The URL parser removes tabs and line breaks and replaces backslashes. Valid URLs do not contain them.
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for them
const FIXED_BY_PARSER = /[\u0000-\u001f\u007f\\]/;

/** Host names and IPv6 literals in the form of the URL parser. The parser would also accept shell quotes. */
const HOST = /^(?:[a-z0-9._-]+|\[[0-9a-f:]+\])$/;

/**
 * Parses an absolute http(s) URL without user name and password. Returns its canonical form, so that exactly the
 * checked URL is requested and published. Undefined for all other texts.
 */
export function httpAddress(text: string): string | undefined {
  const trimmed = text.trim();
  if (!/^https?:\/\//i.test(trimmed) || FIXED_BY_PARSER.test(trimmed)) return undefined;
  const url = URL.parse(trimmed);
  if (url === null || url.username !== '' || url.password !== '') return undefined;
  if (!HOST.test(url.hostname)) return undefined;
  // Checks the encoded length: non-ASCII letters become up to nine times as long.
  return url.href.length <= LONGEST.address ? url.href : undefined;
}

/** Form of a {@link sourceHash}. */
export const SOURCE_HASH = z.string().regex(/^[\w-]{11}$/);

/**
 * Identifies a picture without its URL, which may contain private data: 66 bits of SHA-256 of dealer, media id and URL.
 */
export const sourceHash = (dealerId: number, id: number, url: string): string =>
  hash('sha256', `${dealerId}/${id} ${url}`, 'base64url').slice(0, 11);

interface VehicleFindings {
  /** Media items that are not used because their URL is not http(s). */
  quarantined: Quarantined[];
  /** Unknown media types, with their number of items. */
  unknownTypes: Map<string, number>;
  /** Ids, as text, of media items that are not used. */
  unusableIds: Set<string>;
  /** Number of media items that repeat one of the same vehicle. */
  duplicates: number;
}

export const noFindings = (): VehicleFindings => ({
  quarantined: [],
  unknownTypes: new Map(),
  unusableIds: new Set(),
  duplicates: 0,
});

function toMedia(
  item: MediaItem,
  dealerId: number,
  path: string,
  findings: VehicleFindings,
): VehicleMedia[] {
  // Known services send only "Image" and "Video". Ignores letter case.
  const type = item.type.toLowerCase();
  if (type !== 'image' && type !== 'video') {
    countName(findings.unknownTypes, item.type);
    return [];
  }
  const address = httpAddress(item.mediaUrl);
  if (address === undefined) {
    findings.quarantined.push({
      code: 'address-not-http',
      path: `${path}.mediaUrl`,
      message: 'is not an absolute http(s) address',
    });
    return [];
  }
  const { id, label } = item;
  if (type === 'image') {
    const source = sourceHash(dealerId, id, address);
    return [{ kind: 'image', id, label, source, url: address }];
  }
  return [
    {
      kind: 'video',
      id,
      label,
      playerUrl: address,
      ...(item.hostedVideoUrl && { hostedUrl: item.hostedVideoUrl }),
      ...(item.hostedVideoEmbedHtml && { embedHtml: item.hostedVideoEmbedHtml }),
    },
  ];
}

/** Two media of a vehicle with the same URLs are the same, even if their ids differ. */
const keyOf = ({ id: _, label: __, ...media }: VehicleMedia): string =>
  media.kind === 'image' ? (media.url ?? '') : JSON.stringify(media);

/** Converts an accepted record to a vehicle. Adds unusable and repeated media to `findings`. */
export function toVehicle(
  record: VehicleMediaRecord,
  dealerId: number,
  findings: VehicleFindings,
): Vehicle {
  const { vrm, dateUpdated, mediaList } = record;
  const usable = mediaList.flatMap((item, index) => {
    const media = toMedia(item, dealerId, `(${vrm.slice(0, 20)}).mediaList[${index}]`, findings);
    if (media.length === 0) findings.unusableIds.add(String(item.id));
    return media;
  });
  const media = [...Map.groupBy(usable, keyOf).values()].flatMap(([first]) => first ?? []);
  findings.duplicates += usable.length - media.length;
  return { dealerId, vrm, slug: vehicleSlug(vrm), dateUpdated, media };
}
