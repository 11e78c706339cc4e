import type { InspectContext, Inspected } from '../verify/inspect.ts';

/** Files below the folder, and where in some bytes the content of each is. */
export interface Lot {
  bytes: Uint8Array<ArrayBuffer>;
  files: [file: string, start: number, end: number][];
}

/** What the helper is to do. */
export type Order =
  | { write: Lot }
  | { inspect: string[]; personalWords: InspectContext['personalWords'] };

/** What it answers; orders are answered in their order. */
export type Answer =
  /** The memory of the lot, to be used again. */
  | { written: ArrayBuffer }
  | { inspected: Inspected[] }
  /** An error loses what is not its own on the way between threads. */
  | { failed: { message: string; code?: string | undefined; path?: string | undefined } };
