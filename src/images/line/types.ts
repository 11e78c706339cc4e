import type { MediaConfig } from '../../config/schema.ts';
import type { KnownPictures, PictureContent } from '../../record/known-pictures.ts';
import type { MediaCounts } from '../counts.ts';
import type { OutputNames } from '../output-names.ts';
import type { Source } from '../plan.ts';
import type { Runner, Store } from '../ports.ts';
import type { PublishedThumbnails, RestoreOptions } from '../published/restore.ts';

export interface PictureFailure {
  /** See `sourceKey`. */
  key: string;
  /** Where it is, for people; undefined where that is not known. */
  url?: string | undefined;
  /** Stable code: a download or picture fault. */
  code: string;
  message: string;
  /** Whether something stands in: thumbnails of an earlier run, or a picture for a video's still. */
  standIn: boolean;
}

export interface MediaProgress {
  /** Sources that need work, and those of them that are done. */
  total: number;
  done: number;
  failed: number;
  downloadedBytes: number;
  outputsMade: number;
  outputsMadeBytes: number;
}

export interface MediaResult {
  counts: MediaCounts;
  failures: PictureFailure[];
  problems: string[];
  /** What is known of the bytes of a source; undefined where it could never be had. */
  contentOf: (key: string) => ({ hash: string } & PictureContent) | undefined;
  /** Which outputs the pages may use, and are to be published: planned ones that exist, here or there. */
  outputs: OutputNames;
  /** Those of them that the published site does not have as they were made. */
  unpublished: OutputNames;
  /** Folder that those lie in. */
  folder: string;
  /** Their names and fingerprints, by name. */
  fingerprints: () => [name: string, fingerprint: string][];
  /**
   * Removes what nothing plans any more. To be called once the new site is published, and records say
   * what it shows.
   *
   * @param look also where this run changed nothing: a record has gone.
   * @param stays all that does, where that is more than the outputs of this run.
   */
  removeUnplanned: (look?: boolean, stays?: OutputNames) => Promise<number>;
  /** Whether there may be outputs that nobody uses any more. */
  mayLeaveOutputs: boolean;
}

export interface MediaLineOptions {
  sources: readonly Source[];
  media: MediaConfig;
  baseUrl: string;
  cacheDir: string;
  /**
   * What records say of pictures; what the run finds out is added. Saving it is the caller's. Without
   * it nothing is known, and nothing remembered.
   */
  known?: KnownPictures | undefined;
  /**
   * Outputs in the same folder that the other records on this disk name: those of other
   * configurations, and of dealers that this run is not about. Undefined where one of them cannot be
   * read: then no output is removed. Called only where there is something to remove.
   */
  usedByOthers?: (() => Promise<OutputNames | undefined>) | undefined;
  /** Names the configuration in a store that others share. */
  configuration?: string;
  /** When a dealer was last built with an answer of its service, milliseconds since 1970. */
  lastConfirmed?: ((dealer: string) => number | undefined) | undefined;
  /**
   * Whether a dealer's pictures are asked for. Not for one that stands on its record: then what is
   * known of its pictures stays as it is.
   */
  asks?: ((dealer: string) => boolean) | undefined;
  /** Milliseconds since 1970; decides only when unchanged addresses are asked again. */
  now: number;
  /** Who does the work and where it lies, where that is not this process and its cache folder. */
  engines?: MediaEngines | undefined;
  /** Where thumbnails may be taken from; a store that is shared is that by itself. */
  published?: PublishedThumbnails | undefined;
  signal?: AbortSignal;
  onProgress?: (progress: MediaProgress) => void;
  /** Called while thumbnails are taken from the published site. */
  onRestore?: RestoreOptions['onRestore'];
}

/** What runs the line for several machines. */
export interface MediaEngines {
  /** Workers elsewhere; without them the work is done here. */
  runner?: Runner | undefined;
  /** What they share, or what outlives this machine's disk. */
  store: Store;
}
