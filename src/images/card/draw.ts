import { readFile, unlink, utimes } from 'node:fs/promises';
import path from 'node:path';
import pMap from 'p-map';
import type { MediaConfig } from '../../config/schema.ts';
import { temporaryFolder } from '../../lib/files/temporary-folder.ts';
import { collectGarbage } from '../../lib/garbage-collection.ts';
import { type FoundFile, folderReader } from '../../record/file.ts';
import { decideBounds, machine } from '../bounds.ts';
import { Encoder } from '../encode/pool.ts';
import { hashIn } from '../fingerprint.ts';
import type { PublishedThumbnails } from '../published/restore.ts';
import { CARD_JPEG } from '../recipes.ts';
import { type CardKey, cachedCard, keepCard } from '../stores/cards.ts';
import { MEDIA, mediaFolder, type OutputFiles, putIncoming, readOutput } from '../stores/folder.ts';
import { type CardPicture, cardGround, drawnWidth, plainCard, type SocialCard } from './card.ts';

/** The sources of thumbnails for cards. */
export interface CardSources {
  /** The cache's folder of thumbnails and cards. */
  folder: string;
  published?: Pick<PublishedThumbnails, 'folder' | 'url'>;
  media: MediaConfig;
  signal?: AbortSignal;
}

/** Thumbnails in a folder on this disk. */
const placeOf = (folder: string): OutputFiles => ({
  ...folderReader(folder),
  // The bytes of the file changed, but its size and time did not. With another time, the next build reads
  // it and makes the thumbnail again.
  remove: async ([name = '']) => utimes(path.join(folder, name), 0, 0).catch(() => {}),
});

export interface PlannedCard extends CardKey {
  card: SocialCard;
}

interface DrawnCard {
  bytes: Uint8Array;
  /** Whether it has no picture because its thumbnail could not be read or decoded. */
  isIncomplete: boolean;
}

type TakeCard = (planned: PlannedCard, drawn: DrawnCard) => void;

const complete = (bytes: Uint8Array): DrawnCard => ({ bytes, isIncomplete: false });

interface Tools {
  /** A folder of its own: other processes may draw the same card, or look for outputs of its picture in the cache. */
  scratch: string;
  encoder: Encoder;
  /** The cache, the published folder and the published site: each may have a thumbnail. */
  places: readonly OutputFiles[];
}

/**
 * Draws cards. Only the restricted process decodes pictures. It starts with the first card that is not in the
 * cache and ends when the drawer is disposed of, because starting Node and sharp takes longer than a card.
 */
export class CardDrawer implements AsyncDisposable {
  readonly #sources: CardSources;
  readonly #concurrency: number;
  readonly #resources = new AsyncDisposableStack();
  #tools: Promise<Tools> | undefined;

  constructor(sources: CardSources) {
    this.#sources = sources;
    this.#concurrency = decideBounds(sources.media, machine()).encoders;
  }

  /**
   * Passes all cards to `take`. A card is drawn without its picture if its thumbnail cannot be read, for example
   * because the published site cannot be reached, or if the process cannot decode it. This program encoded the
   * thumbnail, so that is a fault of the machine, such as a time limit under load, and is not cached.
   */
  async draw(cards: readonly PlannedCard[], take: TakeCard): Promise<void> {
    const drawOne = async (planned: PlannedCard) => {
      this.#sources.signal?.throwIfAborted();
      take(planned, await this.#draw(planned));
    };
    await pMap(cards, drawOne, { concurrency: this.#concurrency + 1 });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#tools?.catch(() => {});
    await this.#resources.disposeAsync();
  }

  async #draw(planned: PlannedCard): Promise<DrawnCard> {
    const { folder } = this.#sources;
    const { picture } = planned.card;
    if (!picture) return complete(await plainCard(planned.card));
    const cached = cachedCard(folder, planned, picture.name);
    if (cached) return complete(cached);
    this.#tools ??= this.#open();
    const bytes = await this.#drawPicture(planned, picture, await this.#tools);
    if (!bytes) return { bytes: await plainCard(planned.card), isIncomplete: true };
    await keepCard(folder, planned, picture.name, bytes);
    collectGarbage();
    return complete(bytes);
  }

  async #open(): Promise<Tools> {
    const { folder, published = {}, media, signal } = this.#sources;
    const { path: scratch } = this.#resources.use(await temporaryFolder('cards-'));
    const concurrency = this.#concurrency;
    const encoder = this.#resources.use(
      new Encoder({ concurrency, timeout: media.timeout, folder: scratch }),
    );
    const places = [placeOf(folder)];
    if (published.folder) places.push(placeOf(mediaFolder(published.folder)));
    if (published.url !== undefined) {
      // A build without changes loads no HTTP client.
      const { SiteFiles } = await import('../published/site-files.ts');
      const files = new SiteFiles(published.url, MEDIA, media, signal);
      places.push(this.#resources.use(files));
    }
    return { scratch, encoder, places };
  }

  /** Undefined if the thumbnail cannot be read, or if the process cannot decode it. */
  async #drawPicture(
    { file: target, card }: PlannedCard,
    picture: CardPicture,
    { scratch, encoder, places }: Tools,
  ): Promise<Uint8Array | undefined> {
    let thumbnail: FoundFile | undefined;
    // Only bytes with the record's fingerprint are used.
    for (const place of places) {
      thumbnail = await readOutput(place, picture.name, picture.fingerprint);
      if ('bytes' in thumbnail) break;
    }
    if (!thumbnail || 'why' in thumbnail) return undefined;
    const hash = hashIn(picture.name);
    const file = putIncoming(scratch, hash, thumbnail.bytes);
    const recipe = {
      format: 'jpeg' as const,
      quality: CARD_JPEG.quality,
      effort: 0,
      exact: true as const,
      width: drawnWidth(picture),
      ground: await cardGround(card, target),
    };
    const { maxPixels } = this.#sources.media;
    const outcome = await encoder.encode({ hash, file, recipes: [recipe], maxPixels });
    const [output] = outcome.ok ? outcome.newOutputs : [];
    // Cards of 20,000 vehicles would fill the disk.
    await unlink(file);
    if (!output) return undefined;
    const drawn = path.join(scratch, output.name);
    const bytes = await readFile(drawn);
    await unlink(drawn);
    return bytes;
  }
}
