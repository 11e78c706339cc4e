import {
  type Cell,
  type CellKind,
  type Column,
  type Format,
  jsonText,
  type Layout,
  timeCell,
} from './format.ts';
import { neutralise, neutralisePhone } from './formula.ts';

/** RFC 4180, section 2: quotes around text with a separator, a quote or a line end. */
function quoted(text: string): string {
  return /[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function cellText(value: Cell, { kind }: Column, layout: Layout): string {
  if (value === null || value === undefined) return layout.empty.csv;
  if (kind === 'time') return String(timeCell(String(value), layout));
  if (kind === 'phone') return neutralisePhone(String(value));
  if (typeof value === 'number') return String(value);
  return neutralise(jsonText(value), layout.reserved);
}

/** CSV: RFC 4180, UTF-8, CRLF, a header row. No cell becomes a formula; phone numbers stay whole. */
export const csv: Format = {
  binary: false,
  *encode({ layout, rows }) {
    const { columns, bom } = layout;
    yield `${bom ? '\ufeff' : ''}${columns.map(({ name }) => quoted(name)).join(',')}\r\n`;
    for (const row of rows) {
      const cells = columns.map((column, index) => quoted(cellText(row[index], column, layout)));
      yield `${cells.join(',')}\r\n`;
    }
  },
};

/**
 * A row as an object; unknown values are null, or left out if the target says so.
 *
 * @param asText writes values of unknown type as text.
 */
function rowObject(row: readonly Cell[], layout: Layout, { asText = false } = {}) {
  const object: Record<string, unknown> = {};
  for (const [index, { name, kind }] of layout.columns.entries()) {
    const value = row[index] ?? null;
    if (value === null && layout.omitUnknown) continue;
    if (value !== null && kind === 'time') object[name] = timeCell(String(value), layout);
    else if (value !== null && kind === 'json' && asText) object[name] = jsonText(value);
    else object[name] = value ?? layout.empty.json;
  }
  return object;
}

const line = (content: object): string => `${JSON.stringify(content)}\n`;

/** One JSON object a line, UTF-8, lines end in LF (the NDJSON convention). */
export const ndjson: Format = {
  binary: false,
  *encode({ layout, rows }) {
    for (const row of rows) yield line(rowObject(row, layout));
  },
};

const STREAM = 'batches';

/**
 * Types of Singer's schema. Values of unknown type are text: targets create a column from the schema,
 * and most refuse a column of any type.
 */
const TYPES: Readonly<Record<CellKind, { type: string; format?: string }>> = {
  integer: { type: 'integer' },
  number: { type: 'number' },
  text: { type: 'string' },
  phone: { type: 'string' },
  json: { type: 'string' },
  time: { type: 'string', format: 'date-time' },
};

function schemaOf({ kind, key }: Column, { time }: Layout) {
  const schema = TYPES[kind === 'time' && time === 'epoch-milliseconds' ? 'integer' : kind];
  return { ...schema, type: key ? [schema.type] : ['null', schema.type] };
}

/**
 * Messages of the Singer specification (SCHEMA, RECORD, STATE), one a line. The STATE names the
 * last change in the export; this program stores its own mark and does not read it back.
 */
export const singer: Format = {
  binary: false,
  *encode({ layout, rows, at, toSeq }) {
    const { columns } = layout;
    const properties = columns.map((column) => [column.name, schemaOf(column, layout)]);
    yield line({
      type: 'SCHEMA',
      stream: STREAM,
      schema: { type: 'object', properties: Object.fromEntries(properties) },
      key_properties: columns.filter(({ key }) => key).map(({ name }) => name),
    });
    for (const row of rows) {
      const record = rowObject(row, layout, { asText: true });
      yield line({ type: 'RECORD', stream: STREAM, record, time_extracted: at });
    }
    yield line({ type: 'STATE', value: { bookmarks: { [STREAM]: { [layout.position]: toSeq } } } });
  },
};
