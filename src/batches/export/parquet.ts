import type { BasicType, ColumnSource, SchemaElement } from 'hyparquet-writer';
import { withPackages } from '../../lib/optional-package.ts';
import { type Cell, type CellKind, type Column, jsonText } from './columns.ts';
import type { Format } from './format.ts';

/** Rows encoded at a time: this bounds the memory, whatever the length of the export. */
const ROW_GROUP = 10_000;

const TYPES: Readonly<Record<CellKind, BasicType>> = {
  integer: 'INT64',
  number: 'DOUBLE',
  text: 'STRING',
  phone: 'STRING',
  json: 'STRING',
  time: 'TIMESTAMP',
};

function parquetCell(value: Cell, { kind }: Column): unknown {
  if (value === null || value === undefined) return null;
  if (kind === 'integer') return BigInt(value as number);
  if (kind === 'time') return new Date(String(value));
  return kind === 'json' ? jsonText(value) : value;
}

/**
 * Marks a time as a moment in UTC. Without the logical type, readers such as DuckDB take it for a
 * time without a zone and show it as local time.
 */
const inUtc = (element: SchemaElement): SchemaElement =>
  element.converted_type === 'TIMESTAMP_MILLIS'
    ? {
        ...element,
        logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
      }
    : element;

/** Apache Parquet, Snappy, one row group for each 10,000 rows; times are moments in UTC. */
export const parquet: Format = {
  binary: true,
  async write({ layout, rows, sink }) {
    const { ByteWriter, ParquetWriter, schemaFromColumnData } = await withPackages(
      ['hyparquet-writer'],
      'An export to Parquet',
      () => import('hyparquet-writer'),
    );
    const { columns } = layout;
    const sources = (group: readonly (readonly Cell[])[]): ColumnSource[] =>
      columns.map((column, index) => ({
        name: column.name,
        type: TYPES[column.kind],
        nullable: !column.key,
        data: group.map((row) => parquetCell(row[index], column)),
      }));
    const bytes = new ByteWriter();
    const drain = async () => {
      // A copy, because the writer uses its buffer again.
      if (bytes.index > 0) await sink.write(bytes.getBytes().slice());
      bytes.index = 0;
    };
    const file = new ParquetWriter({
      writer: bytes,
      schema: schemaFromColumnData({ columnData: sources([]) }).map(inUtc),
      createdBy: 'vehicle-media-site',
    });
    let count = 0;
    let group: (readonly Cell[])[] = [];
    const flush = async () => {
      if (group.length === 0) return;
      await file.write({ columnData: sources(group), rowGroupSize: ROW_GROUP });
      group = [];
      await drain();
    };
    for (const row of rows) {
      group.push(row);
      count++;
      if (group.length === ROW_GROUP) await flush();
    }
    await flush();
    await file.finish();
    await drain();
    return count;
  },
};
