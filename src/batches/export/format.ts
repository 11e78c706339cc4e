import type { Kind } from '../model/fields.ts';

/** One value of a row. Times are ISO 8601 in UTC, whole seconds or milliseconds. Null is unknown. */
export type Cell = unknown;

export interface Column {
  readonly name: string;
  readonly kind: Kind;
  /** Part of the key that identifies a row. */
  readonly key: boolean;
}

/** The rules of the program that an export is made for. */
export interface Target {
  /** How moments are written in text formats. */
  readonly time: 'iso' | 'iso-milliseconds' | 'epoch-milliseconds';
  /** Leave unknown values out rather than writing null, if the format can. */
  readonly omitUnknown: boolean;
  /** Begin CSV with a byte order mark. */
  readonly bom: boolean;
  /** Texts that the target reads as a command, such as Salesforce's `#N/A`. */
  readonly reserved?: RegExp;
  /** How an export of erasures writes "clear this field", if not by an empty cell or null. */
  readonly clears?: Partial<Empty>;
}

/** How an unknown value is written. */
export interface Empty {
  readonly csv: string;
  readonly json: string | null;
}

/** Input of a format besides the rows. */
export interface Layout extends Target {
  readonly columns: readonly Column[];
  readonly empty: Empty;
}

/** Pieces of an export. They are made one by one, so that memory does not grow with the rows. */
export type Chunks = Iterable<string> | AsyncIterable<Uint8Array>;

export interface EncodeOptions {
  layout: Layout;
  rows: Iterable<readonly Cell[]>;
  /** Takes a remark for standard error. */
  remark: (text: string) => void;
}

/** One format of export. */
export interface Format {
  readonly binary: boolean;
  /** The largest number of rows that it can hold. */
  readonly maxRows?: number;
  encode(options: EncodeOptions): Chunks;
}

/** A moment as the target reads it. */
export function timeCell(iso: string, { time }: Target): string | number {
  if (time === 'iso') return iso;
  const moment = new Date(iso);
  return time === 'epoch-milliseconds' ? moment.getTime() : moment.toISOString();
}

/** A JSON value as text: strings unchanged, other values as JSON. */
export function jsonText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
