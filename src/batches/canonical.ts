import { createHash } from 'node:crypto';
import type { BatchRecord } from '../contract/batch.ts';
import { toUtc } from '../contract/media.ts';
import { FIELDS } from './fields.ts';

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  // Without a prototype, so that a key such as "__proto__" is data like any other.
  const result: Record<string, unknown> = Object.create(null);
  for (const key of Object.keys(value).sort()) {
    result[key] = sorted((value as Record<string, unknown>)[key]);
  }
  return result;
}

/** JSON with the keys of every object in code-unit order and no white space (as RFC 8785 does). */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(sorted(value));
}

const TIMESTAMPS = FIELDS.filter(({ kind }) => kind === 'timestamp').map(({ name }) => name);

/**
 * The text that two equal records share: canonical JSON, with the documented timestamps in one
 * form, so that `…:00Z` and `…:00.000Z` are no change. Field names are the interface's own (the
 * configured real names are already replaced), so a configured rename is no change either.
 */
export function canonicalRecord(record: BatchRecord): string {
  const times = TIMESTAMPS.flatMap((name) => {
    const value = record[name];
    return typeof value === 'string' ? [[name, toUtc(value)]] : [];
  });
  return canonicalJson({ ...record, ...Object.fromEntries(times) });
}

/** SHA-256 of a text, hexadecimal. */
export function sha256(text: string | Uint8Array): string {
  return createHash('sha256').update(text).digest('hex');
}
