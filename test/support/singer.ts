import { expect } from 'vitest';
import { z } from 'zod';

const TEXT = z.string().min(1);
const NAMES = z.array(TEXT);
const OBJECT = z.record(z.string(), z.unknown());

/**
 * The messages of the Singer specification 0.3.0 (singer-io/getting-started, docs/SPEC.md and
 * docs/DISCOVERY_MODE.md).
 */
const MESSAGES = {
  SCHEMA: z.strictObject({
    type: z.literal('SCHEMA'),
    stream: TEXT,
    schema: z.looseObject({ type: z.json(), properties: OBJECT }),
    key_properties: NAMES,
    bookmark_properties: NAMES.optional(),
  }),
  RECORD: z.strictObject({
    type: z.literal('RECORD'),
    stream: TEXT,
    record: OBJECT,
    time_extracted: z.iso.datetime().optional(),
  }),
  STATE: z.strictObject({ type: z.literal('STATE'), value: OBJECT }),
};

const METHODS = z.enum(['FULL_TABLE', 'INCREMENTAL', 'LOG_BASED']);

const METADATA = z.strictObject({
  inclusion: z.enum(['available', 'automatic', 'unsupported']),
  selected: z.boolean().optional(),
  'selected-by-default': z.boolean().optional(),
  'valid-replication-keys': NAMES.optional(),
  'forced-replication-method': METHODS.optional(),
  'table-key-properties': NAMES.optional(),
});

const CATALOG = z.looseObject({
  streams: z.array(
    z.strictObject({
      stream: TEXT,
      tap_stream_id: TEXT,
      schema: OBJECT,
      key_properties: NAMES.optional(),
      replication_key: TEXT.optional(),
      replication_method: METHODS.optional(),
      metadata: z.array(z.strictObject({ breadcrumb: z.array(z.string()), metadata: METADATA })),
    }),
  ),
});

function expectFit(schema: z.ZodType, value: unknown): void {
  expect(schema.safeParse(value).error).toBeUndefined();
}

export const expectCatalog = (catalog: unknown): void => expectFit(CATALOG, catalog);

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
      expect(Object.keys(MESSAGES)).toContain(message.type);
      expectFit(MESSAGES[message.type as keyof typeof MESSAGES], message);
      if (message.type === 'SCHEMA') {
        const { stream, key_properties: keys, schema } = message;
        this.#schema = {
          stream,
          keys,
          row: z.fromJSONSchema({ ...schema, additionalProperties: false }),
        };
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
