import { hash } from 'node:crypto';
import type { MediaConfig } from '../config/schema.ts';
import { outputName } from './fingerprint.ts';
import { libraryVersion } from './sharp-version.ts';

/**
 * Recipes: what is made from one source picture. They are data, so that plan, store and encoder compute
 * the same names independently.
 */

export type ImageFormat = 'webp' | 'avif' | 'jpeg';

/** One output, independent of the size of the source. */
export interface Recipe {
  format: ImageFormat;
  /** Largest width in pixels. */
  width: number;
  /** Height of a crop in pixels; absent where the picture's own shape stays. */
  height?: number;
  quality: number;
  effort: number;
  /** Made only of sources that are as wide. */
  exact?: true;
  /** Part of the picture that a crop shows: the middle, or what libvips' attention strategy finds. */
  position?: 'centre' | 'attention';
}

/** One output (a thumbnail, a crop or a copy) of one source: a recipe with its actual size and its name in the store. */
export interface Output extends Recipe {
  height: number;
  /** Whether the picture is cropped to the size rather than scaled to it. */
  crop: boolean;
  /** Whether the recipe has its own shape. Smaller outputs are never made from such an output. */
  shaped: boolean;
  /** Path below `/media/`, which depends only on the source's bytes, the recipe and the encoder. */
  name: string;
}

/** What the plan needs of a source's bytes. */
export interface Content {
  /** First 20 hex digits of the SHA-256 of the bytes. */
  hash: string;
  /** Pixels, once the orientation is applied. */
  width: number;
  height: number;
}

/** Hash of a source's bytes, as used in names. */
export function contentHash(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'hex').slice(0, 20);
}

/** All recipes of a configuration, by purpose. All pictures share these arrays. */
export interface RecipeBook {
  /** Every width in every format, in the order of the configuration's formats. */
  fit: readonly Recipe[];
  /** Those of `fit` in one format, for places where a page can name only one. */
  single: readonly Recipe[];
  /** One JPEG for readers that know nothing newer, where the configuration asks for one of each picture. */
  fallback: readonly Recipe[];
  /** Larger ones for the viewer, in the first format. */
  large: readonly Recipe[];
  /** Our copy of the full-size picture, where the configuration asks for one. */
  full: readonly Recipe[];
  /** 4:3 crops for cards of lists, where `single` has nothing as wide; of the first picture alone. */
  card: readonly Recipe[];
  /** JPEG of 1200×630 for shared links, feeds and other uses of a single picture; of the first alone. */
  share: readonly Recipe[];
  /** All recipes of an ordinary picture, and (`cover`) of a first one. */
  picture: readonly Recipe[];
  cover: readonly Recipe[];
}

const SHARE_SIZE = { width: 1200, height: 630 } as const;
/** Widths of a list's card at one and at two device pixels per CSS pixel. */
const NARROW_CARD = 320;
const WIDE_CARD = 640;
const CARD_RATIO = 4 / 3;
const FALLBACK_WIDTH = 640;
/** Largest width of our copy of a full-size picture. */
const MIRROR_WIDTH = 2560;

/** Quality and encoder effort by format, chosen by measurements of size, likeness and time. */
const ENCODING: Readonly<Record<ImageFormat, Pick<Recipe, 'quality' | 'effort'>>> = {
  webp: { quality: 75, effort: 2 },
  avif: { quality: 50, effort: 0 },
  jpeg: { quality: 78, effort: 0 },
};

/** Raised when our encoding changes, so that all outputs get new names. */
const LINE_VERSION = 1;
/** Part of every name, since another version of libvips may give other bytes. */
const ENCODER = `${LINE_VERSION}/${libraryVersion()}`;

const EXTENSION: Record<ImageFormat, string> = { webp: 'webp', avif: 'avif', jpeg: 'jpg' };

/** The recipes of a configuration. */
export function recipeBook(media: MediaConfig): RecipeBook {
  const recipe = (format: ImageFormat, width: number): Recipe => ({
    format,
    width,
    ...ENCODING[format],
  });
  // The format of single files is the newest one that every browser knows.
  const known = (['webp', 'jpeg', 'avif'] as const).find((one) => media.formats.includes(one));
  const best = known ?? 'webp';
  const position = media.crop;
  const fit = media.formats.flatMap((format) => media.widths.map((width) => recipe(format, width)));
  const single = fit.filter(({ format }) => format === best);
  const fallback = media.fallback === 'all' ? [recipe('jpeg', FALLBACK_WIDTH)] : [];
  const [first = best] = media.formats;
  const widest = media.widths.at(-1) ?? 0;
  const large = media.viewerWidths
    .filter((width) => width > widest)
    .map((width) => ({ ...recipe(first, width), exact: true as const }));
  const full = media.fullSize === 'mirror' ? [recipe(best, MIRROR_WIDTH)] : [];
  // CSS can show the middle of a whole picture, so a central crop is not needed for narrow cards.
  const isShownWhole =
    position === 'centre' &&
    media.widths.some((width) => width >= NARROW_CARD && width < WIDE_CARD);
  const card = (isShownWhole ? [WIDE_CARD] : [NARROW_CARD, WIDE_CARD]).map((width) => ({
    ...recipe(best, width),
    height: Math.round(width / CARD_RATIO),
    position,
  }));
  const share = [{ ...recipe('jpeg', SHARE_SIZE.width), height: SHARE_SIZE.height, position }];
  const picture = [...fit, ...large, ...fallback, ...full];
  const cover = [...picture, ...card, ...share];
  return { fit, single, fallback, large, full, card, share, picture, cover };
}

/** Whether an output has the shape of cards. */
export const hasCardShape = ({ width, height }: Pick<Output, 'width' | 'height'>): boolean =>
  Math.round(width / CARD_RATIO) === height;

