import type { Cell, Layout } from './columns.ts';
import type { Sink } from './sink.ts';

export interface FormatWriteOptions {
  layout: Layout;
  rows: Iterable<readonly Cell[]>;
  sink: Sink;
  /** When the export began, ISO 8601. */
  at: string;
  /** The state that a later export goes on from: the last change in this one. */
  toSeq: number;
  /** Takes a remark for standard error. */
  remark: (text: string) => void;
}

/** One format of export. Rows are taken one by one, so that memory does not grow with them. */
export interface Format {
  readonly binary: boolean;
  /** Most rows that it can hold. */
  readonly maxRows?: number;
  /** @returns the number of rows written. */
  write(options: FormatWriteOptions): Promise<number>;
}

export const FORMAT_NAMES = ['csv', 'ndjson', 'parquet', 'xlsx', 'singer'] as const;
export type FormatName = (typeof FORMAT_NAMES)[number];
