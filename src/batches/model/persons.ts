import { createHmac } from 'node:crypto';
import type { Secret } from '../../config/secret.ts';
import type { BatchRecord } from '../../contract/batch.ts';
import { timestampSchema } from '../../contract/media.ts';
import { FIELDS, isContractField } from './fields.ts';

export type IdentifierKind = 'email' | 'phone';

/** An identifier of a person, in a form that is equal for all its spellings. */
export interface Identifier {
  kind: IdentifierKind;
  value: string;
}

/** An e-mail address for comparison: trimmed, composed, lower case. */
export function normaliseEmail(text: string): string {
  return text.normalize('NFKC').trim().toLowerCase();
}

/**
 * A telephone number as digits, with `+` if it is international: `+44 (0)7700 900123`,
 * `0044 7700 900123` and, with calling code 44, `07700 900123` all become `+447700900123`.
 */
export function normalisePhone(text: string, callingCode?: string): string {
  const compact = text
    .normalize('NFKC')
    .replace(/\(0\)/g, '')
    .replace(/[^\d+]/g, '');
  const digits = compact.replaceAll('+', '');
  if (compact.startsWith('+')) return `+${digits}`;
  if (digits.startsWith('00')) return `+${digits.slice(2)}`;
  if (callingCode && digits.startsWith('0')) return `+${callingCode}${digits.slice(1)}`;
  return digits;
}

/** National and international spellings of a number share their last nine digits. */
const SHARED_DIGITS = 9;
const FEWEST_DIGITS = 7;

/** The part of a telephone number that all its spellings share. Undefined if it is too short. */
export function phoneTail(text: string): string | undefined {
  const digits = normalisePhone(text).replace('+', '');
  return digits.length < FEWEST_DIGITS ? undefined : digits.slice(-SHARED_DIGITS);
}

const EMAIL_IN_TEXT = /[^\s"'<>,;:()[\]{}|\\/=]+@[^\s"'<>,;:()[\]{}|\\/=?&#]+/gu;
const PHONE_IN_TEXT = /\+?\d[\d\s()./\u00a0\u2010-\u2015-]{5,}\d/gu;

function* stringsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'number') yield String(value);
  else if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value)) {
      if (!Array.isArray(value)) yield key;
      yield* stringsIn(inner);
    }
  }
}

/** Numbers and times of the interface can look like telephone numbers, but are not. */
const NO_TEXT = new Set<string>(
  FIELDS.filter(({ kind }) => ['integer', 'number', 'time'].includes(kind)).map(({ name }) => name),
);

/** Every e-mail address and telephone number in a record, each once. */
export function identifiersIn(record: unknown): Identifier[] {
  const found = new Map<string, Identifier>();
  const add = (kind: IdentifierKind, value: string | undefined) => {
    if (value) found.set(`${kind}:${value}`, { kind, value });
  };
  const fields =
    typeof record === 'object' && record !== null
      ? Object.entries(record)
      : [['', record] as const];
  for (const [name, value] of fields) {
    if (name === 'BatchId' || NO_TEXT.has(name)) continue;
    for (const text of stringsIn(isContractField(name) ? value : { [name]: value })) {
      for (const [email] of text.matchAll(EMAIL_IN_TEXT)) {
        add('email', normaliseEmail(email).replace(/[.!?]+$/, ''));
      }
      for (const [phone] of text.matchAll(PHONE_IN_TEXT)) add('phone', phoneTail(phone));
    }
  }
  return [...found.values()];
}

/** HMAC-SHA256 as hexadecimal, with the purpose in front so that two uses never compare equal. */
export function keyedHash(key: Secret, purpose: string, value: string): string {
  return createHmac('sha256', key.reveal()).update(`${purpose}:${value}`).digest('hex');
}

/** Whether a value of a field that is "about the batch alone" is short and plain enough to be. */
export function isImpersonal(value: unknown): boolean {
  if (typeof value !== 'string') return typeof value === 'number' || typeof value === 'boolean';
  if (timestampSchema.safeParse(value).success) return true;
  return value.length <= 64 && identifiersIn({ value }).length === 0;
}

/**
 * A record without the person it was sent to: contact fields as the interface writes "none", free
 * text, fields outside the interface and anything structured removed. Counts, times and the sender
 * stay, so that totals remain true.
 */
export function withoutPerson(record: BatchRecord): BatchRecord {
  const kept: Record<string, unknown> = { BatchId: record.BatchId };
  for (const { name, kind, personal } of FIELDS) {
    const value = record[name];
    if (personal === 'contact' || personal === 'free') {
      kept[name] = kind === 'json' ? null : kind === 'integer' ? 0 : '';
    } else if (kind === 'json' && !isImpersonal(value)) kept[name] = null;
    else kept[name] = value;
  }
  return kept as BatchRecord;
}
