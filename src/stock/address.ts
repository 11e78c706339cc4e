import { createHash } from 'node:crypto';
import { isSafeFile } from '../lib/files/safe-file.ts';

/** Maximum length of the readable part of a slug. */
const LONGEST = 40;

/** Names of folders that the program creates in a dealer's folder. */
const RESERVED = new Set([
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

/** The form of most plates: upper-case letters and digits, in groups separated by single spaces. */
const PLAIN = /^[A-Z0-9]+(?: [A-Z0-9]+)*$/;

/**
 * The last part of the URL of a vehicle's page. It depends only on the plate, so other vehicles never change it. `vrm`
 * is arbitrary text (interface 2.1).
 *
 * Plain plates give readable slugs: `AB12 CDE` becomes `ab12-cde`. Other texts become their readable characters, `--`
 * and a hash of the exact text. A plain slug never contains `--`, so the two forms cannot collide. Two texts have the
 * same slug only if 48 bits of SHA-256 collide.
 *
 * @returns 1 to 54 characters of `[a-z0-9-]`: no dots, no device names, no upper-case letters.
 */
export function vehicleSlug(vrm: string): string {
  const lower = vrm.toLowerCase();
  if (PLAIN.test(vrm) && vrm.length <= LONGEST) {
    const plain = lower.replaceAll(' ', '-');
    if (!RESERVED.has(plain) && isSafeFile(plain)) return plain;
  }
  const readable = lower
    .normalize('NFKD')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, LONGEST)
    .replace(/^-+|-+$/g, '');
  // UTF-8 encodes all lone surrogates as the same bytes, so different texts would have the same hash.
  const encoding = vrm.isWellFormed() ? 'utf8' : 'utf16le';
  const hash = createHash('sha256').update(vrm, encoding).digest('hex').slice(0, 12);
  return `${readable || 'vehicle'}--${hash}`;
}
