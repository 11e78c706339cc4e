import type { BatchRecord } from '../../contract/batch.ts';
import type { MediaItem, VehicleMediaRecord } from '../../contract/media.ts';

/** A dealer and its vehicles, in the interface's neutral field names (2.1, 2.2). */
export interface SampleDealer {
  id: number;
  name: string;
  /** Key for only this dealer. Without it, the service's `mediaKey`. */
  apiKey?: string;
  /** Addresses may hold `{base_url}`. */
  vehicles: VehicleMediaRecord[];
}

/** An account of MyVideos and its batches, in the interface's neutral field names (2.3). */
export interface SampleAccount {
  name: string;
  customerId: string;
  /** The path segment `:id` this account answers under. */
  pathId: string;
  /** Key for only this account. Without it, the service's `batchKey`. */
  apiKey?: string;
  batches: BatchRecord[];
}

/** Properties of one picture that replace those generated from its identifier. */
export interface PictureOverride {
  /** Stored width, pixels, before orientation is applied. */
  width?: number;
  /** Stored height, pixels, before orientation is applied. */
  height?: number;
  /** EXIF orientation tag, 1 to 8. */
  orientation?: number;
  /** Raised when the picture changed under its address. */
  revision?: number;
  /** The address answers 404 although the item is listed. */
  deleted?: boolean;
}

/** Everything the service answers from. A test may give it as a literal. */
export interface SampleData {
  dealers: SampleDealer[];
  accounts: SampleAccount[];
  /** By identifier of the media item. */
  pictures?: Record<number, PictureOverride>;
}

/** Placeholder for the service's address in stored addresses and snippets. */
export const BASE_URL = '{base_url}';

/** A value of JSON with `{base_url}` in every text replaced by the service's own address. */
export const withBaseUrl = <T>(value: T, baseUrl: string): T =>
  JSON.parse(JSON.stringify(value).replaceAll(BASE_URL, baseUrl));

/** Prefix of every code of the hosted-video pages. */
const CODE_PREFIX = 'hv';
const CODE_DIGITS = 9;

/** The hosted-video code of a media item: eleven letters and digits that name the item. */
export function hostedCode(mediaId: number): string {
  return CODE_PREFIX + mediaId.toString(36).padStart(CODE_DIGITS, '0');
}

/** The media item that a hosted-video code names. Undefined if it is not such a code. */
export function mediaIdOfCode(code: string): number | undefined {
  if (!/^hv[0-9a-z]{9}$/.test(code)) return undefined;
  return Number.parseInt(code.slice(CODE_PREFIX.length), 36);
}

/** A media item with its vehicle and dealer. */
export interface Located {
  dealer: SampleDealer;
  vehicle: VehicleMediaRecord;
  item: MediaItem;
}

/**
 * The data of a running service. `dealers` and `accounts` are plain arrays that a test may change
 * between two requests: each response is made from their current content.
 */
export class SampleStore {
  readonly dealers: SampleDealer[];
  readonly accounts: SampleAccount[];
  readonly pictures: Map<number, PictureOverride>;

  constructor(data: SampleData) {
    // Copied, so that one literal can serve many services that each change their own.
    const copy = structuredClone(data);
    this.dealers = copy.dealers;
    this.accounts = copy.accounts;
    this.pictures = new Map(
      Object.entries(copy.pictures ?? {}).map(([id, override]) => [Number(id), override]),
    );
  }

  /** The media item of this id. Undefined if no dealer lists it. */
  locate(mediaId: number): Located | undefined {
    for (const dealer of this.dealers) {
      for (const vehicle of dealer.vehicles) {
        const item = vehicle.mediaList.find(({ id }) => id === mediaId);
        if (item) return { dealer, vehicle, item };
      }
    }
    return undefined;
  }

  /** The hosted video that a code names. Undefined if it does not exist. */
  locateHosted(code: string): Located | undefined {
    const id = mediaIdOfCode(code);
    const found = id === undefined ? undefined : this.locate(id);
    return found?.item.type === 'Video' && found.item.hostedVideoUrl ? found : undefined;
  }

  /** Changes the content of a picture, under its unchanged address: new bytes, ETag, Last-Modified. */
  touch(mediaId: number): void {
    const revision = this.pictures.get(mediaId)?.revision ?? 0;
    this.override(mediaId, { revision: revision + 1 });
  }

  /** Makes a picture answer 404 while its item stays listed. */
  remove(mediaId: number): void {
    this.override(mediaId, { deleted: true });
  }

  /** Sets size, orientation, revision or absence of one picture. Other properties stay. */
  override(mediaId: number, change: PictureOverride): void {
    this.pictures.set(mediaId, { ...this.pictures.get(mediaId), ...change });
  }
}
