import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Secret } from '../config/secret.ts';

/**
 * Fewest letters and digits of a key that marks are made with. A mark is public, so keys can be
 * tried against it: a key of 32 hexadecimal digits, the interface's form, has 128 bits, one of 24
 * digits 96; the strength of words or names is not known.
 */
const SHORTEST_KEY = 24;
/** Fewest different characters among them: the same digit 32 times is no key. */
const FEWEST_KINDS = 8;

/** What a mark signs. */
export interface Marked {
  /** Address of the site, without a slash at the end. */
  site: string;
  dealer: number;
  /** Hash of the record, see `writeRecord`. */
  record: string;
  /** Hash of the list of its files. */
  files: string;
  /** When its answer was confirmed, UTC. */
  confirmed: string;
}

/** Whether a key is long enough for marks, so that it cannot be found by trying. */
export function isMarkable(key: Secret): boolean {
  const characters = key.reveal().replace(/[^A-Za-z0-9]/g, '');
  return characters.length >= SHORTEST_KEY && new Set(characters).size >= FEWEST_KINDS;
}

/**
 * Proves that the writer of a record knew the key of its dealer: HMAC-SHA-256 (RFC 2104) of the record's
 * hash, site, dealer and time, so that a mark does not fit another site, dealer or time.
 *
 * @returns undefined where the key is too short.
 */
export function markOf(key: Secret, { site, dealer, record, files, confirmed }: Marked) {
  if (!isMarkable(key)) return undefined;
  return createHmac('sha256', key.reveal())
    .update(JSON.stringify(['vehicle-media-site record', site, dealer, record, files, confirmed]))
    .digest('base64url');
}

/** What the mark of a list signs. */
export interface MarkedList extends Pick<Marked, 'site' | 'dealer' | 'files'> {
  /** Which keys the listed files were searched for, see `SecretSearch.mark`. It is never published. */
  searched: string;
}

/**
 * Proves that the files of a list were searched for exactly these keys before they were published, so
 * that a build may leave them published without having them on its disk.
 *
 * @returns undefined where the key is too short.
 */
export function listMarkOf(key: Secret, { site, dealer, files, searched }: MarkedList) {
  if (!isMarkable(key)) return undefined;
  return createHmac('sha256', key.reveal())
    .update(JSON.stringify(['vehicle-media-site list', site, dealer, files, searched]))
    .digest('base64url');
}

/** Whether a mark was made with the dealer's key. */
export const isMarked = (key: Secret, about: Marked, mark: string | undefined): boolean =>
  isSame(mark, markOf(key, about));

/** The same for the mark of a list. */
export const isListMarked = (key: Secret, about: MarkedList, mark: string | undefined): boolean =>
  isSame(mark, listMarkOf(key, about));

function isSame(mark: string | undefined, expected: string | undefined): boolean {
  if (expected === undefined || mark?.length !== expected.length) return false;
  return timingSafeEqual(Buffer.from(mark), Buffer.from(expected));
}
