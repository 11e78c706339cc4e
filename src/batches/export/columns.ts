/** What the cells of a column hold; `json` cells may hold any JSON value. */
export type CellKind = 'text' | 'phone' | 'integer' | 'number' | 'time' | 'json';

/** One value of a row. Times are ISO 8601 in UTC, whole seconds or milliseconds. Null is unknown. */
export type Cell = unknown;

export interface Column {
  readonly name: string;
  readonly kind: CellKind;
  /** Part of what identifies a row. */
  readonly key: boolean;
}

/** How a profile writes a moment in text formats. */
export type TimeForm = 'iso' | 'iso-milliseconds' | 'epoch-milliseconds';

/** What a format needs to know beyond the rows. */
export interface Layout {
  readonly columns: readonly Column[];
  readonly time: TimeForm;
  /** Leave unknown values out rather than writing null, where the format can. */
  readonly omitUnknown: boolean;
  /** Begin CSV with a byte order mark. */
  readonly bom: boolean;
  /** Texts that the target reads as a command, such as Salesforce's `#N/A`. */
  readonly reserved: RegExp | undefined;
}

/** A moment as the profile writes it. */
export function timeCell(iso: string, form: TimeForm): string | number {
  if (form === 'iso') return iso;
  const moment = new Date(iso);
  return form === 'epoch-milliseconds' ? moment.getTime() : moment.toISOString();
}

/** A JSON value as text: strings as they are, other values as JSON. */
export function jsonText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
