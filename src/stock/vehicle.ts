import type { MediaItem, VehicleMediaRecord } from '../contract/media.ts';
import type { Quarantined } from '../contract/parse.ts';
import { vehicleSlug } from './address.ts';

export interface ImageMedia {
  kind: 'image';
  id: number;
  label: string;
  /** Address of the picture at the service, http(s). */
  url: string;
}

export interface VideoMedia {
  kind: 'video';
  id: number;
  label: string;
  /** Address of the service's player page, http(s). */
  playerUrl: string;
  /** Untrusted; see `media/embeds`. */
  hostedUrl?: string;
  embedHtml?: string;
  watchUrl?: string;
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

/** Whether `text` is an absolute http(s) address without user name or password. */
export function isHttpAddress(text: string): boolean {
  const url = URL.parse(text);
  return (
    url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
  );
}

export interface VehicleFindings {
  /** Media items set aside because of an address that is no http(s) address. */
  quarantined: Quarantined[];
  /** Media types that we do not know, with how often each was seen. */
  unknownTypes: Map<string, number>;
}

function toMedia(item: MediaItem, path: string, findings: VehicleFindings): VehicleMedia[] {
  // Only "Image" and "Video" were seen. Letter case is not taken to mean anything.
  const type = item.type.toLowerCase();
  if (type !== 'image' && type !== 'video') {
    const name = item.type.slice(0, 60);
    findings.unknownTypes.set(name, (findings.unknownTypes.get(name) ?? 0) + 1);
    return [];
  }
  if (!isHttpAddress(item.mediaUrl)) {
    findings.quarantined.push({
      code: 'address-not-http',
      path: `${path}.mediaUrl`,
      message: 'is not an absolute http(s) address',
    });
    return [];
  }
  const { id, label } = item;
  if (type === 'image') return [{ kind: 'image', id, label, url: item.mediaUrl }];
  return [
    {
      kind: 'video',
      id,
      label,
      playerUrl: item.mediaUrl,
      ...(item.hostedVideoUrl && { hostedUrl: item.hostedVideoUrl }),
      ...(item.hostedVideoEmbedHtml && { embedHtml: item.hostedVideoEmbedHtml }),
      ...(item.hostedVideoWatchUrl && { watchUrl: item.hostedVideoWatchUrl }),
    },
  ];
}

/** An accepted record as a vehicle; what of its media cannot be used goes into `findings`. */
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
      toMedia(item, `(${record.vrm.slice(0, 20)}).mediaList[${index}]`, findings),
    ),
  };
}
