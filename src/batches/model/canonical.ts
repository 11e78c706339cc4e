import { hash } from 'node:crypto';
import type { BatchRecord } from '../../contract/batch.ts';
import { toUtc } from '../../contract/media.ts';
import { FIELDS } from './fields.ts';

/**
 * A text that databases accept. Half of a cut emoji and the character NUL become U+FFFD, because databases refuse a
 * file or row with their escapes, and end a text at NUL.
 */
export const storableText = (text: string): string =>
  text.toWellFormed().replaceAll('\0', '\ufffd');

const jsonString = (text: string): string => JSON.stringify(storableText(text));

/** Keys of an object: in their original order, sorted by code units, and sorted as JSON. */
function ordered(keys: readonly string[]) {
  const sorted = keys.toSorted();
  return { keys, sorted, quoted: sorted.map(jsonString) };
}

/** Keys of the last object: records of a response have equal keys, and sorting takes most of the time. */
let lastOrder = ordered([]);

function orderOf(keys: readonly string[]) {
  const isSame =
    keys.length === lastOrder.keys.length && keys.every((key, at) => key === lastOrder.keys[at]);
  if (!isSame) lastOrder = ordered(keys);
  return lastOrder;
}

/** JSON with the keys of every object in code-unit order and no white space (as RFC 8785 does). */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'string') return jsonString(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const record = value as Record<string, unknown>;
  const { sorted, quoted } = orderOf(Object.keys(record));
  let members = '';
  for (let at = 0; at < sorted.length; at++) {
    members += `${members && ','}${quoted[at]}:${canonicalJson(record[sorted[at] ?? ''])}`;
  }
  return `{${members}}`;
}

const DOCUMENTED_FORM = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

const TIMESTAMPS = FIELDS.filter(({ kind }) => kind === 'time').map(({ name }) => name);

/**
 * Canonical JSON of a record: equal records have equal texts. The documented timestamps have one form, so
 * `…:00Z` and `…:00.000Z` are equal. Field names are the names of the interface, so a rename in
 * `service.fieldNames` does not count as a change.
 */
export function canonicalRecord(record: BatchRecord): string {
  const plain: Record<string, unknown> = { ...record };
  for (const name of TIMESTAMPS) {
    const value = record[name];
    if (typeof value === 'string' && !DOCUMENTED_FORM.test(value)) plain[name] = toUtc(value);
  }
  return canonicalJson(plain);
}

/** SHA-256 of a text, hexadecimal. */
export const sha256 = (text: string | Uint8Array): string => hash('sha256', text);
