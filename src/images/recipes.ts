import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { IMAGE_FORMATS, type ImageFormat, OUTPUT_FILE } from '../config/image-formats.ts';
import { outputName } from './fingerprint.ts';

/**
 * Recipes describe the outputs of one source picture. They are data, so that plan, store and encoder compute
 * the same names independently.
 */

/** A card without its picture, as data for another process. */
export interface CardGround {
  /** File of the card. Two identical cards that are drawn at the same time have different names. */
  file: string;
  /** Its right side, with the texts: a PNG in base64. */
  png: string;
  /** Background colour, with a number sign. */
  colour: string;
}

export const CARD_SIZE = { width: 1200, height: 630 } as const;
/** Size of a card's left side, which a photograph of 4:3 fills. Other pictures are drawn in its middle. */
export const CARD_STAGE = { width: 840, height: CARD_SIZE.height };

/** A card's JPEG. Text on a colour needs full chroma resolution. Optimal codes would save 1 % in twice the time. */
export const CARD_JPEG = { quality: 84, chromaSubsampling: '4:4:4', optimiseCoding: false };

/** One output, independent of the size of the source. */
export interface Recipe {
  format: ImageFormat;
  /** Largest width in pixels. */
  width: number;
  /** Height of a crop in pixels. Absent if the picture keeps its shape. */
  height?: number;
  quality: number;
  effort: number;
  /** Made only from sources of at least this width. */
  exact?: true;
  /** The card that the picture is drawn on. */
  ground?: CardGround;
  /** Part of the picture that a crop shows: the middle, or the result of libvips' attention strategy. */
  position?: 'centre' | 'attention';
}

/** One output (a thumbnail, a crop or a copy) of one source: a recipe with its actual size and its name in the store. */
export interface Output extends Recipe {
  height: number;
  /** Whether the picture is cropped to the size rather than scaled to it. */
  crop: boolean;
  /** Whether the recipe sets the shape. Smaller outputs are never made from such an output. */
  shaped: boolean;
  /** Path below `/media/`, which depends only on the source's bytes, the recipe and the encoder. */
  name: string;
}

/** Hash and size of a source, for the plan. */
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

/**
 * All platforms bundle one version of libvips and its encoders. The decoder's process calls this, and may not read the
 * folder that own-package.ts searches.
 */
function readLibraryVersion(): string {
  const file = findPackageJSON('sharp', import.meta.url);
  if (file === undefined) throw new Error('sharp is not installed');
  const { version, optionalDependencies } = JSON.parse(readFileSync(file, 'utf8'));
  const bundle = optionalDependencies?.['@img/sharp-libvips-linux-x64'];
  return bundle === undefined ? `sharp-${version}` : `libvips-${bundle}`;
}

/**
 * Version of the image library, for the names of outputs. It is read from sharp's package.json, so that builds
 * without new pictures need not load libvips, which takes 80 ms.
 */
export const LIBRARY_VERSION = readLibraryVersion();

/** Increased when the encoding changes, so that all outputs get new names. */
const LINE_VERSION = 1;
/** Part of every name, because another version of libvips may produce other bytes. */
const ENCODER = `${LINE_VERSION}/${LIBRARY_VERSION}`;

/** Width of a list's card for each pixel of its height. */
export const CARD_RATIO = 4 / 3;

/** Whether an output has the shape of cards. */
export const hasCardShape = ({ width, height }: Pick<Output, 'width' | 'height'>): boolean =>
  Math.round(width / CARD_RATIO) === height;

/** Six characters for recipe, actual size and encoder. */
function tagOf(
  { format, quality, effort, position, ground }: Recipe,
  width: number,
  cropHeight: number | undefined,
): string {
  const size = `${width}x${cropHeight}`;
  const parts = [format, quality, effort, size, cropHeight && position, ENCODER];
  const text = JSON.stringify(ground ? [...parts, ground] : parts);
  return hash('sha256', text, 'hex').slice(0, 6);
}

/**
 * Applies a recipe to a source, and computes size and name. An output is never larger than its source, and a
 * smaller crop keeps its shape. A crop in the shape of the picture is not a crop, so it is the same output as
 * without a crop.
 */
function outputOf(content: Content, recipe: Recipe): Output {
  let width = Math.min(recipe.width, content.width);
  let height = Math.max(1, Math.round((content.height * width) / content.width));
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
  const name = outputName(content.hash, `-${width}-${tag}.${IMAGE_FORMATS[recipe.format]}`);
  return { ...recipe, width, height, crop, shaped: recipe.height !== undefined, name };
}

/** The planned outputs of one source, widest first. Recipes with the same result are one output. */
export function outputsFor(content: Content, recipes: readonly Recipe[]): Output[] {
  const byName = new Map<string, Output>();
  for (const recipe of recipes) {
    if (recipe.exact && recipe.width > content.width) continue;
    const output = outputOf(content, recipe);
    const sameOutput = byName.get(output.name);
    if (!sameOutput || sameOutput.shaped || sameOutput.exact) byName.set(output.name, output);
  }
  return [...byName.values()].sort((a, b) => b.width - a.width || (a.name < b.name ? -1 : 1));
}

/** The part of outputs that depends only on recipes and size: everything except the hash in their names. */
interface Shapes {
  /** Narrowest first. */
  list: readonly (Pick<Output, 'width' | 'height'> & { suffix: string })[];
  suffixes: readonly string[];
}

/** Shapes of a list of recipes, by width and height of the source. */
const shapes = new WeakMap<readonly Recipe[], Map<number, Shapes>>();

function shapesOf(content: Omit<Content, 'hash'>, recipes: readonly Recipe[]): Shapes {
  let bySize = shapes.get(recipes);
  if (!bySize) {
    bySize = new Map();
    shapes.set(recipes, bySize);
  }
  // Width and height as one number: no side of a picture reaches 2^24 pixels.
  const size = content.width * 2 ** 24 + content.height;
  let cached = bySize.get(size);
  if (!cached) {
    // Without a hash, a name is a slash and its suffix.
    const list = outputsFor({ ...content, hash: '' }, recipes)
      .map(({ name, width, height }) => ({ suffix: name.slice(1), width, height }))
      .reverse();
    cached = { list, suffixes: list.map(({ suffix }) => suffix) };
    bySize.set(size, cached);
  }
  return cached;
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

/** An output, for pages. */
export type PlacedOutput = Pick<Output, 'name' | 'width' | 'height'>;

/**
 * The existing outputs, narrowest first. Always pass the same array of recipes, because suffixes are cached by
 * array and size of a picture.
 *
 * @param existing suffixes of the names of the existing outputs.
 */
export function existingOutputs(
  content: Content,
  recipes: readonly Recipe[],
  existing: readonly string[],
): PlacedOutput[] {
  const stem = outputName(content.hash, '');
  return shapesOf(content, recipes)
    .list.filter(({ suffix }) => existing.includes(suffix))
    .map(({ suffix, width, height }) => ({ name: stem + suffix, width, height }));
}

/** Indexes of the outputs that do not exist. Usually none. @param existing suffixes of the existing outputs. */
export const missingShapes = (
  size: Pick<Content, 'width' | 'height'>,
  recipes: readonly Recipe[],
  existing: readonly string[],
): number[] =>
  outputSuffixes(size, recipes).flatMap((suffix, index) =>
    existing.includes(suffix) ? [] : [index],
  );

/** Whether a name has the form of an output. Other files of the store are never removed. */
export function isOutputName(name: string): boolean {
  return /^[0-9a-f]{2}\//.test(name) && OUTPUT_FILE.test(name.slice(3));
}
