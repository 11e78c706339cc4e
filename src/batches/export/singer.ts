import {
  type Cell,
  type CellKind,
  type Column,
  type Format,
  jsonText,
  type Layout,
  timeCell,
} from './format.ts';
import { rowObject } from './ndjson.ts';

const STREAM = 'batches';

interface Schema {
  type: string;
  format?: string;
}

/**
 * Types of the schema. Values of unknown type are text: targets create a column from the schema, and
 * most refuse a column of any type.
 */
const TYPES: Readonly<Record<CellKind, Schema>> = {
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

function singerCell(value: Cell, { kind }: Column, layout: Layout): unknown {
  if (value === null || value === undefined) return null;
  if (kind === 'time') return timeCell(String(value), layout);
  return kind === 'json' ? jsonText(value) : value;
}

/**
 * Messages of the Singer specification (SCHEMA, RECORD, STATE), one a line. The STATE names the
 * last change in the export; this program stores its own mark and does not read it back.
 */
export const format: Format = {
  binary: false,
  *encode({ layout, rows, at, toSeq }) {
    const { columns } = layout;
    const message = (content: object) => `${JSON.stringify(content)}\n`;
    const properties = columns.map((column) => [column.name, schemaOf(column, layout)]);
    yield message({
      type: 'SCHEMA',
      stream: STREAM,
      schema: { type: 'object', properties: Object.fromEntries(properties) },
      key_properties: columns.filter(({ key }) => key).map(({ name }) => name),
    });
    for (const row of rows) {
      const record = rowObject(row, layout, singerCell);
      yield message({ type: 'RECORD', stream: STREAM, record, time_extracted: at });
    }
    yield message({ type: 'STATE', value: { bookmarks: { [STREAM]: { change_seq: toSeq } } } });
  },
};
