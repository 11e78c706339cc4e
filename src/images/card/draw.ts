import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import pMap from 'p-map';
import type { MediaConfig } from '../../config/schema.ts';
import { UnreachableError } from '../../errors.ts';
import { FolderRecords } from '../../record/file.ts';
import { decideBounds, machine } from '../bounds.ts';
import { Encoder } from '../encode/pool.ts';
import { hashIn } from '../fingerprint.ts';
import type { PublishedThumbnails } from '../published/restore.ts';
import { copyOutput, type OutputFiles } from '../stores/folder.ts';
import { isIntact } from '../stores/intact-outputs.ts';
import {
  CARD_QUALITY,
  type CardPicture,
  cardGround,
  drawnWidth,
  plainCard,
  type SocialCard,
} from './card.ts';

/** The sources of thumbnails for cards. */
export interface CardSources {
  /** The cache's folder of thumbnails. */
  folder: string;
  published?: Pick<PublishedThumbnails, 'folder' | 'url'>;
  media: MediaConfig;
  signal?: AbortSignal;
}

/**
 * Brings the thumbnail of a card to the cache, from the published folder or site. Only bytes with the
 * record's fingerprint are used.
 *
 * @throws {UnreachableError} it is nowhere.
 */
async function fetchThumbnail(
  { name, fingerprint }: CardPicture,
  folder: string,
  places: readonly OutputFiles[],
): Promise<void> {
  if (isIntact(path.join(folder, name), fingerprint)) return;
  let why = 'It is not on this disk.';
  for (const place of places) {
    const copied = await copyOutput(place, folder, name, fingerprint);
    if ('bytes' in copied) return;
    why = `On the published site: ${copied.why}.`;
  }
  throw new UnreachableError({
    code: 'card-thumbnail',
    what: `The thumbnail ${name} for a social card cannot be read.`,
    why,
    fix: 'Build again when the published site can be reached. The published site is unchanged.',
  });
}

/**
 * Draws cards and passes on their bytes. Only the process without rights decodes pictures. If it
 * refuses one, the card is drawn without it.
 *
 * @throws {UnreachableError} a thumbnail is nowhere.
 */
export async function drawCards<T extends { file: string; card: SocialCard }>(
  cards: readonly T[],
  { folder, published = {}, media, signal }: CardSources,
  take: (drawn: T, bytes: Uint8Array) => void,
): Promise<void> {
  if (cards.length === 0) return;
  const bounds = decideBounds(media, machine());
  const { encoders: concurrency } = bounds;
  await using opened = new AsyncDisposableStack();
  const encoder = new Encoder({ concurrency, timeout: media.timeout, folder });
  opened.defer(() => encoder.close());
  const places: OutputFiles[] = [];
  if (published.folder) places.push(new FolderRecords(path.join(published.folder, 'media')));
  if (published.url !== undefined) {
    // A build without changes loads no HTTP client.
    const { SiteFiles } = await import('../published/site-files.ts');
    const site = new SiteFiles(published.url, 'media/', { ...media, ...bounds }, signal);
    opened.defer(() => site.close());
    places.push(site);
  }
  const draw = async ({ file: target, card }: T): Promise<Uint8Array> => {
    const { picture } = card;
    if (!picture) return plainCard(card);
    await fetchThumbnail(picture, folder, places);
    const recipe = {
      format: 'jpeg' as const,
      quality: CARD_QUALITY,
      effort: 0,
      exact: true as const,
      width: drawnWidth(picture),
      ground: await cardGround(card, target),
    };
    const outcome = await encoder.encode({
      hash: hashIn(picture.name),
      file: path.join(folder, picture.name),
      recipes: [recipe],
      maxPixels: media.maxPixels,
    });
    const [made] = outcome.ok ? outcome.made : [];
    if (!made) return plainCard(card);
    const file = path.join(folder, made.name);
    const bytes = await readFile(file);
    // Only the site keeps the file, so a hidden vehicle leaves none behind.
    await rm(file);
    return bytes;
  };
  const one = async (drawn: T) => {
    signal?.throwIfAborted();
    take(drawn, await draw(drawn));
  };
  await pMap(cards, one, { concurrency: concurrency + 1 });
}
