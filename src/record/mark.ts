import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Secret } from '../config/secret.ts';

/**
 * Fewest letters and digits of a key that marks are made with. A mark is public, so keys can be
 * tried out against it: one in the interface's form of 32 hexadecimal digits has 128 bits, and of
 * 24 digits 96; of words or names, nobody knows.
 */
const SHORTEST_KEY = 24;
/** Fewest different ones among them: 32 times the same digit is no key. */
const FEWEST_KINDS = 8;

/** What a mark vouches for. */
export interface Marked {
  /** Address of the site, without a slash at the end. */
  site: string;
  dealer: number;
  /** Names the record, see `writeRecord`. */
  record: string;
  /** Names the list of its files. */
  files: string;
  /** When its answer was confirmed, UTC. */
  confirmed: string;
}

/** Whether marks can be made with a key: not where it could be found by trying. */
export function isMarkable(key: Secret): boolean {
  const characters = key.reveal().replace(/[^A-Za-z0-9]/g, '');
  return characters.length >= SHORTEST_KEY && new Set(characters).size >= FEWEST_KINDS;
}

/**
 * Says that who wrote a record knew the key of its dealer: HMAC-SHA-256 (RFC 2104) of what the
 * record is, where it lies and when it was true, so that one of another site, dealer or night does
 * not fit.
 *
 * @returns undefined where the key is too short.
 */
export function markOf(key: Secret, { site, dealer, record, files, confirmed }: Marked) {
  if (!isMarkable(key)) return undefined;
  return createHmac('sha256', key.reveal())
    .update(JSON.stringify(['vehicle-media-site record', site, dealer, record, files, confirmed]))
    .digest('base64url');
}

/** What the mark of a list vouches for. */
export interface MarkedList extends Pick<Marked, 'site' | 'dealer' | 'files'> {
  /** Which keys the listed files were searched for, see `SecretSearch.mark`; it is never published. */
  searched: string;
}

/**
 * Says that the files of a list were searched for exactly these keys before they were published: a
 * build that has not the files may let them stay, although it cannot look at them.
 *
 * @returns undefined where the key is too short.
 */
export function listMarkOf(key: Secret, { site, dealer, files, searched }: MarkedList) {
  if (!isMarkable(key)) return undefined;
  return createHmac('sha256', key.reveal())
    .update(JSON.stringify(['vehicle-media-site list', site, dealer, files, searched]))
    .digest('base64url');
}

/** Whether a mark is that of a build that knew the key. */
export const isMarked = (key: Secret, about: Marked, mark: string | undefined): boolean =>
  isSame(mark, markOf(key, about));

/** The same of a list, and of the keys that its files were searched for. */
export const isListMarked = (key: Secret, about: MarkedList, mark: string | undefined): boolean =>
  isSame(mark, listMarkOf(key, about));

function isSame(mark: string | undefined, expected: string | undefined): boolean {
  if (expected === undefined || mark?.length !== expected.length) return false;
  return timingSafeEqual(Buffer.from(mark), Buffer.from(expected));
}
