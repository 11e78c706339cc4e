import { countName } from '../../contract/parse.ts';
import type { CardPicture } from '../../images/card/card.ts';
import { suffixIn } from '../../images/fingerprint.ts';
import { type SourceOf, sourceKey } from '../../images/plan.ts';
import { FEED_PICTURES } from '../../images/recipe-book.ts';
import {
  CARD_STAGE,
  hasCardShape,
  missingShapes,
  type PlacedOutput,
} from '../../images/recipes.ts';
import { type PublicVehicle, publicVehicle } from '../../record/vehicle.ts';
import type { ImageMedia, Vehicle, VehicleMedia, VideoMedia } from '../../stock/vehicle.ts';
import { type Embed, embedOf } from '../../videos/embed.ts';
import type { Provider } from '../../videos/providers.ts';
import type { Texts } from '../i18n/text.ts';
import { colourClass } from './colours.ts';
import type { ImageView, MediaView, PictureView, VideoView } from './gallery-types.ts';
import { isPanorama } from './gallery-view.ts';
import { Images, type ImagesOptions, middleOf, type Picture } from './images.ts';
import type { CardView } from './list-types.ts';

/** Facts of pictures from the image pipeline. */
export interface PictureFacts {
  contentOf: (key: string) => Picture | undefined;
  /** Suffixes of the existing outputs, by hash of the source's bytes. */
  suffixesOf: (hash: string) => readonly string[];
}

interface MediaViewsOptions extends ImagesOptions {
  pictures: PictureFacts;
  texts: Texts;
  providers: readonly Provider[];
  /** Whether number plates are private: URLs of the service, which may contain them, are not shown then. */
  hidesPlates: boolean;
}

/** Media in sitemaps and lists, without views. */
interface ListedMedia {
  pictures: Pick<PictureView, 'src'>[];
  videos: VideoView[];
}

/** The part of an embed that pages show. */
const embedViewOf = ({ src, play, provider, answers }: Embed) => ({ src, play, provider, answers });

/** Makes the views of vehicles' media. */
export class MediaViews {
  readonly #options: MediaViewsOptions;
  readonly #images: Images;

  constructor(options: MediaViewsOptions) {
    this.#options = options;
    this.#images = new Images(options);
  }

  /** Views in the order of `mediaList`. A picture that could not be downloaded is left out. */
  of(vehicle: Vehicle, fullName: string): MediaView[] {
    const { dealerId, media } = vehicle;
    const total = media.filter(({ kind }) => kind === 'image').length;
    const fallback = this.#firstImage(vehicle);
    const views: MediaView[] = [];
    let n = 0;
    for (const item of media) {
      if (item.kind === 'image') n++;
      const at = { position: views.length + 1, fullName };
      const view =
        item.kind === 'image'
          ? this.#picture(dealerId, item, { ...at, n, total })
          : this.#video(dealerId, item, { ...at, fallback });
      if (view) views.push(view);
    }
    return views;
  }

