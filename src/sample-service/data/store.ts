import type { BatchRecord } from '../../contract/batch.ts';
import type { VehicleMediaRecord } from '../../contract/media.ts';

/** A dealer and its vehicles, in the interface's neutral field names (2.1, 2.2). */
export interface SampleDealer {
  id: number;
  name: string;
  /** Key for only this dealer. Default: the service's `mediaKey`. */
  apiKey?: string;
  /** URLs may contain `{base_url}`. */
  vehicles: VehicleMediaRecord[];
}

/** An account of MyVideos and its batches, in the interface's neutral field names (2.3). */
export interface SampleAccount {
  name: string;
  customerId: string;
  /** The path segment `:id` of this account. */
  pathId: string;
  /** Key for only this account. Default: the service's `batchKey`. */
  apiKey?: string;
  batches: BatchRecord[];
}

/** Properties of one picture that replace the generated ones. */
export interface PictureOverride {
  /** Stored width, pixels, before orientation is applied. */
  width?: number;
  /** Stored height, pixels, before orientation is applied. */
  height?: number;
  /** EXIF orientation tag, 1 to 8. */
  orientation?: number;
  /** Increased when the picture changes under its URL. */
  revision?: number;
  /** The URL returns 404 although the item is listed. */
  deleted?: boolean;
}

/** All data of the service. A test may give it as a literal. */
export interface SampleData {
  dealers: SampleDealer[];
  accounts: SampleAccount[];
  /** By identifier of the media item. */
  pictures?: Record<number, PictureOverride>;
}

/** Placeholder for the service's URL in stored URLs and snippets. */
export const BASE_URL = '{base_url}';

/** A JSON value with every `{base_url}` replaced by the service's URL. */
export const withBaseUrl = <T>(value: T, baseUrl: string): T =>
  JSON.parse(JSON.stringify(value).replaceAll(BASE_URL, baseUrl));

/** The hosted-video code of a media item: eleven letters and digits that identify the item. */
export const hostedCode = (mediaId: number): string => `hv${mediaId.toString(36).padStart(9, '0')}`;

export type MediaLocation = NonNullable<ReturnType<SampleStore['locate']>>;

/**
 * The data of a running service. `dealers` and `accounts` are plain arrays. Each response uses their current
 * content, so a test may change them between two requests.
 */
export class SampleStore {
  readonly dealers: SampleDealer[];
  readonly accounts: SampleAccount[];
  readonly pictures: Map<number, PictureOverride>;

  constructor(data: SampleData) {
    // Copied, so that several services can use one literal and change their data.
    const copy = structuredClone(data);
    this.dealers = copy.dealers;
    this.accounts = copy.accounts;
    this.pictures = new Map(
      Object.entries(copy.pictures ?? {}).map(([id, override]) => [Number(id), override]),
    );
  }

  /** The media item of this id. Undefined if no dealer lists it. */
  locate(mediaId: number) {
    for (const dealer of this.dealers) {
      for (const vehicle of dealer.vehicles) {
        const item = vehicle.mediaList.find(({ id }) => id === mediaId);
        if (item) return { dealer, vehicle, item };
      }
    }
    return undefined;
  }

  /** The hosted video of a code. Undefined if it does not exist. */
  locateHosted(code: string): MediaLocation | undefined {
    const [, digits] = /^hv([0-9a-z]{9})$/.exec(code) ?? [];
    const location = digits === undefined ? undefined : this.locate(Number.parseInt(digits, 36));
    return location?.item.type === 'Video' && location.item.hostedVideoUrl ? location : undefined;
  }

  /** Changes the content of a picture under its unchanged URL: new bytes, ETag, Last-Modified. */
  touch(mediaId: number): void {
    const revision = this.pictures.get(mediaId)?.revision ?? 0;
    this.override(mediaId, { revision: revision + 1 });
  }

  /** Makes the URL of a picture return 404. Its item is still listed. */
  remove(mediaId: number): void {
    this.override(mediaId, { deleted: true });
  }

  /** Sets size, orientation, revision or absence of one picture. Keeps other properties. */
  override(mediaId: number, change: PictureOverride): void {
    this.pictures.set(mediaId, { ...this.pictures.get(mediaId), ...change });
  }
}
