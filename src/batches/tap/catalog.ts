import { z } from 'zod';
import type { Column } from '../export/format.ts';
import type { Kind } from '../model/fields.ts';

/** The only stream: one record for each batch, with its current values. */
export const STREAM = 'batches';

/** Orders the changes of a batch. */
export const REPLICATION_KEY = 'ChangeSeq';

/**
 * Types in Singer's schema. Values of unknown type are text, because targets create columns from the schema, and most
 * targets refuse columns without a type.
 */
const TYPES: Readonly<Record<Kind, { type: string; format?: string }>> = {
  integer: { type: 'integer' },
  number: { type: 'number' },
  text: { type: 'string' },
  phone: { type: 'string' },
  json: { type: 'string' },
  time: { type: 'string', format: 'date-time' },
};

function propertyOf({ kind, key }: Column) {
  const schema = TYPES[kind];
  return { ...schema, type: key ? [schema.type] : ['null', schema.type] };
}

const isAutomatic = ({ name, key }: Column): boolean => key || name === REPLICATION_KEY;

const keysOf = (columns: readonly Column[]): string[] =>
  columns.filter(({ key }) => key).map(({ name }) => name);

/** A SCHEMA message without `type`. The catalog has the same properties. */
export const schemaOf = (columns: readonly Column[]) => ({
  stream: STREAM,
  schema: {
    type: 'object',
    properties: Object.fromEntries(columns.map((column) => [column.name, propertyOf(column)])),
  },
  key_properties: keysOf(columns),
});

/** The catalog of the discovery mode. */
export const catalogOf = (columns: readonly Column[]) => ({
  streams: [
    {
      tap_stream_id: STREAM,
      ...schemaOf(columns),
      replication_method: 'INCREMENTAL',
      replication_key: REPLICATION_KEY,
      metadata: [
        {
          breadcrumb: [],
          metadata: {
            inclusion: 'available',
            'selected-by-default': true,
            'table-key-properties': keysOf(columns),
            'forced-replication-method': 'INCREMENTAL',
            'valid-replication-keys': [REPLICATION_KEY],
          },
        },
        ...columns.map((column) => ({
          breadcrumb: ['properties', column.name],
          metadata: {
            inclusion: isAutomatic(column) ? 'automatic' : 'available',
            'selected-by-default': true,
          },
        })),
      ],
    },
  ],
});

/** The parts of a catalog that the tap reads. */
export const catalogSchema = z.object({
  streams: z.array(
    z.object({
      tap_stream_id: z.string(),
      metadata: z
        .array(
          z.object({
            breadcrumb: z.array(z.string()),
            metadata: z.object({
              selected: z.boolean().optional(),
              'selected-by-default': z.boolean().optional(),
            }),
          }),
        )
        .default([]),
    }),
  ),
});

export type Catalog = z.infer<typeof catalogSchema>;

/**
 * The columns that a catalog selects. Automatic columns are always selected, columns that are missing in the catalog
 * are not.
 *
 * @returns undefined if the stream is not selected.
 */
export function selectedColumns(
  columns: readonly Column[],
  catalog: Catalog | undefined,
): readonly Column[] | undefined {
  if (!catalog) return columns;
  const stream = catalog.streams.find(({ tap_stream_id: id }) => id === STREAM);
  const isSelected = (...path: string[]): boolean => {
    const entry = stream?.metadata.find(({ breadcrumb }) => breadcrumb.join() === path.join());
    return entry?.metadata.selected ?? entry?.metadata['selected-by-default'] ?? false;
  };
  if (!isSelected()) return undefined;
  return columns.filter((column) => isAutomatic(column) || isSelected('properties', column.name));
}
