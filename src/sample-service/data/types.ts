import type { BatchRecord } from '../../contract/batch.ts';
import type { VehicleMediaRecord } from '../../contract/media.ts';

/** A dealer and its vehicles, in the interface's neutral field names (2.1, 2.2). */
export interface SampleDealer {
  id: number;
  name: string;
  /** Key for this dealer alone. Without it, the service's `mediaKey`. */
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
  /** Key for this account alone. Without it, the service's `batchKey`. */
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
