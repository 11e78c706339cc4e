/**
 * The two ports of the media line: the runner that processes pictures, and the store of outputs. By
 * default they are this process and its cache folder.
 */
import type { MediaConfig } from '../config/schema.ts';
import type { ContentEntry, SourceEntry } from '../record/pictures.ts';
import type { Source, Step } from './plan.ts';

/** Bytes by name, as a folder and as S3 have them. Names are ours alone: `[a-z0-9./-]`. */
export interface Store {
  /** Path on this machine, if the store is a folder. */
  readonly folder?: string;
  get(name: string): Promise<Uint8Array | undefined>;
  /**
   * Puts bytes, completely or not at all.
   *
   * @param once leaves an existing object as it is, which is a success, too.
   * @returns whether anything was put.
   */
  put(name: string, bytes: Uint8Array, options?: { once?: boolean }): Promise<boolean>;
  has(name: string): Promise<boolean>;
  /** All names that begin with a prefix, in any order. */
  list(prefix: string): Promise<string[]>;
  /** Removes by name; a missing one is ignored. */
  remove(names: Iterable<string>): Promise<void>;
}

/** A picture to be processed: its source, what is known of it so far, and the step that is due. */
export interface PictureTask {
  source: Source;
  entry: SourceEntry | undefined;
  content: ContentEntry | undefined;
  step: Exclude<Step, { kind: 'nothing' }>;
}

/** Result of processing one source. */
export type Outcome =
  | { ok: false; code: string; message: string; downloadedBytes?: number | undefined }
  | {
      ok: true;
      entry: SourceEntry;
      content: ContentEntry;
      /** It was checked again and had not changed. */
      revalidated: boolean;
      /** Absent where its server answered that nothing changed. */
      downloadedBytes?: number | undefined;
      made: { name: string; bytes: number }[];
    };

/** A set of names that can be read and added to. */
export interface Names {
  has(name: string): boolean;
  add(name: string): void;
}

export interface PictureTaskPlan {
  works: readonly PictureTask[];
  media: MediaConfig;
  /** Base address of the service, the only host that may be on this machine. */
  baseUrl: string;
  /** Names of existing outputs, which need not be made. New ones are added. */
  existing: Names;
  /** Entries of known bytes by their hash. New ones are added. */
  contents: Map<string, ContentEntry>;
  /** Folder of the outputs on this machine. */
  folder: string;
  signal?: AbortSignal | undefined;
}

/** Processes the pictures of a plan. */
export interface Runner {
  /**
   * Reports the outcome of each source once, in any order; resolves when all are reported.
   *
   * @throws AppError for a fault of the machine or the engine rather than of a picture.
   */
  run(plan: PictureTaskPlan, notify: (work: PictureTask, outcome: Outcome) => void): Promise<void>;
}
