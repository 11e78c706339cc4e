import type { Inspected } from '../verify/inspect.ts';

/** A file below the folder, with its content. */
export type NewFile = readonly [file: string, content: string | Uint8Array];

/** What the helper is to do. */
export type Order = { write: NewFile[] } | { inspect: string[] };

/** What it answers; orders are answered in their order. */
export type Answer =
  | { written: true }
  | { inspected: Inspected[] }
  /** An error loses what is not its own on the way between threads. */
  | { failed: { message: string; code?: string | undefined; path?: string | undefined } };
