import { createHmac, timingSafeEqual } from 'node:crypto';
import { canSign } from '../config/environment.ts';
import type { Secret } from '../config/secret.ts';

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

/**
 * The keys that may sign a dealer's records: `SITE_SECRET`, then the dealer's key, each only if it is long
 * enough. The first one signs. All of them are accepted, so a site keeps its stored state when it gets a
 * `SITE_SECRET`.
 */
export const signingKeys = (apiKey: Secret, siteSecret: Secret | undefined): Secret[] =>
  [siteSecret, apiKey].flatMap((key) => (key && canSign(key) ? [key] : []));

/**
 * Proves that the writer of a record knew the key: HMAC-SHA-256 (RFC 2104) of the record's
 * hash, site, dealer and time, so that a mark does not fit another site, dealer or time.
 *
 * @returns undefined where the key is too short.
 */
export const markOf = (key: Secret, { site, dealer, record, files, confirmed }: Marked) =>
  signed(key, ['vehicle-media-site record', site, dealer, record, files, confirmed]);

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
export const listMarkOf = (key: Secret, { site, dealer, files, searched }: MarkedList) =>
  signed(key, ['vehicle-media-site list', site, dealer, files, searched]);

function signed(key: Secret, about: readonly (string | number)[]): string | undefined {
  if (!canSign(key)) return undefined;
  return createHmac('sha256', key.reveal()).update(JSON.stringify(about)).digest('base64url');
}

/** Whether a mark was made with this key. */
export const isMarked = (key: Secret, about: Marked, mark: string | undefined): boolean =>
  isSame(mark, markOf(key, about));

/** The same for the mark of a list. */
export const isListMarked = (key: Secret, about: MarkedList, mark: string | undefined): boolean =>
  isSame(mark, listMarkOf(key, about));

function isSame(mark: string | undefined, expected: string | undefined): boolean {
  if (expected === undefined || mark?.length !== expected.length) return false;
  return timingSafeEqual(Buffer.from(mark), Buffer.from(expected));
}
