import type { Kind } from '../model/fields.ts';

/** One value of a row. Times are ISO 8601 in UTC, in seconds or milliseconds. Null means unknown. */
export type Cell = unknown;

export interface Column {
  readonly name: string;
  readonly kind: Kind;
  /** Whether the column is part of the key of a row. */
  readonly key: boolean;
}

/** Rules of the program that imports an export. */
export interface Target {
  /** Form of times in text formats. */
  readonly time: 'iso' | 'iso-milliseconds' | 'epoch-milliseconds';
  /** Omit unknown values instead of writing null, if the format allows it. */
  readonly omitUnknown?: boolean;
  /** Start CSV with a byte order mark. */
  readonly bom?: boolean;
  /** Texts that the target interprets as a command, such as Salesforce's `#N/A`. */
  readonly reserved?: RegExp;
  /** Values that clear a field in an export of erasures, if not an empty cell or null. */
  readonly clears?: { readonly csv?: string; readonly json?: string };
}

/** Everything that a format needs except the rows. */
export interface Layout extends Target {
  readonly columns: readonly Column[];
}

/** Chunks of an export. They are created one by one, so that memory does not grow with the rows. */
export type Chunks = Iterable<string> | AsyncIterable<Uint8Array>;

export interface EncodeOptions {
  layout: Layout;
  rows: Iterable<readonly Cell[]>;
  /** Takes a remark for standard error. */
  remark: (text: string) => void;
}

/** Writes rows in one format. */
export type Encode = (options: EncodeOptions) => Chunks;

/** A time in the form that the target expects. */
export function timeCell(iso: string, { time }: Target): string | number {
  if (time === 'iso') return iso;
  const moment = new Date(iso);
  return time === 'epoch-milliseconds' ? moment.getTime() : moment.toISOString();
}

/** The rows in groups of this size, of which only one is in memory. */
export function* groupsOf<T>(rows: Iterable<T>, size: number): Generator<T[]> {
  let group: T[] = [];
  for (const row of rows) {
    if (group.push(row) < size) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

/** A JSON value as text: strings unchanged, other values as JSON. */
export const jsonText = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);
