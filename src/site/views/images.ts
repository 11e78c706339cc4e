import type { ImageFormat } from '../../config/image-formats.ts';
import type { RecipeBook } from '../../images/recipe-book.ts';
import {
  type Content,
  existingOutputs,
  type PlacedOutput,
  type Recipe,
} from '../../images/recipes.ts';
import { MEDIA } from '../../images/stores/folder.ts';
import type { ImageMedia } from '../../stock/vehicle.ts';
import { colourClass } from './colours.ts';
import type { ImageView } from './gallery-types.ts';
import type { SiteAddress } from './site-url.ts';

export type Picture = Content & {
  colour: string;
  /** Fingerprints of its outputs, by suffix. */
  outputs?: Readonly<Record<string, string>>;
};

export interface ImagesOptions {
  place: SiteAddress;
  book: RecipeBook;
  /** Suffixes of the existing outputs, by hash of the source's bytes. */
  pictures: { suffixesOf: (hash: string) => readonly string[] };
}

/** The output of medium width, as a list of one or none. @param outputs from narrow to wide. */
export const middleOf = (outputs: readonly PlacedOutput[]): readonly PlacedOutput[] =>
  outputs.slice(outputs.length >> 1).slice(0, 1);

/** Addresses and sizes of pictures, from their existing outputs. */
export class Images {
  readonly #options: ImagesOptions;

  /** Recipes of each format: the same arrays for every picture. */
  readonly #fits: readonly { format: ImageFormat; recipes: readonly Recipe[] }[];
  /** Recipes of uncropped pictures, without the full size. */
  readonly #uncropped: readonly Recipe[];

  constructor(options: ImagesOptions) {
    this.#options = options;
    const { fit, fallback } = options.book;
    this.#fits = Array.from(
      Map.groupBy(fit, ({ format }) => format),
      ([format, recipes]) => ({ format, recipes }),
    );
    this.#uncropped = [...fit, ...fallback];
  }

  outputsOf(content: Content, recipes: readonly Recipe[]): PlacedOutput[] {
    return existingOutputs(content, recipes, this.#options.pictures.suffixesOf(content.hash));
  }

  address({ name }: PlacedOutput): string {
    return `${this.#options.place.root}/${MEDIA}${name}`;
  }

  srcset(outputs: readonly PlacedOutput[]): string {
    return outputs.map((output) => `${this.address(output)} ${output.width}w`).join(', ');
  }

  /** The output of a picture for attributes that can only have one. */
  single(content: Content): PlacedOutput | undefined {
    const { fallback, single } = this.#options.book;
    const [output] = [
      ...this.outputsOf(content, fallback),
      ...middleOf(this.outputsOf(content, single)),
    ];
    if (output) return output;
    for (const { recipes } of this.#fits) {
      const [smallest] = this.outputsOf(content, recipes);
      if (smallest) return smallest;
    }
    return undefined;
  }

  /** All sizes of a picture. Undefined if there is none. */
  view(content: Picture): ImageView | undefined {
    const fits = this.#fits
      .map(({ format, recipes }) => ({ format, outputs: this.outputsOf(content, recipes) }))
      .filter(({ outputs }) => outputs.length > 0);
    const { fallback } = this.#options.book;
    const single = this.single(content);
    if (!single) return undefined;
    const smallest = fits[0]?.outputs[0];
    const sources = fits.map(({ format, outputs }) => ({
      type: `image/${format}`,
      srcset: this.srcset(outputs),
    }));
    const [onlySource, ...others] = sources;
    return {
      src: this.address(single),
      // With a single format, a browser need not choose by type.
      srcset: onlySource && others.length === 0 && fallback.length === 0 ? onlySource.srcset : '',
      width: content.width,
      height: content.height,
      sources,
      thumb: this.address(smallest ?? single),
      colour: content.colour,
      colourClass: colourClass(content.colour),
    };
  }

  /** Outputs for the viewer in the format of the first source of a view, if they are wider than its outputs. */
  larger(content: Content): string {
    const [best] = this.#fits;
    if (!best) return '';
    const { large, full } = this.#options.book;
    const widest = this.outputsOf(content, best.recipes).at(-1)?.width ?? Infinity;
    const copies = full.filter(({ format }) => format === best.format);
    const outputs = [...this.outputsOf(content, large), ...this.outputsOf(content, copies)];
    const byWidth = new Map(outputs.map((output) => [output.width, output]));
    return this.srcset([...byWidth.values()].filter(({ width }) => width > widest));
  }

  /** URL of the full size: the copy on the site, otherwise the picture at the service, otherwise the largest output. */
  fullAddress(content: Content, { url }: ImageMedia): string | undefined {
    const [copy] = this.outputsOf(content, this.#options.book.full);
    if (!copy && url !== undefined) return url;
    // A record has no URL of a picture with a copy, and the copy may have been lost since.
    const output = copy ?? this.outputsOf(content, this.#uncropped).at(-1);
    return output && this.address(output);
  }

  /** Whether there are uncropped outputs, but no copy of the full size. */
  lacksFullSize(content: Content): boolean {
    if (this.outputsOf(content, this.#options.book.full).length > 0) return false;
    return this.outputsOf(content, this.#uncropped).length > 0;
  }
}
