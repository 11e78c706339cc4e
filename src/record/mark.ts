import { createHmac, timingSafeEqual } from 'node:crypto';
import { canSign } from '../config/environment.ts';
import type { Secret } from '../config/secret.ts';

/** Data that a mark signs. */
interface Marked {
  /** URL of the site, without a slash at the end. */
  site: string;
  dealer: number;
  /** Hash of the record, see `writeRecord`. */
  record: string;
  /** Hash of the list of its files. */
  files: string;
  /** When its response was confirmed, UTC. */
  confirmed: string;
}

/**
 * The keys that may sign a dealer's records: `SITE_SECRET`, then the dealer's key, each only if it is long
 * enough. The first one signs, and all are accepted. So a site keeps its stored state if a `SITE_SECRET` is added.
 */
export const signingKeys = (apiKey: Secret, siteSecret: Secret | undefined): Secret[] =>
  [siteSecret, apiKey].flatMap((key) => (key && canSign(key) ? [key] : []));

/**
 * Proves that the writer of a record knew the key: HMAC-SHA-256 (RFC 2104) of the record's hash, site, dealer
 * and time. So a mark is invalid for another site, dealer or time.
 */
export const markOf = (key: Secret, { site, dealer, record, files, confirmed }: Marked): string =>
  sign(key, ['vehicle-media-site record', site, dealer, record, files, confirmed]);

/** Data that the mark of a list signs. */
interface MarkedList extends Pick<Marked, 'site' | 'dealer' | 'files'> {
  /** Mark of the keys that the listed files were searched for, see `SecretSearch.mark`. Never published. */
  searched: string;
}

/**
 * Proves that the listed files were searched for exactly these keys before publishing. So a build may keep them
 * published without having them on its disk.
 */
export const listMarkOf = (key: Secret, { site, dealer, files, searched }: MarkedList): string =>
  sign(key, ['vehicle-media-site list', site, dealer, files, searched]);

const sign = (key: Secret, data: readonly (string | number)[]): string =>
  createHmac('sha256', key.reveal()).update(JSON.stringify(data)).digest('base64url');

/** Whether a mark is the expected one, see {@link markOf} and {@link listMarkOf}. */
export function isMark(mark: string | undefined, expected: string): boolean {
  if (mark?.length !== expected.length) return false;
  return timingSafeEqual(Buffer.from(mark), Buffer.from(expected));
}