  /** The same media for sitemaps and lists: URLs of the pictures, and videos. */
  listedMedia(vehicle: Vehicle, fullName: string): ListedMedia {
    const { dealerId, media } = vehicle;
    const pictures: ListedMedia['pictures'] = [];
    const videos: VideoView[] = [];
    for (const item of media) {
      if (item.kind === 'video') {
        const position = pictures.length + videos.length + 1;
        const fallback = this.#firstImage(vehicle);
        videos.push(this.#video(dealerId, item, { position, fullName, fallback }));
        continue;
      }
      const content = this.#contentOf(dealerId, item);
      const output = content && this.#images.single(content);
      if (output) pictures.push({ src: this.#images.address(output) });
    }
    return { pictures, videos };
  }

  /** The picture of a card: the first available one, otherwise the first still of a video. */
  cover(vehicle: Vehicle): CardView['cover'] {
    const content = this.#coverContent(vehicle);
    if (!content) return undefined;
    const { book } = this.#options;
    // Only the first picture has card crops. A replacement is not cropped.
    const crops = this.#images.outputsOf(content, book.card);
    const uncropped = this.#images.outputsOf(content, book.single);
    const [crop] = crops;
    const narrower = crop && uncropped.filter(({ width }) => width < crop.width).slice(-1);
    const outputs = narrower ? [...narrower, ...crops] : uncropped;
    return this.#coverView(content, outputs, outputs.find(hasCardShape) ?? crop ?? outputs[0]);
  }

  /** The uncropped picture of the cover, in all widths, for a large card. Undefined if it is a panorama. */
  lead(vehicle: Vehicle): CardView['cover'] {
    const content = this.#coverContent(vehicle);
    if (!content || isPanorama(content)) return undefined;
    const outputs = this.#images.outputsOf(content, this.#options.book.single);
    return this.#coverView(content, outputs, middleOf(outputs)[0]);
  }

  /** @param output for browsers that do not choose one of the outputs. */
  #coverView(
    { colour }: Picture,
    outputs: readonly PlacedOutput[],
    output: PlacedOutput | undefined,
  ): CardView['cover'] {
    const largest = outputs.at(-1);
    if (!largest || !output) return undefined;
    return {
      src: this.#images.address(output),
      srcset: this.#images.srcset(outputs),
      width: largest.width,
      height: largest.height,
      colourClass: colourClass(colour),
    };
  }

  /** The thumbnail of the first picture for a social card, at least as wide as the card shows it. */
  cardPicture(vehicle: Vehicle): CardPicture | undefined {
    const content = this.#coverContent(vehicle);
    if (!content) return undefined;
    const outputs = this.#images.outputsOf(content, this.#options.book.drawn);
    const output = outputs.find(({ width }) => width >= CARD_STAGE.width) ?? outputs.at(-1);
    if (!output) return undefined;
    const { name, width, height } = output;
    return { name, width, height, fingerprint: content.outputs?.[suffixIn(name)] ?? '' };
  }

  /** Absolute URLs of the pictures of a vehicle for feeds, which only accept JPEG. */
  feedPictures(vehicle: Vehicle): string[] {
    const { place, book } = this.#options;
    const all = Array.from(this.#contentsOf(vehicle, 'image'), (content) =>
      this.#images.outputsOf(content, book.feed).slice(-1),
    );
    const addresses = all.flat().map((output) => `${place.origin}${this.#images.address(output)}`);
    return addresses.slice(0, FEED_PICTURES);
  }

  /**
   * The public form of a vehicle.
   *
   * @param unmatched counts of hosts that no provider matches. Hosts of the videos are added.
   */
  publicOf(vehicle: Vehicle, unmatched: Map<string, number>): PublicVehicle {
    return publicVehicle(vehicle, {
      embedAddress: (video) => {
        const { embed, unmatchedHost } = embedOf(video, this.#options.providers);
        if (unmatchedHost !== undefined) countName(unmatched, unmatchedHost);
        return embed?.src;
      },
      showsAddress: (image) => this.#showsAddress(vehicle.dealerId, image),
    });
  }

  /** Whether pages link to a picture at the service. */
  #showsAddress(dealerId: number, image: ImageMedia): boolean {
    if (this.#options.hidesPlates) return false;
    if (this.#options.book.full.length === 0) return true;
    const content = this.#contentOf(dealerId, image);
    return content !== undefined && this.#images.lacksFullSize(content);
  }

  /**
   * The input of the views of a vehicle's media, except the vehicle itself: the hash, size and colour of each
   * picture, and its missing outputs. Plain data.
   */
  factsOf(vehicle: Vehicle): unknown[] {
    return vehicle.media.map((media) => {
      const content = this.#contentOf(vehicle.dealerId, media);
      return content ? this.#factsOf(content) : 0;
    });
  }

  #factsOf(content: Picture): unknown[] {
    const { hash, width, height, colour } = content;
    const { book, pictures } = this.#options;
    const missing = missingShapes(content, book.cover, pictures.suffixesOf(hash));
    return [hash, width, height, colour, ...missing];
  }

  /** The same for its cover only. */
  coverFactsOf(vehicle: Vehicle): unknown[] {
    const content = this.#coverContent(vehicle);
    return content ? this.#factsOf(content) : [];
  }

  /** Hash, size and colour of a picture, or of a video's still. */
  #contentOf(dealerId: number, media: VehicleMedia): Picture | undefined {
    if (media.kind === 'image') return this.#contentOfSource(dealerId, media);
    const url = embedOf(media, this.#options.providers).embed?.poster;
    return url === undefined ? undefined : this.#contentOfSource(dealerId, { id: media.id, url });
  }

  #contentOfSource(dealerId: number, source: SourceOf): Picture | undefined {
    return this.#options.pictures.contentOf(sourceKey(dealerId, source));
  }

  /** The same for all pictures of a vehicle, or for the stills of its videos. */
  *#contentsOf({ dealerId, media }: Vehicle, kind: VehicleMedia['kind']): Iterable<Picture> {
    for (const item of media) {
      const content = item.kind === kind && this.#contentOf(dealerId, item);
      if (content) yield content;
    }
  }

  #coverContent(vehicle: Vehicle): Picture | undefined {
    for (const content of this.#contentsOf(vehicle, 'image')) return content;
    for (const content of this.#contentsOf(vehicle, 'video')) return content;
    return undefined;
  }

  #firstImage(vehicle: Vehicle): ImageView | undefined {
    for (const content of this.#contentsOf(vehicle, 'image')) {
      const image = this.#images.view(content);
      if (image) return image;
    }
    return undefined;
  }

  #picture(
    dealerId: number,
    media: ImageMedia,
    at: { position: number; fullName: string; n: number; total: number },
  ): PictureView | undefined {
    const { texts } = this.#options;
    const { position, fullName, n, total } = at;
    const content = this.#contentOf(dealerId, media);
    const image = content && this.#images.view(content);
    if (!content || !image) return undefined;
    return {
      kind: 'picture',
      position,
      id: media.id,
      label: media.label,
      alt: texts.fill(texts.words.pictureAlt, { vehicle: fullName, n, total }),
      thumbLabel: texts.fill(texts.words.showPicture, { n }),
      ...image,
      full: this.#images.fullAddress(content, media) ?? image.src,
      larger: this.#images.larger(content),
      first: position === 1,
      tile: '',
      share: 1,
    };
  }

  #video(
    dealerId: number,
    video: VideoMedia,
    at: { position: number; fullName: string; fallback: ImageView | undefined },
  ): VideoView {
    const { texts, providers } = this.#options;
    const { words, fill } = texts;
    const { position, fullName, fallback } = at;
    const { embed } = embedOf(video, providers);
    const still = this.#contentOf(dealerId, video);
    const poster = (still && this.#images.view(still)) ?? fallback;
    const { label } = video;
    return {
      kind: 'video',
      position,
      id: video.id,
      label,
      title: fill(words.videoTitle, { vehicle: fullName, label }),
      thumbLabel: fill(words.showVideo, { label }),
      action: fill(embed ? words.playVideo : words.openPlayer, { label }),
      watch: fill(words.openPlayer, { label }),
      ...(embed && { embed: embedViewOf(embed) }),
      player: video.playerUrl,
      ...(poster && { poster }),
      first: position === 1,
    };
  }
}
