import { createHmac } from 'node:crypto';
import { domainToUnicode } from 'node:url';
import type { Secret } from '../../config/secret.ts';
import type { BatchRecord } from '../../contract/batch.ts';
import { timestampSchema } from '../../contract/media.ts';
import { streamSafe } from '../../lib/latin.ts';
import { FIELDS, isContractField } from './fields.ts';

/** An address or number of a person, or the name of a sender, normalised so that all its spellings are equal. */
export type Identifier = `${'email' | 'phone' | 'sender'}:${string}`;

/** A text in NFKC, without invisible characters. Copied addresses and numbers often contain some. */
const visible = (text: string): string =>
  streamSafe(text.replace(/\p{Cf}/gu, '')).normalize('NFKC');

/** Identifies a sender by the whole name. Letter case and white space do not matter. */
export const senderOf = (name: string): Identifier =>
  `sender:${visible(name).trim().replace(/\s+/g, ' ').toLowerCase()}`;

/** Normalises an e-mail address for comparison: NFKC, trimmed, lower case, `müller.de` instead of `xn--mller-kva.de`. */
export function normaliseEmail(text: string): string {
  const email = visible(text).trim().toLowerCase();
  return email.replace(/(?<=@)(?=[^@]*xn--)[^@]*$/, (domain) => domainToUnicode(domain) || domain);
}

/**
 * Normalises a telephone number to digits, with `+` if it is international: `+44 (0)7700 900123`,
 * `0044 7700 900123` and, with calling code 44, `07700 900123` all become `+447700900123`.
 */
export function normalisePhone(text: string, callingCode?: string): string {
  const compact = visible(text).replace(/\(0\)|[^\d+]/g, '');
  const digits = compact.replaceAll('+', '');
  if (compact.startsWith('+')) return `+${digits}`;
  if (digits.startsWith('00')) return `+${digits.slice(2)}`;
  if (callingCode && digits.startsWith('0')) return `+${callingCode}${digits.slice(1)}`;
  return digits;
}

/** National and international spellings of a number share their last nine digits. */
const SHARED_DIGITS = 9;
const FEWEST_DIGITS = 7;

/** The calling code of a country (ITU-T E.164): one or two of these digits, otherwise three digits. */
const CALLING_CODE = /^\+(?:[17]|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3})/;

/**
 * The parts of a telephone number that its spellings share: its last digits, and the last digits of its national
 * number, because `+45 20 12 34 56` is `20 12 34 56` in Denmark. Only for short numbers, they differ. None if it is
 * too short.
 */
export function phoneTails(text: string): string[] {
  const number = normalisePhone(text);
  const national = number.replace(CALLING_CODE, '').replace(/^0+/, '');
  const tails = [number.replace('+', ''), national]
    .filter(({ length }) => length >= FEWEST_DIGITS)
    .map((digits) => digits.slice(-SHARED_DIGITS));
  return [...new Set(tails)];
}

/**
 * The recipient of a record, equal in all spellings: the e-mail address, otherwise the telephone number. Empty if it has
 * neither. Texts such as `n/a` are neither: they would make one contact of many persons.
 */
export function contactOf({ RecipientEmail, RecipientMobile }: BatchRecord): string {
  if (RecipientEmail.includes('@')) return normaliseEmail(RecipientEmail);
  return phoneTails(RecipientMobile).length > 0 ? normalisePhone(RecipientMobile) : '';
}

/** Texts that all spellings of a contact share: with a calling code, a national and an international number are one contact. */
export const sharedBy = (contact: string): string[] =>
  contact.includes('@') ? [contact] : phoneTails(contact);

