import type { MiddlewareHandler } from 'hono';
import { type FieldNames, NEUTRAL_FIELD_NAMES } from '../contract/field-names.ts';
import type { SampleData } from './data/store.ts';
import type { VehicleShape } from './data/vehicles.ts';

export interface SampleServiceOptions extends Partial<Omit<VehicleShape, 'now'>> {
  /** Port to listen on. 0 chooses a free port. */
  port?: number;
  /** Folder of JSON in the interface's format, in place of generated data. */
  dataFolder?: string;
  /** Data as a literal, in place of generated data. */
  data?: SampleData;
  /** Scale of the pictures' width and height. Below 1, no picture is large. Small pictures are fast to draw. */
  pictureScale?: number;
  /** The service's names of the fields that the interface neutralises. */
  fieldNames?: FieldNames;
  /** The current time of the service: dates in the data and `daysOfHistory` count back from it. */
  now?: Date;
  /** A running clock for `daysOfHistory`, milliseconds since 1970. Without it, `now` does not advance. */
  clock?: () => number;
  /** Gets each request first, such as for faults in tests. */
  middleware?: MiddlewareHandler;
}

/** Keys of dealers and accounts without a separate key. They are not secret. */
export const SAMPLE_KEYS = {
  /** Key for GetMediaByDealer. */
  mediaKey: '5f1c9a27-3d84-4b6e-a1f0-8c2d7e94b536',
  /** Key for MyVideos. */
  batchKey: '5a3c91e0-7b42-4d18-9c6f-2e80b17d4a35',
};

export const SAMPLE_DEFAULTS = {
  port: 0,
  seed: 1,
  dealers: 3,
  vehicles: 12,
  images: 6,
  pictureScale: 1,
  fieldNames: NEUTRAL_FIELD_NAMES,
  now: new Date('2026-03-02T09:00:00Z'),
} as const;

/**
 * The current time for a demo: the data is from today and stays the same all day. `daysOfHistory` counts back
 * from the running clock. Tests do not use it, and get the fixed time of {@link SAMPLE_DEFAULTS}.
 */
export const livePresent = (clock: () => number = Date.now) => ({
  now: new Date(new Date(clock()).toISOString().slice(0, 10)),
  clock,
});

/** Example of real names in place of the neutral ones, for `--real-names`. */
export const REAL_FIELD_NAMES: FieldNames = {
  hostedVideo: 'youTube',
  socialClicks: 'FacebookClicks',
  searchClicks: 'GoogleClicks',
};
