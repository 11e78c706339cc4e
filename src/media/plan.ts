import type { Vehicle, VideoMedia } from '../stock/vehicle.ts';
import { outputEnds, type Recipe, type RecipeBook, recipesFor } from './recipes.ts';
import type { Picture, SourceEntry } from './store/dealer-file.ts';
import { OutputNames } from './store/output-names.ts';

/** One picture that is needed, whoever shows it. */
export interface Source {
  /** Its name in the manifest, see {@link sourceKey}; its address is the end of it. */
  key: string;
  /** The address part of the first vehicle that shows it: work is handed out by vehicle. */
  vehicle: string;
  vehicleDate: string;
  recipes: readonly Recipe[];
  /** Something else is shown where it cannot be had (a video's still): no gate counts it. */
  optional?: true;
}

/** What is to be done for a source, and why. */
export type Step =
  | { kind: 'nothing' }
  /** The bytes are needed. */
  | { kind: 'download'; because: 'new' | 'outputs-missing' }
  /** Ask whether they changed. */
  | { kind: 'revalidate'; because: 'vehicle-updated' | 'due' };

/**
 * Pictures of all vehicles, each source once, and the stills of their videos. The first picture of a
 * vehicle is its cover; where it has none, its first still. Pure: no clock, no files.
 */
export function planSources(
  vehicles: Iterable<Vehicle>,
  book: RecipeBook,
  posterOf: (video: VideoMedia) => string | undefined = () => undefined,
): Source[] {
  const sources = new Map<string, Source>();
  const picture = recipesFor(book, 'picture');
  const cover = recipesFor(book, 'cover');
  for (const vehicle of vehicles) {
    const needed = vehicle.media.flatMap(
      (media): { id: number; url: string; optional?: true }[] => {
        if (media.kind === 'image') {
          const { id, url } = media;
          return url === undefined ? [] : [{ id, url }];
        }
        const url = posterOf(media);
        return url === undefined ? [] : [{ id: media.id, url, optional: true }];
      },
    );
    const first = needed.find(({ optional }) => !optional) ?? needed[0];
    for (const one of needed) {
      const recipes = one === first ? cover : picture;
      const key = sourceKey(vehicle.dealerId, one);
      const known = sources.get(key);
      if (known && known.recipes.length >= recipes.length) continue;
      const { slug, dateUpdated } = vehicle;
      const source: Source = { key, vehicle: slug, vehicleDate: dateUpdated, recipes };
      if (one.optional) source.optional = true;
      sources.set(key, source);
    }
  }
  return [...sources.values()];
}

/**
 * Name of a source: dealer, media id and address. The address belongs to it, because nothing in the
 * interface says that an id names one picture for ever.
 */
export function sourceKey(dealerId: number, image: { id: number; url?: string }): string {
  return `${dealerId}/${image.id} ${image.url ?? ''}`;
}

/** The address that a source is at. */
export const addressOf = ({ key }: Pick<Source, 'key'>): string => key.slice(key.indexOf(' ') + 1);

/** A number from 0 to 1 that depends on the text alone (FNV-1a). */
function fraction(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return (hash >>> 0) / 2 ** 32;
}

const DAY = 86_400_000;

/** Units of a period of checks, and how long one is in milliseconds: a day where that is fine enough. */
function periodOf(revalidateAfter: number): { unit: number; units: number } {
  const unit = Math.min(DAY, revalidateAfter / 4);
  return { unit, units: Math.floor(revalidateAfter / unit / 2) };
}

/** Number of the period that a moment lies in; each source's periods begin at a moment of its own. */
function periodAt(key: string, time: number, revalidateAfter: number): number {
  const { unit, units } = periodOf(revalidateAfter);
  return Math.floor((Math.floor(time / unit) + Math.floor(fraction(key) * units)) / units);
}

/**
 * Whether an unchanged address is due to be asked again. Each source has its own moment between
 * half and the whole of `revalidateAfter`, so that not all fall on one night. These moments are
 * fixed by key and calendar, not counted from the last check: so {@link checkedAtEarliest} can
 * say of any build how old its checks are at most. A check that lies in the future (the clock was
 * set back) counts as due.
 */
export function isDue(
  key: string,
  checkedAt: number,
  now: number,
  revalidateAfter: number,
): boolean {
  const age = now - checkedAt;
  if (age < 0 || age >= revalidateAfter) return true;
  const { unit, units } = periodOf(revalidateAfter);
  const half = unit * units;
  if (age < half) return false;
  return periodAt(key, now, revalidateAfter) !== periodAt(key, checkedAt + half, revalidateAfter);
}

/**
 * The earliest time at which a source can have been checked last, if a build at `time` found that
 * it was not due: half of `revalidateAfter` before the period that began last. Who takes that for
 * the last check asks again when the next period begins, so never later than `revalidateAfter`.
 */
export function checkedAtEarliest(key: string, time: number, revalidateAfter: number): number {
  const { unit, units } = periodOf(revalidateAfter);
  const phase = Math.floor(fraction(key) * units);
  const start = (periodAt(key, time, revalidateAfter) * units - phase) * unit;
  return start - unit * units;
}

export interface StepInput {
  entry: SourceEntry | undefined;
  content: Picture | undefined;
  /** Whether the outputs of a picture with these ends are in the store, see `outputEnds`. */
  hasAll: (hash: string, ends: readonly string[]) => boolean;
  now: number;
  revalidateAfter: number;
}

/** The difference between what a source should have and what the store has. Pure. */
export function nextStep(source: Source, input: StepInput): Step {
  const { entry, content, hasAll, now, revalidateAfter } = input;
  if (!entry || !content) return { kind: 'download', because: 'new' };
  if (!hasAll(entry.hash, outputEnds(content, source.recipes))) {
    return { kind: 'download', because: 'outputs-missing' };
  }
  if (entry.vehicleDate !== source.vehicleDate) {
    return { kind: 'revalidate', because: 'vehicle-updated' };
  }
  if (isDue(source.key, entry.checkedAt, now, revalidateAfter)) {
    return { kind: 'revalidate', because: 'due' };
  }
  return { kind: 'nothing' };
}

/** What is in a store although nothing plans it, of the sources whose bytes are known. */
export function unplannedOutputs(
  existing: OutputNames,
  sources: readonly Source[],
  contentOf: (key: string) => ({ hash: string } & Picture) | undefined,
): Set<string> {
  const planned = new OutputNames();
  for (const { key, recipes } of sources) {
    const content = contentOf(key);
    if (content) planned.addPictures(outputEnds(content, recipes), [content.hash]);
  }
  return new Set(existing.without(planned));
}
