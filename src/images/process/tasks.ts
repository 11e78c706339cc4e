/** Pictures to process, and their outcomes. This process or workers process them. */
import type { MediaConfig } from '../../config/schema.ts';
import { dealerOf } from '../../record/known-pictures.ts';
import type { ContentEntry, SourceEntry } from '../../record/pictures.ts';
import type { OutputNames } from '../output-names.ts';
import type { Source, Step } from '../plan.ts';
import type { ThumbnailStore } from '../stores/thumbnail-store.ts';

/** A picture to be processed: its source, its known state, and the next step. */
export interface PictureTask {
  source: Source;
  entry: SourceEntry | undefined;
  content: ContentEntry | undefined;
  step: Step;
}

/** Result of processing one source. */
export type Outcome =
  | { ok: false; code: string; message: string; downloadedBytes?: number }
  | {
      ok: true;
      entry: SourceEntry;
      content: ContentEntry;
      /** It was checked again and had not changed. */
      revalidated: boolean;
      /** Absent if the server responded that nothing changed. */
      downloadedBytes?: number;
      newOutputs: { name: string; bytes: number }[];
    };

/**
 * The time limit `--for` in one process. When it is over, no other vehicle is started, but started vehicles are
 * finished. One vehicle is always started, so that every build makes progress.
 */
export class TimeLimit {
  readonly #until: number;
  readonly #startedVehicles = new Set<string>();

  /** @param until milliseconds since 1970. */
  constructor(until: number) {
    this.#until = until;
  }

  get isOver(): boolean {
    return Date.now() >= this.#until;
  }

  /** Whether a picture may be started. @param urgent keys of pictures that are made even after the time. */
  mayBegin(
    { source: { key, vehicle }, step }: Pick<PictureTask, 'source' | 'step'>,
    urgent?: ReadonlySet<string>,
  ): boolean {
    if (step.because === 'outputs-missing' || urgent?.has(key)) return true;
    // Checking whether a picture has changed is not progress, and can wait.
    if (step.because === 'due') return !this.isOver;
    const item = `${dealerOf(key)}/${vehicle}`;
    if (this.#startedVehicles.has(item)) return true;
    if (this.isOver && this.#startedVehicles.size > 0) return false;
    this.#startedVehicles.add(item);
    return true;
  }
}

export interface PictureTaskPlan {
  tasks: readonly PictureTask[];
  media: MediaConfig;
  /** Base URL of the service, the only host that may be on this machine. */
  baseUrl: string;
  /** Names of the existing outputs in `folder`. New ones are added. */
  existing: OutputNames;
  /** Entries of known bytes by their hash. New ones are added. */
  contents: Map<string, ContentEntry>;
  /** Folder of the outputs on this machine. */
  folder: string;
  /** The shared store, which receives new outputs. */
  store?: ThumbnailStore;
  /** For a run that may end before all pictures are made: its time, and keys of pictures that are made anyway. */
  limit?: { time: TimeLimit; urgent: ReadonlySet<string> };
  signal?: AbortSignal;
}

/**
 * Processes the pictures of a plan. Reports the outcome of each source once, in any order, when its
 * outputs are in the folder. Resolves when all are reported. Tasks that the limit skips are not reported.
 *
 * @throws AppError for a fault of the machine or the queue rather than of a picture.
 */
export type ProcessPictures = (
  plan: PictureTaskPlan,
  notify: (task: PictureTask, outcome: Outcome) => void,
) => Promise<void>;

/** The queue and the store, if machines share them. */
export interface MediaEngines {
  /** Submits the tasks to workers. Without it, this process does the work. */
  submit?: ProcessPictures;
  /** The store that machines share, or that outlives this machine's disk. */
  store?: ThumbnailStore;
}
