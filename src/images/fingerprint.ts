import { fileHash } from '../record/files.ts';
import type { Fingerprints } from '../record/pictures.ts';

/**
 * Size and SHA-1 of an output's bytes, as text. It verifies bytes from the published site: an attacker cannot
 * create other bytes with the same fingerprint (docs/security.md).
 */
export const fingerprintOf = (bytes: Uint8Array): string =>
  `${bytes.length.toString(36)}-${fileHash(bytes)}`;

/** The size in a fingerprint, in bytes. 0 if it is empty. */
export const sizeIn = (fingerprint: string): number => Number.parseInt(fingerprint, 36) || 0;

/** The hash of the bytes in a fingerprint, see `fileHash`. */
export const hashOf = (fingerprint: string): string =>
  fingerprint.slice(fingerprint.indexOf('-') + 1);

/** The first second of 2001, and the number of pairs of seconds until 2016. */
const FIRST_TIME = 978_307_200;
const TIMES = 236_649_600;

/**
 * The modification time that is set on an output's file, in seconds since 1970. It is computed from the
 * fingerprint. Archives and copies preserve it, so a file with that size and time has not been written to
 * since it was made, on any disk. It is even, because FAT and ZIP store only even seconds.
 */
export function timeOf(fingerprint: string): number {
  // Read digit by digit: decoding into a buffer for each of 80,000 outputs takes ten times as long.
  const start = fingerprint.indexOf('-') + 1;
  let bits = 0;
  for (let at = start; at < start + 5; at++) bits = bits * 64 + digitAt(fingerprint, at);
  bits = bits * 4 + (digitAt(fingerprint, start + 5) >> 4);
  return FIRST_TIME + 2 * (bits % TIMES);
}

const DIGITS = new Uint8Array(128);
for (const [value, digit] of [
  ...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_',
].entries()) {
  DIGITS[digit.charCodeAt(0)] = value;
}

const digitAt = (text: string, at: number): number => DIGITS[text.charCodeAt(at)] ?? 0;

/** Adds the fingerprints of outputs. */
export const withOutputs = (
  existing: Fingerprints | undefined,
  outputs: Iterable<{ name: string; fingerprint: string }>,
): Fingerprints => ({
  ...existing,
  ...Object.fromEntries(
    Array.from(outputs, ({ name, fingerprint }) => [suffixIn(name), fingerprint]),
  ),
});

/** The suffix of an output's name, after the hash of two digits, a slash and eighteen digits. */
export const suffixIn = (name: string): string => name.slice(21);
/** The hash in an output's name. */
export const hashIn = (name: string): string => name.slice(0, 2) + name.slice(3, 21);
/** The name with this hash and suffix. */
export const outputName = (hash: string, suffix: string): string =>
  `${hash.slice(0, 2)}/${hash.slice(2)}${suffix}`;
