import { hash } from 'node:crypto';
import { z } from 'zod';
import { LONGEST, type MediaItem, type VehicleMediaRecord } from '../contract/media.ts';
import { countName, type Quarantined } from '../contract/parse.ts';
import { vehicleSlug } from './address.ts';

export interface ImageMedia {
  kind: 'image';
  id: number;
  label: string;
  /** Hash of dealer, item and address, see {@link sourceHash}. */
  source: string;
  /**
   * Address of the picture at the service, http(s). Absent if a vehicle is read from its record
   * and no page shows the address.
   */
  url?: string;
}

export interface VideoMedia {
  kind: 'video';
  id: number;
  label: string;
  /** Address of the service's player page, http(s). */
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

// The URL parser removes tabs and line breaks and replaces backslashes. Valid addresses have none.
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for them
const MENDED_BY_PARSERS = /[\u0000-\u001f\u007f\\]/;

/** Host names and IPv6 literals as the URL parser writes them. The parser also accepts shell quotes. */
const HOST = /^(?:[a-z0-9._-]+|\[[0-9a-f:]+\])$/;

/**
 * An absolute http(s) address without user name or password in its canonical spelling, so that the
 * address that was checked is the one that is requested and published. Undefined for every other text.
 */
export function httpAddress(text: string): string | undefined {
  const trimmed = text.trim();
  if (!/^https?:\/\//i.test(trimmed) || MENDED_BY_PARSERS.test(trimmed)) return undefined;
  const url = URL.parse(trimmed);
  if (url === null || url.username !== '' || url.password !== '') return undefined;
  if (!HOST.test(url.hostname)) return undefined;
  // An address of non-ASCII letters grows ninefold when it is encoded.
  return url.href.length <= LONGEST.address ? url.href : undefined;
}

/** Form of a {@link sourceHash}. */
export const SOURCE_HASH = z.string().regex(/^[\w-]{11}$/);

/**
 * Identifies a picture without its address, which may contain private data: 66 bits of SHA-256 over
 * dealer, media id and address.
 */
export function sourceHash(dealerId: number, id: number, url: string): string {
  return hash('sha256', `${dealerId}/${id} ${url}`, 'base64url').slice(0, 11);
}

export interface VehicleFindings {
  /** Media items that are not used because their address is not http(s). */
  quarantined: Quarantined[];
  /** Unknown media types, with how often each was seen. */
  unknownTypes: Map<string, number>;
}

function toMedia(
  item: MediaItem,
  dealerId: number,
  path: string,
  findings: VehicleFindings,
): VehicleMedia[] {
  // Only "Image" and "Video" were seen. Letter case is ignored.
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

/** An accepted record as a vehicle. Unusable media are added to `findings`. */
export function toVehicle(
  record: VehicleMediaRecord,
  dealerId: number,
  findings: VehicleFindings,
): Vehicle {
  return {
    dealerId,
    vrm: record.vrm,
    slug: vehicleSlug(record.vrm),
    dateUpdated: record.dateUpdated,
    media: record.mediaList.flatMap((item, index) =>
      toMedia(item, dealerId, `(${record.vrm.slice(0, 20)}).mediaList[${index}]`, findings),
    ),
  };
}
