/**
 * The two ports of the media line: who processes pictures, and where outputs are stored. Without any
 * configuration both are this process and its cache folder.
 */
import type { MediaConfig } from '../config/schema.ts';
import type { ContentEntry, SourceEntry } from '../record/pictures.ts';
import type { Source, Step } from './plan.ts';

/** Bytes by name, as a folder and as S3 have them. Names are ours alone: `[a-z0-9./-]`. */
export interface Store {
  /** Where it lies on this machine, where it is a folder. */
  readonly folder?: string;
  get(name: string): Promise<Uint8Array | undefined>;
  /**
   * Puts bytes, whole or not at all.
   *
   * @param once where it is there already, it stays as it is; that is a success too.
   * @returns whether anything was put.
   */
  put(name: string, bytes: Uint8Array, options?: { once?: boolean }): Promise<boolean>;
  has(name: string): Promise<boolean>;
  /** All names that begin with a prefix, in any order. */
  list(prefix: string): Promise<string[]>;
  /** Removes by name; one that is already gone is no fault. */
  remove(names: Iterable<string>): Promise<void>;
}

/** A picture to be processed: its source, what is known of it so far, and the step that is due. */
export interface PictureTask {
  source: Source;
  entry: SourceEntry | undefined;
  content: ContentEntry | undefined;
  step: Exclude<Step, { kind: 'nothing' }>;
}

/** What became of one source. */
export type Outcome =
  | { ok: false; code: string; message: string; downloadedBytes?: number | undefined }
  | {
      ok: true;
      entry: SourceEntry;
      content: ContentEntry;
      /** It was asked again and had not changed. */
      revalidated: boolean;
      /** Absent where its server answered that nothing changed. */
      downloadedBytes?: number | undefined;
      made: { name: string; bytes: number }[];
    };

/** A set of names, as far as it is asked and added to. */
export interface Names {
  has(name: string): boolean;
  add(name: string): void;
}

export interface PictureTaskPlan {
  works: readonly PictureTask[];
  media: MediaConfig;
  /** Of the service: the one host that may be on this machine. */
  baseUrl: string;
  /** Names of the outputs that need not be made. What is made is added. */
  existing: Names;
  /** What is known of bytes, by their hash. What is learned is added. */
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
   * @throws AppError the machine or the engine, not a picture, is at fault.
   */
  run(plan: PictureTaskPlan, notify: (work: PictureTask, outcome: Outcome) => void): Promise<void>;
}
