import { countName } from '../contract/parse.ts';
import { type Embed, embedOf } from '../media/embeds/embed.ts';
import type { Provider } from '../media/embeds/providers.ts';
import { sourceKey } from '../media/plan.ts';
import {
  type Content,
  type Format,
  type Output,
  outputOf,
  type RecipeBook,
} from '../media/recipes.ts';
import type { ImageMedia, Vehicle, VideoMedia } from '../stock/vehicle.ts';
import type { Texts } from './text.ts';
import type { CardView, MediaView, PictureView, VideoView } from './view.ts';

/** What the media line knows of pictures. */
export interface PictureFacts {
  contentOf: (key: string) => (Content & { colour: string }) | undefined;
  /** Whether an output exists. */
  has: (name: string) => boolean;
}

interface MediaViewsOptions {
  place: { base: string; origin: string };
  book: RecipeBook;
  pictures: PictureFacts;
  texts: Texts;
  providers: readonly Provider[];
  fullSize: 'link' | 'mirror';
}

const TYPES: Record<Format, string> = {
  webp: 'image/webp',
  avif: 'image/avif',
  jpeg: 'image/jpeg',
};

/** Media of vehicles as views; notes on the way which outputs and embed origins pages use. */
export class MediaViews {
  readonly usedOutputs = new Set<string>();
  readonly #options: MediaViewsOptions;
  readonly #unmatched = new Map<string, number>();
  readonly #origins = new Set<string>();

  constructor(options: MediaViewsOptions) {
    this.#options = options;
  }

  /** Views in the order of `mediaList`; a picture that could not be had is left out. */
  of(vehicle: Vehicle, plate: string): MediaView[] {
    const total = vehicle.media.filter(({ kind }) => kind === 'image').length;
    const views: MediaView[] = [];
    let pictureNumber = 0;
    for (const media of vehicle.media) {
      const position = views.length + 1;
      if (media.kind === 'video') {
        views.push(this.#video(media, position, plate));
        continue;
      }
      pictureNumber++;
      const view = this.#picture(vehicle.dealerId, media, {
        position,
        plate,
        n: pictureNumber,
        total,
      });
      if (view) views.push(view);
    }
    return views;
  }

  /** The first picture that can be shown, for a card. */
  cover(vehicle: Vehicle): CardView['cover'] {
    const { pictures, book } = this.#options;
    for (const media of vehicle.media) {
      if (media.kind !== 'image') continue;
      const content = pictures.contentOf(sourceKey(vehicle.dealerId, media));
      if (!content) continue;
      // Only the first picture has card crops; another that stands in for it is shown whole.
      const crops = this.#existing(content, book.card);
      const outputs = crops.length > 0 ? crops : this.#existing(content, book.fit);
      const largest = outputs.at(-1);
      const smallest = outputs[0];
      if (!largest || !smallest) continue;
      return {
        src: this.#address(smallest),
        srcset: this.#srcset(outputs),
        width: largest.width,
        height: largest.height,
        colour: content.colour,
      };
    }
    return undefined;
  }

  unmatchedEmbeds(): Record<string, number> {
    return Object.fromEntries([...this.#unmatched].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  frameOrigins(): string[] {
    return [...this.#origins].sort();
  }

  #existing(content: Content, recipes: RecipeBook['fit']): Output[] {
    const byName = new Map<string, Output>();
    for (const recipe of recipes) {
      const output = outputOf(content, recipe);
      if (this.#options.pictures.has(output.name)) byName.set(output.name, output);
    }
    return [...byName.values()].sort((a, b) => a.width - b.width);
  }

  #address({ name }: Output): string {
    this.usedOutputs.add(name);
    return `${this.#options.place.base}/media/${name}`;
  }

  #srcset(outputs: readonly Output[]): string {
    return outputs.map((output) => `${this.#address(output)} ${output.width}w`).join(', ');
  }

  #picture(
    dealerId: number,
    image: ImageMedia,
    { position, plate, n, total }: { position: number; plate: string; n: number; total: number },
  ): PictureView | undefined {
    const { pictures, book, texts, fullSize } = this.#options;
    const content = pictures.contentOf(sourceKey(dealerId, image));
    if (!content) return undefined;
    const formats = [...new Set(book.fit.map(({ format }) => format))];
    const fits = formats.map((format) => ({
      format,
      outputs: this.#existing(
        content,
        book.fit.filter((recipe) => recipe.format === format),
      ),
    }));
    const [fallback] = this.#existing(content, [book.fallback]);
    const shown = fallback ?? fits.find(({ outputs }) => outputs.length > 0)?.outputs[0];
    if (!shown) return undefined;
    const [mirrored] = book.full ? this.#existing(content, [book.full]) : [];
    return {
      kind: 'picture',
      position,
      id: image.id,
      label: image.label,
      alt: texts.fill(texts.words.pictureAlt, { plate, n, total }),
      src: this.#address(shown),
      width: content.width,
      height: content.height,
      sources: fits
        .filter(({ outputs }) => outputs.length > 0)
        .map(({ format, outputs }) => ({ type: TYPES[format], srcset: this.#srcset(outputs) })),
      full: fullSize === 'mirror' && mirrored ? this.#address(mirrored) : image.url,
      colour: content.colour,
    };
  }

  #video(video: VideoMedia, position: number, plate: string): VideoView {
    const { texts, providers } = this.#options;
    const finding = embedOf(video, providers);
    if (!finding.embed && finding.unmatchedHost !== undefined) {
      const host = finding.unmatchedHost;
      countName(this.#unmatched, host);
    }
    if (finding.embed) this.#origins.add(finding.embed.origin);
    const embed: Embed | undefined = finding.embed;
    return {
      kind: 'video',
      position,
      id: video.id,
      label: video.label,
      title: texts.fill(texts.words.videoTitle, { plate, label: video.label }),
      ...(embed && { embed: { src: embed.src, provider: embed.provider } }),
      player: video.playerUrl,
    };
  }
}
