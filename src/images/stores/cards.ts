import { hash } from 'node:crypto';
import path from 'node:path';
import { readIfReadable } from '../../lib/files/read.ts';
import { writeFileAtomic } from '../../lib/files/write.ts';
import { fileHash } from '../../record/files.ts';
import { hashIn, outputName } from '../fingerprint.ts';

const NAME = /^[0-9a-f]{2}\/[0-9a-f]{18}-[\w-]{10}\.card$/;

/** Whether a name in the folder of thumbnails is of a social card. */
export const isCardName = (name: string): boolean => NAME.test(name);

/** File and key of a planned card. Equal keys mean equal bytes. */
export interface CardKey {
  file: string;
  key: string;
}

/**
 * The file of a card in the cache: next to the thumbnails of its picture, and removed with them. Each card of
 * the site has one file, so a new price replaces the previous card.
 */
function fileOf(folder: string, file: string, picture: string): string {
  const fileTag = hash('sha256', file, 'base64url').slice(0, 10);
  return path.join(folder, outputName(hashIn(picture), `-${fileTag}.card`));
}

const headerOf = (key: string, bytes: Uint8Array) => Buffer.from(`${key} ${fileHash(bytes)}\n`);

/**
 * The cached bytes of a card. Undefined if they are missing or damaged, or have another key.
 *
 * @param picture name of its thumbnail.
 */
export function cachedCard(
  folder: string,
  { file, key }: CardKey,
  picture: string,
): Uint8Array | undefined {
  const content = readIfReadable(fileOf(folder, file, picture));
  if (!content) return undefined;
  const bytes = content.subarray(content.indexOf('\n') + 1);
  const header = headerOf(key, bytes);
  return content.subarray(0, header.length).equals(header) ? bytes : undefined;
}

/** Caches a drawn card. */
export const keepCard = (
  folder: string,
  { file, key }: CardKey,
  picture: string,
  bytes: Uint8Array,
): Promise<void> =>
  // A card that a power failure interrupted does not match its header.
  writeFileAtomic(fileOf(folder, file, picture), Buffer.concat([headerOf(key, bytes), bytes]), {
    isProgramFile: true,
    fsync: false,
  });
