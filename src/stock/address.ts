import { createHash } from 'node:crypto';
import { isSafeFile } from '../lib/files/safe-file.ts';

/** Longest readable part of an address. */
const LONGEST = 40;

/** Names of the program's own folders inside a dealer's folder. */
const OURS = new Set([
  'page',
  'index',
  'feed',
  'embed',
  'media',
  'assets',
  'search',
  'sticker',
  'find',
  'withdrawn',
  'make',
]);

/** The form of most plates: upper-case letters and digits, in groups parted by single spaces. */
const PLAIN = /^[A-Z0-9]+(?: [A-Z0-9]+)*$/;

/**
 * The last part of a vehicle's page address. It follows from the registration mark alone, so it is
 * stable whichever other vehicles are listed. `vrm` is arbitrary text (interface 2.1).
 *
 * Plain plates read as people expect: `AB12 CDE` is `ab12-cde`. Any other text becomes its legible
 * characters, `--` and a hash of the exact text. A plain address never contains `--`, so the two
 * kinds cannot collide. Two texts share an address only if 48 bits of SHA-256 collide.
 *
 * @returns 1 to 54 characters of `[a-z0-9-]`: no dots, no device names, equal in any letter case.
 */
export function vehicleSlug(vrm: string): string {
  const lower = vrm.toLowerCase();
  if (PLAIN.test(vrm) && vrm.length <= LONGEST) {
    const plain = lower.replaceAll(' ', '-');
    if (!OURS.has(plain) && isSafeFile(plain)) return plain;
  }
  const readable = lower
    .normalize('NFKD')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, LONGEST)
    .replace(/^-+|-+$/g, '');
  // UTF-8 encodes all lone surrogates alike, so two such texts would share a hash.
  const encoding = vrm.isWellFormed() ? 'utf8' : 'utf16le';
  const hash = createHash('sha256').update(vrm, encoding).digest('hex').slice(0, 12);
  return `${readable || 'vehicle'}--${hash}`;
}
