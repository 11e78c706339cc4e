import { countName } from '../../contract/parse.ts';
import { type SourceOf, sourceKey } from '../../images/plan.ts';
import {
  type Content,
  existingOutputs,
  type Format,
  hasCardShape,
  missingShapes,
  type PlacedOutput,
  type Recipe,
  type RecipeBook,
} from '../../images/recipes.ts';
import { type PublicVehicle, publicVehicle } from '../../record/vehicle.ts';
import type { ImageMedia, Vehicle, VehicleMedia, VideoMedia } from '../../stock/vehicle.ts';
import { type Embed, embedOf } from '../../videos/embed.ts';
import type { Provider } from '../../videos/providers.ts';
import type { Texts } from '../i18n/text.ts';
import { colourClass } from './palette.ts';
import type { Place } from './site-url.ts';
import type { CardView, ImageView, MediaView, PageView, PictureView, VideoView } from './view.ts';

/** What the media line knows of pictures. */
export interface PictureFacts {
  contentOf: (key: string) => Picture | undefined;
  /** Which outputs of bytes exist: what follows the hash in their names. */
  suffixesOf: (hash: string) => readonly string[];
}

interface MediaViewsOptions {
  place: Place;
  book: RecipeBook;
  pictures: PictureFacts;
  texts: Texts;
  providers: readonly Provider[];
}

const TYPES: Record<Format, string> = {
  webp: 'image/webp',
  avif: 'image/avif',
  jpeg: 'image/jpeg',
};

type Picture = Content & { colour: string };

/** What there is to say of media where they are not shown. */
export interface ListedMedia {
  pictures: Pick<PictureView, 'src'>[];
  videos: VideoView[];
}

/** The one of medium width, of a list from narrow to wide. */
const middleOf = (outputs: readonly PlacedOutput[]): readonly PlacedOutput[] =>
  outputs.slice(outputs.length >> 1).slice(0, 1);

/** Media of vehicles as views. */
export class MediaViews {
  readonly #options: MediaViewsOptions;

  /** Recipes of each format: the same arrays for every picture. */
  readonly #fits: readonly { format: Format; recipes: readonly Recipe[] }[];
  /** Of the whole picture, but the full size. */
  readonly #whole: readonly Recipe[];

