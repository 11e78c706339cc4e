import type { KnownPictures, PictureContent } from '../../record/known-pictures.ts';
import type { MediaCounts } from '../counts.ts';
import type { OutputNames } from '../output-names.ts';
import type { Source } from '../plan.ts';
import type { PictureTaskPlan } from '../process/tasks.ts';
import type { RestoreOptions } from '../published/restore.ts';

export interface PictureFailure {
  /** See `sourceKey`. */
  key: string;
  /** Slug of the first vehicle that shows it. */
  vehicle: string;
  /** URL of the picture, for reports. Undefined if it is unknown. */
  url?: string;
  /** Stable code: a download or picture fault. */
  code: string;
  message: string;
  /** Whether there is a fallback: thumbnails of an earlier run, or a picture for a video's still. */
  standIn: boolean;
}

export interface MediaProgress
  extends Pick<MediaCounts, 'failed' | 'downloadedBytes' | 'outputsMade' | 'outputsMadeBytes'> {
  /** Sources that need work, and finished ones. */
  total: number;
  done: number;
}

export interface MediaResult {
  counts: MediaCounts;
  failures: PictureFailure[];
  problems: string[];
  /** Hash, size and colour of a source's picture. Undefined if it could never be downloaded. */
  contentOf: (key: string) => ({ hash: string } & PictureContent) | undefined;
  /** Outputs that pages may use: planned and existing, in the folder or on the published site. */
  outputs: OutputNames;
  /** Outputs that are missing or altered on the published site. */
  unpublished: OutputNames;
  /** Folder of the unpublished outputs. */
  folder: string;
  fingerprints: () => Iterable<[name: string, fingerprint: string]>;
  /**
   * Removes outputs that are no longer planned, and counts them in `counts`. Call it once the new site is
   * published and its records are written.
   *
   * @param force search for them even if this run changed nothing, for example after a record was removed.
   * @param outputsToKeep if they differ from the outputs of this run.
   */
  removeUnplanned: (force?: boolean, outputsToKeep?: OutputNames) => Promise<void>;
  mayLeaveOutputs: boolean;
}

export interface PipelineOptions extends RestoreOptions {
  baseUrl: string;
  cacheDir: string;
  /**
   * The pictures of the records. Results of the run are added, and the caller saves them. Without it, no
   * picture is known, and results are not stored.
   */
  known?: KnownPictures;
  /**
   * Outputs in the same folder that belong to other records on this disk, such as records of other
   * configurations, and of dealers outside of this run. Resolves to undefined if one of these records
   * cannot be read, so that no output is removed. Called only if there are outputs to remove.
   */
  usedByOthers?: () => Promise<OutputNames | undefined>;
  /** When a dealer was last built with a response of its service, milliseconds since 1970. */
  lastConfirmed?: (dealer: string) => number | undefined;
  /**
   * Whether a dealer's pictures are requested. They are not if the dealer is built from its record. The entries
   * of its pictures then remain unchanged.
   */
  asks?: (dealer: string) => boolean;
  limit?: PictureTaskPlan['limit'];
  /**
   * The sources of the pages that can be shown without some pictures, given by their keys.
   *
   * @param missing pictures that were not started.
   * @param lost pictures that failed without a fallback.
   */
  without?: (missing: ReadonlySet<string>, lost: ReadonlySet<string>) => readonly Source[];
  /** Milliseconds since 1970. It only decides which unchanged URLs are checked again. */
  now: number;
  onProgress?: (progress: MediaProgress) => void;
}
