import { crc32 } from 'node:zlib';
import { vehicleSlug } from '../stock/address.ts';
import { sourceHash, type Vehicle, type VideoMedia } from '../stock/vehicle.ts';
import type { Withdrawn } from '../stock/withdrawn.ts';
import { FEED_PICTURES, type RecipeBook } from './recipe-book.ts';
import type { Recipe } from './recipes.ts';

/** One picture that pages need. */
export interface Source {
  /** Its key, see {@link sourceKey}. */
  key: string;
  /** URL of the picture. Undefined for a vehicle from a record, which may contain no URLs. */
  url?: string;
  /** Slug of the first vehicle that shows it: work is distributed by vehicle. */
  vehicle: string;
  vehicleDate: string;
  recipes: readonly Recipe[];
  /** Another picture can replace it (a video's still), so no gate counts it as missing. */
  optional?: true;
  /** The vehicle is withdrawn. The picture is shown while it has thumbnails, and never requested. */
  withdrawn?: true;
}

/** The next step for a source that needs work, and its reason. */
export type Step =
  /** The bytes are needed. */
  | { kind: 'download'; because: 'new' | 'outputs-missing' }
  /** A conditional request checks whether the bytes changed. */
  | { kind: 'revalidate'; because: 'vehicle-updated' | 'due' };

/**
 * Pictures of all vehicles and the stills of their videos, each source once. The cover of a vehicle is its
 * first picture, otherwise its first still. Pure: no clock, no files.
 */
export function planSources(
  vehicles: Iterable<Vehicle>,
  book: RecipeBook,
  posterOf: (video: VideoMedia) => string | undefined = () => undefined,
): Source[] {
  const sources = new Map<string, Source>();
  for (const vehicle of vehicles) {
    const pictures = vehicle.media.flatMap((media): (SourceOf & { optional?: true })[] => {
      if (media.kind === 'image') return [media];
      const url = posterOf(media);
      return url === undefined ? [] : [{ id: media.id, url, optional: true }];
    });
    const first = pictures.find(({ optional }) => !optional) ?? pictures[0];
    const advertised = new Set(
      pictures.filter(({ optional }) => !optional).slice(0, FEED_PICTURES),
    );
    for (const picture of pictures) {
      const ordinaryRecipes = advertised.has(picture) ? book.inFeeds : book.picture;
      const recipes = picture === first ? book.cover : ordinaryRecipes;
      const key = sourceKey(vehicle.dealerId, picture);
      const earlier = sources.get(key);
      if (earlier && earlier.recipes.length >= recipes.length) continue;
      const { slug, dateUpdated } = vehicle;
      const source: Source = { key, vehicle: slug, vehicleDate: dateUpdated, recipes };
      if (picture.url !== undefined) source.url = picture.url;
      if (picture.optional) source.optional = true;
      sources.set(key, source);
    }
  }
  return [...sources.values()];
}

/** Adds the first pictures of withdrawn vehicles, only in the sizes of lists. */
export function withWithdrawn(
  sources: readonly Source[],
  dealers: Iterable<{ dealer: { id: number }; withdrawn: readonly Withdrawn[] }>,
  { single, card }: Pick<RecipeBook, 'single' | 'card'>,
): Source[] {
  const all = new Map(sources.map((source) => [source.key, source]));
  const recipes = [...single, ...card];
  for (const { dealer, withdrawn } of dealers) {
    for (const { vrm, picture } of withdrawn) {
      const key = picture && sourceKey(dealer.id, picture);
      if (key === undefined || all.has(key)) continue;
      all.set(key, { key, vehicle: vehicleSlug(vrm), vehicleDate: '', recipes, withdrawn: true });
    }
  }
  return [...all.values()];
}

/** A picture of a dealer: its id, and its URL or the hash of the URL. */
export type SourceOf = { id: number } & ({ url: string } | { source: string; url?: string });

/**
 * Key of a source: dealer, media id, and a hash of both and the URL. It includes the URL, because the interface
 * does not guarantee that an id always means the same picture. The URL is hashed, because records are public
 * and URLs may contain private data.
 */
export function sourceKey(dealerId: number, image: SourceOf): string {
  const { id } = image;
  const source = 'source' in image ? image.source : sourceHash(dealerId, id, image.url);
  return `${dealerId}/${id} ${source}`;
}

/** Dealer and media id of a source key. They do not change if a picture moves to another URL. */
export const itemOf = (key: string): string => key.slice(0, key.indexOf(' '));

const DAY = 86_400_000;

/**
 * Whether an unchanged URL is due to be checked again: once in each period of `revalidateAfter`.
 * Each source has different periods, so that checks are spread over the builds. They depend only on key and
 * calendar, so every disk checks the same pictures on the same day.
 *
 * @param lastConfirmed when the dealer was last built with a response of its service. If that is
 *   unknown, or is in the future (the clock was set back), everything is due.
 */
export function isDue(
  key: string,
  lastConfirmed: number | undefined,
  now: number,
  revalidateAfter: number,
): boolean {
  if (lastConfirmed === undefined || lastConfirmed > now || revalidateAfter <= 0) return true;
  // In days, if `revalidateAfter` is long enough, so that the same sources are due all day.
  const unit = Math.min(DAY, revalidateAfter / 4);
  const units = Math.floor(revalidateAfter / unit);
  // Shifts the periods of each source by a different offset.
  const shift = Math.floor((crc32(key) / 2 ** 32) * units);
  const periodAt = (time: number) => Math.floor((Math.floor(time / unit) + shift) / units);
  return periodAt(now) !== periodAt(lastConfirmed);
}