/** A local part may contain apostrophes and slashes, but in a text they may also precede an address. */
const EMAIL_IN_TEXT = /[\p{L}\p{M}\p{N}!#$%&'’*+/=?^_`{|}~.-]{1,64}@[\p{L}\p{M}\p{N}._-]+/gu;
const BEFORE_EMAIL = /[^\p{L}\p{M}\p{N}._+-]/gu;
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

/** A text without escapes: `%40` of a URL, `\u0040` of JSON, `&#64;` or `&#x40;` of HTML. */
const decoded = (text: string): string =>
  text
    .replace(/&#(\d{1,5});/g, (_, code: string) => String.fromCharCode(Number(code)))
    .replace(/(?:\\u|&#x)([\da-f]{2,4});?/gi, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    )
    .replace(/(?:%[\da-f]{2})+/gi, (encoded) => {
      try {
        return decodeURIComponent(encoded);
      } catch {
        return encoded;
      }
    });

/** Every possible e-mail address in a text: `d'ann@example.com` can be that address or `ann@example.com`. */
function* emailsIn(text: string): Generator<string> {
  const whole = normaliseEmail(text);
  if (/^[^\s@]+@[^\s@]+$/.test(whole)) yield whole;
  for (const [match] of text.matchAll(EMAIL_IN_TEXT)) {
    const email = normaliseEmail(match).replace(/(?<![._-])[._-]+$/, '');
    const local = email.slice(0, email.indexOf('@'));
    yield email;
    for (const { index } of local.matchAll(BEFORE_EMAIL)) yield email.slice(index + 1);
  }
}

/** Maximum number of characters of a telephone number with its spaces and hyphens. */
const LONGEST_PHONE = 40;

/** Every possible telephone number in a text: `07700 900123 2019` can be a number and a year. */
function* phonesIn(text: string): Generator<string> {
  for (const [match] of text.matchAll(PHONE_IN_TEXT)) {
    for (const { index, 0: digits } of match.matchAll(/\d+/g)) {
      const end = index + digits.length;
      yield match.slice(Math.max(0, end - LONGEST_PHONE), end);
    }
  }
}

/** Every e-mail address and telephone number in a record, and its sender. */
export function identifiersIn(record: unknown): Set<Identifier> {
  const identifiers = new Set<Identifier>();
  const fields = Object.entries(record instanceof Object ? record : { '': record });
  for (const [name, value] of fields) {
    if (name === 'BatchId' || NO_TEXT.has(name)) continue;
    const isSender = name === 'SendingUserName' && typeof value === 'string' && value !== '';
    if (isSender) identifiers.add(senderOf(value));
    for (const written of stringsIn(isContractField(name) ? value : { [name]: value })) {
      const plain = visible(written);
      for (const text of new Set([plain, decoded(plain)])) {
        for (const email of emailsIn(text)) {
          identifiers.add(`email:${email}`);
          // `ann+cars@example.com` is also the person `ann@example.com`.
          identifiers.add(`email:${email.replace(/\+[^@]*/, '')}`);
        }
        // In this field, other characters than in a text may separate digits, as in `07700,900123`.
        for (const phone of [...phonesIn(text), ...(name === 'RecipientMobile' ? [text] : [])])
          for (const tail of phoneTails(phone)) identifiers.add(`phone:${tail}`);
      }
    }
  }
  return identifiers;
}

/** HMAC-SHA256, hexadecimal. The prefix with the purpose keeps hashes of different uses different. */
export const keyedHash = (key: Secret, purpose: string, value: string): string =>
  createHmac('sha256', key.reveal()).update(`${purpose}:${value}`).digest('hex');

/** Identifies the key of a hash without revealing it. */
export const keyCheck = (key: Secret): string => keyedHash(key, 'key-check', '').slice(0, 16);

/** Start and end of the times from 2001 to 2100 that have ten digits in seconds. */
const EPOCH_SECONDS = [1_000_000_000, Date.UTC(2101, 0) / 1000] as const;

/** Whether a number has as many digits as a telephone number, and is not a time in seconds or milliseconds. */
function canBePhone(value: number): boolean {
  const [start, end] = EPOCH_SECONDS;
  const isTime = [value, value / 1000].some((seconds) => seconds >= start && seconds < end);
  return Number.isInteger(value) && Math.abs(value) >= 10 ** (SHARED_DIGITS - 1) && !isTime;
}

/** Whether a value is so short and plain that it cannot identify a person. Counts, amounts and times cannot. */
export function isImpersonal(value: unknown): boolean {
  if (typeof value === 'number') return !canBePhone(value);
  if (typeof value !== 'string') return typeof value === 'boolean';
  // Most values are such words. The other checks take 40 times as long, and find nothing in them.
  if (/^[a-z_ ]{0,64}$/i.test(value) || timestampSchema.safeParse(value).success) return true;
  return value.length <= 64 && identifiersIn({ value }).size === 0;
}

/** Whether fields of a record contain an erased address or number, or the name of an erased sender. */
export type ErasedTest = (fields: Partial<BatchRecord>) => boolean;

/** Roles of people in a batch. The recipient is everyone whom a record names in another field than its sender. */
export type Role = 'recipient' | 'sender';
export type Roles = ReadonlySet<Role>;

export const withoutSender = <T extends object | null>(record: T): T => ({
  ...record,
  SendingUserName: '',
});

/** The roles in which a record names an erased person. */
export function erasedRoles(record: Partial<BatchRecord> | null, isErased: ErasedTest): Roles {
  const SendingUserName = record?.SendingUserName;
  const roles = new Set<Role>();
  if (SendingUserName !== undefined && isErased({ SendingUserName })) roles.add('sender');
  const rest = roles.has('sender') ? withoutSender(record) : record;
  if (isErased(rest ?? {})) roles.add('recipient');
  return roles;
}

/**
 * A record without the persons in these roles. Without a recipient, contact fields have the interface's value for
 * "none", and free text, fields outside the interface and structured values are removed. Counts, times and the other
 * person remain, so totals stay correct.
 *
 * @param isErased detects numbers that look like times, but are the erased number.
 */
export function redacted(record: BatchRecord, roles: Roles, isErased: ErasedTest): BatchRecord {
  const { BatchId } = record;
  const SendingUserName = roles.has('sender') ? '' : record.SendingUserName;
  if (!roles.has('recipient')) return { ...record, SendingUserName };
  const result: Record<string, unknown> = { BatchId };
  const mobiles = phoneTails(record.RecipientMobile);
  const isPersonal = (name: string, value: unknown): boolean =>
    !isImpersonal(value) ||
    phoneTails(String(value)).some((tail) => mobiles.includes(tail)) ||
    isErased({ [name]: value });
  for (const { name, kind, personal } of FIELDS) {
    const value = record[name];
    if (personal === 'contact' || personal === 'free') {
      result[name] = kind === 'json' ? null : kind === 'integer' ? 0 : '';
    } else if (kind === 'json' && isPersonal(name, value)) result[name] = null;
    else if (kind === 'text' && isPersonal(name, value)) result[name] = '';
    else result[name] = value;
  }
  return { ...result, SendingUserName } as BatchRecord;
}
