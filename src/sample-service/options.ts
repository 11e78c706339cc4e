import { type FieldNames, NEUTRAL_FIELD_NAMES } from '../contract/field-names.ts';
import type { SampleData } from './data/store.ts';

export interface SampleServiceOptions {
  /** Port to listen on; 0 takes any free one. */
  port?: number;
  /** The same seed gives the same data and the same picture bytes. */
  seed?: number;
  /** How many dealers, from id 7001 up. */
  dealers?: number;
  /** Vehicles per dealer. */
  vehicles?: number;
  /** Images per vehicle, about. */
  images?: number;
  /** Folder of JSON in the interface's own format, in place of generated data. */
  dataFolder?: string;
  /** Data as a literal, in place of generated data. */
  data?: SampleData;
  /** Share of its usual width and height of a picture. Below 1 none is large. Small ones cost little. */
  pictureScale?: number;
  /** The names the interface neutralises, as this service writes them. */
  fieldNames?: FieldNames;
  /** Key that GetMediaByDealer takes for every dealer without its own. */
  mediaKey?: string;
  /** Key that MyVideos takes for every account without its own, in the form 8-4-4-4-12. */
  batchKey?: string;
  /** The service's present moment: dates in the data and `daysOfHistory` count back from it. */
  now?: Date;
  /** A running clock for `daysOfHistory`, milliseconds since 1970. Without it, `now` does not advance. */
  clock?: () => number;
}

/** Every default in one place. */
export const SAMPLE_DEFAULTS = {
  port: 0,
  seed: 1,
  dealers: 3,
  vehicles: 12,
  images: 6,
  pictureScale: 1,
  fieldNames: NEUTRAL_FIELD_NAMES,
  mediaKey: '5f1c9a27-3d84-4b6e-a1f0-8c2d7e94b536',
  batchKey: '5a3c91e0-7b42-4d18-9c6f-2e80b17d4a35',
  now: new Date('2026-03-02T09:00:00Z'),
} as const;

/**
 * The present for a demo: the data is of today and stays the same all day, `daysOfHistory` counts from
 * the current moment. Tests leave it out and get the fixed moment of {@link SAMPLE_DEFAULTS}.
 */
export const livePresent = (clock: () => number = Date.now) => ({
  now: new Date(new Date(clock()).toISOString().slice(0, 10)),
  clock,
});

/** Example of real names in place of the neutral ones, for the real-names mode of the script. */
export const REAL_FIELD_NAMES: FieldNames = {
  hostedVideo: 'youTube',
  socialClicks: 'FacebookClicks',
  searchClicks: 'GoogleClicks',
};
