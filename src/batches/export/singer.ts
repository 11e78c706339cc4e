import {
  type Cell,
  type CellKind,
  type Column,
  jsonText,
  type Layout,
  timeCell,
} from './columns.ts';
import type { Format } from './format.ts';
import { rowObject } from './ndjson.ts';

const STREAM = 'batches';

type Schema = Record<string, unknown>;

/**
 * Types of the schema. Values of unknown type are text: targets make a column from the schema and
 * most refuse one that may be anything.
 */
const TYPES: Readonly<Record<CellKind, Schema>> = {
  integer: { type: ['null', 'integer'] },
  number: { type: ['null', 'number'] },
  text: { type: ['null', 'string'] },
  phone: { type: ['null', 'string'] },
  json: { type: ['null', 'string'] },
  time: { type: ['null', 'string'], format: 'date-time' },
};

function schemaOf({ kind, key }: Column, layout: Layout): Schema {
  const type =
    kind === 'time' && layout.time === 'epoch-milliseconds' ? TYPES.integer : TYPES[kind];
  return key ? { ...type, type: (type.type as string[]).filter((name) => name !== 'null') } : type;
}

function singerCell(value: Cell, { kind }: Column, { time }: Layout): unknown {
  if (value === null || value === undefined) return null;
  if (kind === 'time') return timeCell(String(value), time);
  return kind === 'json' ? jsonText(value) : value;
}

/**
 * Messages of the Singer specification (SCHEMA, RECORD, STATE), one a line. The STATE names the
 * last change in the export; this program stores its own mark and does not read it back.
 */
export const singer: Format = {
  binary: false,
  async write({ layout, rows, sink, at, toSeq }) {
    const message = (content: Schema) => sink.write(`${JSON.stringify(content)}\n`);
    await message({
      type: 'SCHEMA',
      stream: STREAM,
      schema: {
        type: 'object',
        properties: Object.fromEntries(
          layout.columns.map((column) => [column.name, schemaOf(column, layout)]),
        ),
      },
      key_properties: layout.columns.filter(({ key }) => key).map(({ name }) => name),
    });
    let count = 0;
    for (const row of rows) {
      const record = rowObject(row, layout, singerCell);
      const full = message({ type: 'RECORD', stream: STREAM, record, time_extracted: at });
      if (full) await full;
      count++;
    }
    await message({ type: 'STATE', value: { bookmarks: { [STREAM]: { change_seq: toSeq } } } });
    return count;
  },
};
