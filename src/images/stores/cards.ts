import { hash } from 'node:crypto';
import path from 'node:path';
import { readIfReadable } from '../../lib/files/read.ts';
import { writeFileAtomic } from '../../lib/files/write.ts';
import { fileHash } from '../../record/files.ts';
import { hashIn, outputName } from '../fingerprint.ts';

const NAME = /^[0-9a-f]{2}\/[0-9a-f]{18}-[\w-]{10}\.card$/;

/** Whether a name in the folder of thumbnails is of a social card. */
export const isCardName = (name: string): boolean => NAME.test(name);

/** A card as it is planned: the same key means the same bytes. */
interface Planned {
  file: string;
  key: string;
}

/**
 * The file of a card in the cache: beside the thumbnails of its picture, and removed with them. There is one
 * file for each file of the site, so a new price replaces the former card.
 */
function fileOf(folder: string, file: string, picture: string): string {
  const place = hash('sha256', file, 'base64url').slice(0, 10);
  return path.join(folder, outputName(hashIn(picture), `-${place}.card`));
}

const headerOf = (key: string, bytes: Uint8Array) => Buffer.from(`${key} ${fileHash(bytes)}\n`);

/**
 * The bytes of a card that was drawn before. Undefined if there are none, or not of this key and intact.
 *
 * @param picture name of its thumbnail.
 */
export function cachedCard(
  folder: string,
  { file, key }: Planned,
  picture: string,
): Uint8Array | undefined {
  const found = readIfReadable(fileOf(folder, file, picture));
  if (!found) return undefined;
  const bytes = found.subarray(found.indexOf('\n') + 1);
  const header = headerOf(key, bytes);
  return found.subarray(0, header.length).equals(header) ? bytes : undefined;
}

/** Keeps a drawn card for later builds. */
export const keepCard = (
  folder: string,
  { file, key }: Planned,
  picture: string,
  bytes: Uint8Array,
): Promise<void> =>
  // A card that was cut off by a power failure does not fit its header.
  writeFileAtomic(fileOf(folder, file, picture), Buffer.concat([headerOf(key, bytes), bytes]), {
    own: true,
    fsync: false,
  });
