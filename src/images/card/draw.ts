import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pMap from 'p-map';
import type { MediaConfig } from '../../config/schema.ts';
import { UnreachableError } from '../../errors.ts';
import { collectGarbage } from '../../lib/garbage-collection.ts';
import { FolderRecords } from '../../record/file.ts';
import { decideBounds, machine } from '../bounds.ts';
import { Encoder } from '../encode/pool.ts';
import { fingerprintOf, hashIn } from '../fingerprint.ts';
import type { PublishedThumbnails } from '../published/restore.ts';
import { cachedCard, keepCard } from '../stores/cards.ts';
import type { OutputFiles } from '../stores/folder.ts';
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
  /** The cache's folder of thumbnails and cards. */
  folder: string;
  published?: Pick<PublishedThumbnails, 'folder' | 'url'>;
  media: MediaConfig;
  signal?: AbortSignal;
}

/**
 * Reads the thumbnail of a card from the cache, the published folder or site. Only bytes with the record's
 * fingerprint are used.
 *
 * @throws {UnreachableError} it is missing everywhere.
 */
async function readThumbnail(
  { name, fingerprint }: CardPicture,
  places: readonly OutputFiles[],
): Promise<Uint8Array> {
  let why = '';
  for (const place of places) {
    const result = await place.read(name);
    if ('bytes' in result && fingerprintOf(result.bytes) === fingerprint) return result.bytes;
    why = 'why' in result ? result.why : 'its bytes have changed';
  }
  throw new UnreachableError({
    code: 'card-thumbnail',
    what: `The thumbnail ${name} for a social card cannot be read.`,
    why: places.length > 1 ? `On the published site: ${why}.` : 'It is not on this disk.',
    fix: 'Build again when the published site can be reached. The published site is unchanged.',
  });
}

/** A card with its planned file and key. */
export interface PlannedCard {
  file: string;
  key: string;
  card: SocialCard;
}

/**
 * Draws the cards that are not in the cache, and passes the bytes of all cards to `take`. Only the restricted
 * process decodes pictures. If it refuses a picture, the card is drawn without it.
 *
 * @throws {UnreachableError} a thumbnail is missing everywhere.
 */
export async function drawCards(
  cards: readonly PlannedCard[],
  { folder, published = {}, media, signal }: CardSources,
  take: (planned: PlannedCard, bytes: Uint8Array) => void,
): Promise<void> {
  if (cards.length === 0) return;
  const bounds = decideBounds(media, machine());
  const { encoders: concurrency } = bounds;
  await using resources = new AsyncDisposableStack();
  // Other processes may draw the same card, or look for outputs of its picture in the cache.
  const scratch = await mkdtemp(path.join(tmpdir(), 'cards-'));
  resources.defer(() => rm(scratch, { recursive: true, force: true }));
  const encoder = new Encoder({ concurrency, timeout: media.timeout, folder: scratch });
  resources.defer(() => encoder.close());
  const places: OutputFiles[] = [new FolderRecords(folder)];
  if (published.folder) places.push(new FolderRecords(path.join(published.folder, 'media')));
  if (published.url !== undefined) {
    // A build without changes loads no HTTP client.
    const { SiteFiles } = await import('../published/site-files.ts');
    const site = new SiteFiles(published.url, 'media/', { ...media, ...bounds }, signal);
    resources.defer(() => site.close());
    places.push(site);
  }
  const draw = async (planned: PlannedCard): Promise<Uint8Array> => {
    const { card } = planned;
    const { picture } = card;
    if (!picture) return plainCard(card);
    const cached = cachedCard(folder, planned, picture.name);
    if (cached) return cached;
    const bytes = await drawPicture(planned, picture);
    await keepCard(folder, planned, picture.name, bytes);
    collectGarbage();
    return bytes;
  };
  const drawPicture = async (
    { file: target, card }: PlannedCard,
    picture: CardPicture,
  ): Promise<Uint8Array> => {
    const drawing = await mkdtemp(path.join(scratch, 'card-'));
    const file = path.join(drawing, 'picture');
    await writeFile(file, await readThumbnail(picture, places));
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
      folder: drawing,
      file,
      recipes: [recipe],
      maxPixels: media.maxPixels,
    });
    const [output] = outcome.ok ? outcome.newOutputs : [];
    if (!output) return plainCard(card);
    const bytes = await readFile(path.join(drawing, output.name));
    // Cards of 20,000 vehicles would fill the disk.
    await rm(drawing, { recursive: true });
    return bytes;
  };
  const drawOne = async (planned: PlannedCard) => {
    signal?.throwIfAborted();
    take(planned, await draw(planned));
  };
  await pMap(cards, drawOne, { concurrency: concurrency + 1 });
}
