import type { ImageFormat } from '../config/image-formats.ts';
import type { MediaConfig } from '../config/schema.ts';
import { CARD_RATIO, CARD_STAGE, type Recipe } from './recipes.ts';

/** All recipes of a configuration, by purpose. All pictures share these arrays. */
export type RecipeBook = ReturnType<typeof recipeBook>;

/** Widths of a list's card at one and at two device pixels per CSS pixel. */
const NARROW_CARD = 320;
const WIDE_CARD = 640;
const FALLBACK_WIDTH = 640;
/** More than 800×600, which Google advises (GMC 11190670), and than 600×600, which Meta does. */
const FEED_WIDTH = 1280;
/** Maximum pictures of a vehicle in a feed. Meta accepts no more. */
export const FEED_PICTURES = 20;
/** Largest width of the copy of a full-size picture. */
const MIRROR_WIDTH = 2560;

/**
 * Quality and encoder effort by format, chosen by measurements of size, likeness and time. The formats that all
 * browsers support come first, the newest of them before older ones.
 */
const ENCODING: Readonly<Record<ImageFormat, Pick<Recipe, 'quality' | 'effort'>>> = {
  webp: { quality: 75, effort: 2 },
  jpeg: { quality: 78, effort: 0 },
  avif: { quality: 50, effort: 0 },
};

/**
 * The recipes of a configuration.
 *
 * @param feeds the configured feeds.
 */
export function recipeBook(media: MediaConfig, feeds: readonly unknown[] = []) {
  const recipe = (format: ImageFormat, width: number): Recipe => ({
    format,
    width,
    ...ENCODING[format],
  });
  // A single file has the format that most browsers support.
  const bySupport = Object.keys(ENCODING) as ImageFormat[];
  const best = bySupport.find((format) => media.formats.includes(format)) ?? 'webp';
  const position = media.crop;
  // Every width in every format, in the order of the configuration's formats.
  const fit = media.formats.flatMap((format) => media.widths.map((width) => recipe(format, width)));
  // For pages that can name only one file.
  const single = fit.filter(({ format }) => format === best);
  // For programs without WebP.
  const fallback = media.fallback === 'all' ? [recipe('jpeg', FALLBACK_WIDTH)] : [];
  const [first = best] = media.formats;
  const widest = media.widths.at(-1) ?? 0;
  // For the viewer.
  const large = media.viewerWidths
    .filter((width) => width > widest)
    .map((width) => ({ ...recipe(first, width), exact: true as const }));
  // A copy of the full-size picture.
  const full = media.fullSize === 'mirror' ? [recipe(best, MIRROR_WIDTH)] : [];
  // Crops of a first picture for cards of lists. CSS can show the middle of a full picture, so narrow cards need no
  // central crop.
  const isShownWhole =
    position === 'centre' &&
    media.widths.some((width) => width >= NARROW_CARD && width < WIDE_CARD);
  const card = (isShownWhole ? [WIDE_CARD] : [NARROW_CARD, WIDE_CARD]).map((width) => ({
    ...recipe(best, width),
    height: Math.round(width / CARD_RATIO),
    position,
  }));
  const picture = [...fit, ...large, ...fallback, ...full];
  // For cards of shared links: the decoder cannot read AVIF.
  const drawn = best === 'avif' ? [recipe('jpeg', CARD_STAGE.width)] : single;
  const feed = feeds.length > 0 ? [recipe('jpeg', FEED_WIDTH)] : [];
  // For the first pictures of a vehicle, and for the very first one.
  const inFeeds = feeds.length > 0 ? [...picture, ...feed] : picture;
  const cover = [...inFeeds, ...card, ...(drawn === single ? [] : drawn)];
  return { fit, single, fallback, large, full, card, drawn, feed, picture, inFeeds, cover };
}
