import { expect } from 'vitest';
import { z } from 'zod';

const TEXT = { type: 'string', minLength: 1 } as const;
const NAMES = { type: 'array', items: TEXT } as const;
const OBJECT = { type: 'object' } as const;

/**
 * The messages of the Singer specification 0.3.0 (singer-io/getting-started, docs/SPEC.md and
 * docs/DISCOVERY_MODE.md), as JSON Schemas.
 */
const MESSAGES = {
  SCHEMA: {
    type: 'object',
    required: ['type', 'stream', 'schema', 'key_properties'],
    properties: {
      type: { const: 'SCHEMA' },
      stream: TEXT,
      schema: { type: 'object', required: ['type', 'properties'] },
      key_properties: NAMES,
      bookmark_properties: NAMES,
    },
    additionalProperties: false,
  },
  RECORD: {
    type: 'object',
    required: ['type', 'stream', 'record'],
    properties: {
      type: { const: 'RECORD' },
      stream: TEXT,
      record: OBJECT,
      time_extracted: { type: 'string', format: 'date-time' },
    },
    additionalProperties: false,
  },
  STATE: {
    type: 'object',
    required: ['type', 'value'],
    properties: { type: { const: 'STATE' }, value: OBJECT },
    additionalProperties: false,
  },
} as const;

const METADATA = {
  type: 'object',
  required: ['inclusion'],
  properties: {
    inclusion: { enum: ['available', 'automatic', 'unsupported'] },
    selected: { type: 'boolean' },
    'selected-by-default': { type: 'boolean' },
    'valid-replication-keys': NAMES,
    'forced-replication-method': { enum: ['FULL_TABLE', 'INCREMENTAL', 'LOG_BASED'] },
    'table-key-properties': NAMES,
  },
  additionalProperties: false,
} as const;

const CATALOG = {
  type: 'object',
  required: ['streams'],
  properties: {
    streams: {
      type: 'array',
      items: {
        type: 'object',
        required: ['stream', 'tap_stream_id', 'schema', 'metadata'],
        properties: {
          stream: TEXT,
          tap_stream_id: TEXT,
          schema: OBJECT,
          key_properties: NAMES,
          replication_key: TEXT,
          replication_method: { enum: ['FULL_TABLE', 'INCREMENTAL', 'LOG_BASED'] },
          metadata: {
            type: 'array',
            items: {
              type: 'object',
              required: ['breadcrumb', 'metadata'],
              properties: {
                breadcrumb: { type: 'array', items: { type: 'string' } },
                metadata: METADATA,
              },
              additionalProperties: false,
            },
          },
        },
        additionalProperties: false,
      },
    },
  },
} as const;

type JsonSchema = Parameters<typeof z.fromJSONSchema>[0];

const compiled = (schema: unknown) => z.fromJSONSchema(schema as JsonSchema);

const CHECKS = {
  SCHEMA: compiled(MESSAGES.SCHEMA),
  RECORD: compiled(MESSAGES.RECORD),
  STATE: compiled(MESSAGES.STATE),
};

function expectFit(schema: z.ZodType, value: unknown): void {
  expect(schema.safeParse(value).error).toBeUndefined();
}

export const expectCatalog = (catalog: unknown): void => expectFit(compiled(CATALOG), catalog);

type Row = Record<string, unknown>;

/**
 * A Singer target that checks every message against the specification and updates rows by key. A field
 * missing from a record becomes null, like in targets for databases.
 */
export class Target {
  readonly rows = new Map<string, Row>();
  /** The value of the last STATE message. */
  state: { bookmarks: Record<string, Record<string, number>> } | undefined;
  records = 0;
  #schema: { stream: string; keys: string[]; row: z.ZodType } | undefined;

  /** Loads the lines of one run of a tap. */
  load(lines: readonly string[]): void {
    this.#schema = undefined;
    for (const text of lines) {
      const message = JSON.parse(text);
      expect(Object.keys(CHECKS)).toContain(message.type);
      expectFit(CHECKS[message.type as keyof typeof CHECKS], message);
      if (message.type === 'SCHEMA') {
        const { stream, key_properties: keys, schema } = message;
        this.#schema = { stream, keys, row: compiled({ ...schema, additionalProperties: false }) };
      }
      if (message.type === 'STATE') this.state = message.value;
      if (message.type === 'RECORD') this.#write(message);
    }
  }

  #write({ stream, record }: { stream: string; record: Row }): void {
    if (this.#schema?.stream !== stream) throw new Error('A RECORD needs a SCHEMA before it.');
    const { keys, row } = this.#schema;
    expectFit(row, record);
    for (const key of keys) expect(record[key] ?? null).not.toBeNull();
    this.rows.set(JSON.stringify(keys.map((key) => record[key])), record);
    this.records++;
  }
}