/** Six characters for recipe, actual size and encoder. */
function tagOf(
  { format, quality, effort, position }: Recipe,
  width: number,
  cropHeight: number | undefined,
): string {
  const size = `${width}x${cropHeight}`;
  const text = JSON.stringify([format, quality, effort, size, cropHeight && position, ENCODER]);
  return hash('sha256', text, 'hex').slice(0, 6);
}

const heightAt = (content: Content, width: number): number =>
  Math.max(1, Math.round((content.height * width) / content.width));

/**
 * A recipe applied to one source: its size (never larger than the source; a crop keeps its shape
 * when it must shrink) and its name. A crop to the shape that the picture already has is no crop,
 * so it shares the name, and the work, of the plain output.
 */
function outputOf(content: Content, recipe: Recipe): Output {
  let width = Math.min(recipe.width, content.width);
  let height = heightAt(content, width);
  let crop = false;
  if (recipe.height !== undefined) {
    const scale = Math.min(1, content.width / recipe.width, content.height / recipe.height);
    const cropWidth = Math.max(1, Math.round(recipe.width * scale));
    const cropHeight = Math.max(1, Math.round(recipe.height * scale));
    crop = cropWidth !== width || cropHeight !== height;
    width = cropWidth;
    height = cropHeight;
  }
  const tag = tagOf(recipe, width, crop ? height : undefined);
  const name = outputName(content.hash, `-${width}-${tag}.${EXTENSION[recipe.format]}`);
  return { ...recipe, width, height, crop, shaped: recipe.height !== undefined, name };
}

/** What should exist for one source, widest first; recipes that come out the same are one output. */
export function outputsFor(content: Content, recipes: readonly Recipe[]): Output[] {
  const byName = new Map<string, Output>();
  for (const recipe of recipes) {
    if (recipe.exact && recipe.width > content.width) continue;
    const output = outputOf(content, recipe);
    const known = byName.get(output.name);
    if (!known || known.shaped || known.exact) byName.set(output.name, output);
  }
  return [...byName.values()].sort((a, b) => b.width - a.width || (a.name < b.name ? -1 : 1));
}

/** The part of outputs that depends on recipes and size alone: everything except the hash in their names. */
interface Shapes {
  /** Narrowest first. */
  list: readonly (Pick<Output, 'width' | 'height'> & { suffix: string })[];
  suffixes: readonly string[];
  /** Cached results of {@link missingShapes}, by its argument `there`. */
  missing: WeakMap<readonly string[], readonly number[]>;
}

/** Shapes of a list of recipes, by width and height of the source. */
const shapes = new WeakMap<readonly Recipe[], Map<number, Shapes>>();

function shapesOf(content: Omit<Content, 'hash'>, recipes: readonly Recipe[]): Shapes {
  let bySize = shapes.get(recipes);
  if (!bySize) {
    bySize = new Map();
    shapes.set(recipes, bySize);
  }
  // Width and height as one number, since no side of a picture reaches 2^24 pixels.
  const size = content.width * 2 ** 24 + content.height;
  let known = bySize.get(size);
  if (!known) {
    // Without a hash, a name is a slash and its suffix.
    const list = outputsFor({ ...content, hash: '' }, recipes)
      .map(({ name, width, height }) => ({ suffix: name.slice(1), width, height }))
      .reverse();
    known = { list, suffixes: list.map(({ suffix }) => suffix), missing: new WeakMap() };
    bySize.set(size, known);
  }
  return known;
}

/**
 * Suffixes of the names of {@link outputsFor}, after the hash. The same size and recipes give the same
 * array, because comparing plan and store calls this 20,000 times.
 */
export function outputSuffixes(
  size: Pick<Content, 'width' | 'height'>,
  recipes: readonly Recipe[],
): readonly string[] {
  return shapesOf(size, recipes).suffixes;
}

/** The names of {@link outputsFor} in any order, in a tenth of the time. */
export function outputNames(content: Content, recipes: readonly Recipe[]): string[] {
  return outputSuffixes(content, recipes).map((suffix) => outputName(content.hash, suffix));
}

/** What pages need of an output. */
export type PlacedOutput = Pick<Output, 'name' | 'width' | 'height'>;

/**
 * The existing outputs, narrowest first. Pass the same array of recipes each time, as suffixes are
 * cached by array and size of a picture.
 *
 * @param there suffixes of the names of the existing outputs.
 */
export function existingOutputs(
  content: Content,
  recipes: readonly Recipe[],
  there: readonly string[],
): PlacedOutput[] {
  const stem = outputName(content.hash, '');
  return shapesOf(content, recipes)
    .list.filter(({ suffix }) => there.includes(suffix))
    .map(({ suffix, width, height }) => ({ name: stem + suffix, width, height }));
}

/**
 * Indexes of the outputs that do not exist; usually none.
 *
 * @param there suffixes of the existing outputs, as a shared array that is never changed.
 */
export function missingShapes(
  size: Pick<Content, 'width' | 'height'>,
  recipes: readonly Recipe[],
  there: readonly string[],
): readonly number[] {
  const { suffixes, missing } = shapesOf(size, recipes);
  let known = missing.get(there);
  if (!known) {
    known = [...suffixes.keys()].filter((index) => !there.includes(suffixes[index] ?? ''));
    missing.set(there, known);
  }
  return known;
}

/** Whether a name has the form of our outputs. Only such files of the store are ever removed. */
export function isOutputName(name: string): boolean {
  return /^[0-9a-f]{2}\//.test(name) && isOutputFile(name.slice(3));
}

/** The same of the part after the slash. */
export function isOutputFile(file: string): boolean {
  return /^[0-9a-f]{18}-\d+-[0-9a-f]{6}\.(?:webp|avif|jpg)$/.test(file);
}