  constructor(options: MediaViewsOptions) {
    this.#options = options;
    const { fit, fallback } = options.book;
    this.#fits = Array.from(
      Map.groupBy(fit, ({ format }) => format),
      ([format, recipes]) => ({ format, recipes }),
    );
    this.#whole = [...fit, ...fallback];
  }

  /** Views in the order of `mediaList`; a picture that could not be had is left out. */
  of(vehicle: Vehicle, fullName: string): MediaView[] {
    const { dealerId, media } = vehicle;
    const total = media.filter(({ kind }) => kind === 'image').length;
    const fallback = this.#firstImage(vehicle);
    const views: MediaView[] = [];
    let n = 0;
    for (const one of media) {
      if (one.kind === 'image') n++;
      const at = { position: views.length + 1, fullName };
      const view =
        one.kind === 'image'
          ? this.#picture(dealerId, one, { ...at, n, total })
          : this.#video(dealerId, one, { ...at, fallback });
      if (view) views.push(view);
    }
    return views;
  }

  /** What sitemaps and lists say of the same: addresses of the pictures, and videos. */
  listed(vehicle: Vehicle, fullName: string): ListedMedia {
    const { dealerId, media } = vehicle;
    const listed: ListedMedia = { pictures: [], videos: [] };
    for (const one of media) {
      if (one.kind === 'video') {
        const position = listed.pictures.length + listed.videos.length + 1;
        const fallback = this.#firstImage(vehicle);
        listed.videos.push(this.#video(dealerId, one, { position, fullName, fallback }));
        continue;
      }
      const content = this.#contentOf(dealerId, one);
      const shown = content && this.#shown(content);
      if (shown) listed.pictures.push({ src: this.#address(shown) });
    }
    return listed;
  }

  /** The first picture that can be shown, or else the first still of a video, for a card. */
  cover(vehicle: Vehicle): CardView['cover'] {
    const content = this.#coverContent(vehicle);
    if (!content) return undefined;
    const { book } = this.#options;
    // Only the first picture has card crops; another that stands in for it is shown whole.
    const crops = this.#existing(content, book.card);
    const whole = this.#existing(content, book.single);
    const [crop] = crops;
    const narrower = crop && whole.filter(({ width }) => width < crop.width).slice(-1);
    const outputs = narrower ? [...narrower, ...crops] : whole;
    const largest = outputs.at(-1);
    const shown = outputs.find(hasCardShape) ?? crop ?? outputs[0];
    if (!largest || !shown) return undefined;
    return {
      src: this.#address(shown),
      srcset: this.#srcset(outputs),
      width: largest.width,
      height: largest.height,
      colourClass: colourClass(content.colour),
    };
  }

  /** The picture for shared links, absolute: 1200×630 of the first picture, else what there is. */
  share(vehicle: Vehicle, alt: string): PageView['share'] {
    const content = this.#coverContent(vehicle);
    if (!content) return undefined;
    const { place, book } = this.#options;
    const [output] = [
      ...this.#existing(content, book.share),
      ...this.#existing(content, book.fallback),
      ...middleOf(this.#existing(content, book.single)),
    ];
    if (!output) return undefined;
    const { width, height } = output;
    return { image: `${place.origin}${this.#address(output)}`, width, height, alt };
  }

  /**
   * A vehicle as pages show it.
   *
   * @param unmatched counts the hosts of its videos that no provider matches.
   */
  publicOf(vehicle: Vehicle, unmatched: Map<string, number>): PublicVehicle {
    return publicVehicle(vehicle, {
      embedAddress: (video) => {
        const finding = embedOf(video, this.#options.providers);
        if (finding.embed) return finding.embed.src;
        if (finding.unmatchedHost !== undefined) countName(unmatched, finding.unmatchedHost);
        return undefined;
      },
      showsAddress: (image) => this.#showsAddress(vehicle.dealerId, image),
    });
  }

  /** Whether pages link to the address that a picture has at the service. */
  #showsAddress(dealerId: number, image: ImageMedia): boolean {
    const { full } = this.#options.book;
    if (full.length === 0) return true;
    const content = this.#contentOf(dealerId, image);
    if (!content || this.#existing(content, full).length > 0) return false;
    return this.#existing(content, this.#whole).length > 0;
  }

  /** Origins that a vehicle's pages frame. */
  originsOf(vehicle: Vehicle): string[] {
    const origins = new Set<string>();
    for (const media of vehicle.media) {
      if (media.kind !== 'video') continue;
      const { embed } = embedOf(media, this.#options.providers);
      if (embed) origins.add(embed.origin);
    }
    return [...origins].sort();
  }

  /**
   * All that the views of a vehicle's media are made from besides the vehicle: of each picture its
   * bytes' hash, size and colour, and which of its outputs are missing. Plain data.
   */
  factsOf(vehicle: Vehicle): unknown[] {
    return vehicle.media.map((media) => {
      const content = this.#contentOf(vehicle.dealerId, media);
      if (!content) return 0;
      const { hash, width, height, colour } = content;
      const { book, pictures } = this.#options;
      const missing = missingShapes(content, book.cover, pictures.suffixesOf(hash));
      return [hash, width, height, colour, ...missing];
    });
  }

  /** What is known of a picture's bytes, or of those of a video's still. */
  #contentOf(dealerId: number, media: VehicleMedia): Picture | undefined {
    if (media.kind === 'image') return this.#known(dealerId, media);
    const url = embedOf(media, this.#options.providers).embed?.poster;
    return url === undefined ? undefined : this.#known(dealerId, { id: media.id, url });
  }

  #known(dealerId: number, source: SourceOf): Picture | undefined {
    return this.#options.pictures.contentOf(sourceKey(dealerId, source));
  }

  /** What is known of a vehicle's pictures, or of the stills of its videos. */
  *#contentsOf({ dealerId, media }: Vehicle, wanted: VehicleMedia['kind']): Iterable<Picture> {
    for (const one of media) {
      const content = one.kind === wanted && this.#contentOf(dealerId, one);
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
      const image = this.#image(content);
      if (image) return image;
    }
    return undefined;
  }

  #existing(content: Content, recipes: readonly Recipe[]): PlacedOutput[] {
    return existingOutputs(content, recipes, this.#options.pictures.suffixesOf(content.hash));
  }

  #address({ name }: PlacedOutput): string {
    return `${this.#options.place.base}/media/${name}`;
  }

  #srcset(outputs: readonly PlacedOutput[]): string {
    return outputs.map((output) => `${this.#address(output)} ${output.width}w`).join(', ');
  }

  /** The file of a picture where only one can be named. */
  #shown(content: Content): PlacedOutput | undefined {
    const { fallback, single } = this.#options.book;
    const [shown] = [
      ...this.#existing(content, fallback),
      ...middleOf(this.#existing(content, single)),
    ];
    if (shown) return shown;
    for (const { recipes } of this.#fits) {
      const [smallest] = this.#existing(content, recipes);
      if (smallest) return smallest;
    }
    return undefined;
  }

  /** All sizes of a picture, or undefined where there is none. */
  #image(content: Picture): ImageView | undefined {
    const fits = this.#fits
      .map(({ format, recipes }) => ({ format, outputs: this.#existing(content, recipes) }))
      .filter(({ outputs }) => outputs.length > 0);
    const { fallback } = this.#options.book;
    const shown = this.#shown(content);
    if (!shown) return undefined;
    const smallest = fits[0]?.outputs[0];
    const sources = fits.map(({ format, outputs }) => ({
      type: TYPES[format],
      srcset: this.#srcset(outputs),
    }));
    const [only, ...others] = sources;
    return {
      src: this.#address(shown),
      // Where all is of one format there is nothing that a browser must choose by type.
      srcset: only && others.length === 0 && fallback.length === 0 ? only.srcset : '',
      width: content.width,
      height: content.height,
      sources,
      thumb: this.#address(smallest ?? shown),
      colour: content.colour,
      colourClass: colourClass(content.colour),
    };
  }

  /** Our copy of the full size, else its address at the service, else the largest that there is. */
  #fullAddress(content: Content, { url }: ImageMedia): string | undefined {
    const [mirrored] = this.#existing(content, this.#options.book.full);
    if (!mirrored && url !== undefined) return url;
    // A record holds no address of a picture whose copy was there, and may have been lost since.
    const output = mirrored ?? this.#existing(content, this.#whole).at(-1);
    return output && this.#address(output);
  }

  #picture(
    dealerId: number,
    media: ImageMedia,
    at: { position: number; fullName: string; n: number; total: number },
  ): PictureView | undefined {
    const { texts } = this.#options;
    const { position, fullName, n, total } = at;
    const content = this.#contentOf(dealerId, media);
    const image = content && this.#image(content);
    if (!content || !image) return undefined;
    return {
      kind: 'picture',
      position,
      id: media.id,
      label: media.label,
      alt: texts.fill(texts.words.pictureAlt, { vehicle: fullName, n, total }),
      thumbLabel: texts.fill(texts.words.showPicture, { n }),
      ...image,
      full: this.#fullAddress(content, media) ?? image.src,
      first: position === 1,
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
    const finding = embedOf(video, providers);
    const embed: Embed | undefined = finding.embed;
    const still = this.#contentOf(dealerId, video);
    const poster = (still && this.#image(still)) ?? fallback;
    const { label } = video;
    return {
      kind: 'video',
      position,
      id: video.id,
      label,
      title: fill(words.videoTitle, { vehicle: fullName, label }),
      thumbLabel: fill(words.showVideo, { label }),
      action: fill(embed ? words.playVideo : words.openPlayer, { label }),
      ...(embed && { embed: { src: embed.src, play: embed.play, provider: embed.provider } }),
      player: video.playerUrl,
      ...(poster && { poster }),
      first: position === 1,
    };
  }
}
