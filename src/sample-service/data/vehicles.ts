import { type MediaItem, timestamp, type VehicleMediaRecord } from '../../contract/media.ts';
import names from './names.json' with { type: 'json' };
import { type Random, randomOf } from './random.ts';
import { BASE_URL, hostedCode, type SampleDealer } from './store.ts';

export interface VehicleShape {
  /** The same seed gives the same data and the same picture bytes. */
  seed: number;
  /** Number of dealers, with ids from 7001. */
  dealers: number;
  /** Vehicles per dealer. */
  vehicles: number;
  /** Approximate images per vehicle: the count varies from 0.4 to 1.75 times this, at least 1. */
  images: number;
  /** The moment at which the data was recorded, milliseconds since 1970. */
  now: number;
}

/** Kinds of videos, distributed so that a dealer of ten vehicles has all of them. */
type VideoKind = 'hosted' | 'player' | 'both' | 'none';
const VIDEO_KINDS: readonly VideoKind[] = ['hosted', 'player', 'none', 'hosted', 'both'];

/** The sixth vehicle of every dealer has no media. The ninth has videos but no image. */
const WITHOUT_MEDIA = 5;
const WITHOUT_IMAGES = 8;

/**
 * Number plates that break naive page URLs. Three that differ only in a space or in letter case are in one
 * group, because only vehicles of the same dealer could get the same page.
 */
const ODD_MARKS: readonly (readonly string[])[] = [
  ['AB 12', 'AB12', 'ab12', ''],
  ['..', 'CON'],
  ['🚗💨 VROOM', 'LONG'.padEnd(300, ' PLATE')],
];

/** Fewest vehicles per dealer for odd plates. With fewer, hardly any ordinary plates would remain. */
const VEHICLES_FOR_ODD_MARKS = 10;

const FIRST_DEALER_ID = 7001;
const IDS_PER_DEALER = 100_000_000;
const IDS_PER_VEHICLE = 1000;
const DAY_MS = 86_400_000;

/** The dealers of the sample service with their vehicles, newest first within a dealer. */
export function generateDealers(shape: VehicleShape): SampleDealer[] {
  const odd = oddMarksByDealer(shape);
  return Array.from({ length: shape.dealers }, (_, index) => {
    const id = FIRST_DEALER_ID + index;
    const marks = odd[index] ?? [];
    const usedMarks = new Set<string>();
    const vehicles = Array.from({ length: shape.vehicles }, (_, position) => {
      const random = randomOf(shape.seed, 'vehicle', id, position);
      const mark =
        marks[position - (shape.vehicles - marks.length)] ?? ordinaryMark(random, usedMarks);
      return vehicle(shape, random, index, position, mark);
    });
    return { id, name: names.dealers[index] ?? `Dealer ${id}`, vehicles };
  });
}

function oddMarksByDealer({ dealers, vehicles }: VehicleShape): string[][] {
  const lists: string[][] = Array.from({ length: dealers }, () => []);
  if (vehicles < VEHICLES_FOR_ODD_MARKS) return lists;
  for (const [index, group] of ODD_MARKS.entries()) lists[index % dealers]?.push(...group);
  return lists;
}

/** A plate in the form since 2001, such as AB12CDE, unique within its dealer. */
function ordinaryMark(random: Random, usedMarks: Set<string>): string {
  const letters = (count: number, from: string): string =>
    Array.from({ length: count }, () => random.pick([...from])).join('');
  for (;;) {
    const age = random.int(15, 25) + (random.chance(0.5) ? 50 : 0);
    const mark = `${letters(2, 'ABCDEFGHKLMNOPRSTUVWY')}${age}${letters(3, 'ABCDEFGHJKLMNOPRSTUVWXYZ')}`;
    if (usedMarks.has(mark)) continue;
    usedMarks.add(mark);
    return mark;
  }
}

function vehicle(
  shape: VehicleShape,
  random: Random,
  dealerIndex: number,
  position: number,
  vrm: string,
): VehicleMediaRecord {
  const firstId = (dealerIndex + 1) * IDS_PER_DEALER + position * IDS_PER_VEHICLE + 1;
  const dateUpdated = timestamp(
    shape.now - position * 0.6 * DAY_MS - random.int(1, DAY_MS / 2000) * 1000,
  );
  if (position === WITHOUT_MEDIA) return { vrm, dateUpdated, mediaList: [] };

  const target = Math.round(shape.images * random.between(0.4, 1.75));
  const imageCount = Math.min(Math.max(target, 1), IDS_PER_VEHICLE - 10);
  const images: MediaItem[] = Array.from(
    { length: position === WITHOUT_IMAGES ? 0 : imageCount },
    (_, index) => ({
      id: firstId + index,
      type: 'Image',
      label: `Image ${index + 1}`,
      mediaUrl: `${BASE_URL}/pictures/${firstId + index}.jpg`,
    }),
  );
  const videos = videosOf(random, firstId + IDS_PER_VEHICLE - 10, position);
  // The video usually comes first. Sometimes it is last or among the images.
  const at = random.pick([0, 0, 0, 0, images.length, Math.floor(images.length / 2)]);
  return {
    vrm,
    dateUpdated,
    mediaList: [...images.slice(0, at), ...videos, ...images.slice(at)],
  };
}

function videosOf(random: Random, firstId: number, position: number): MediaItem[] {
  const kind: VideoKind =
    position === WITHOUT_IMAGES ? 'hosted' : (VIDEO_KINDS[position % VIDEO_KINDS.length] ?? 'none');
  const first = random.int(0, names.videoLabels.length - 1);
  const label = (index: number): string =>
    names.videoLabels[(first + index) % names.videoLabels.length] ?? 'Video';
  if (kind === 'none') return [];
  if (kind === 'hosted') return [hostedVideo(firstId, label(0))];
  if (kind === 'player') return [playerVideo(firstId, label(0))];
  return [hostedVideo(firstId, label(0)), playerVideo(firstId + 1, label(1))];
}

/** A video with only a player page: the three optional fields are absent (2.2). */
const playerVideo = (id: number, label: string): MediaItem => ({
  id,
  type: 'Video',
  label,
  mediaUrl: `${BASE_URL}/player/${id}`,
});

function hostedVideo(id: number, label: string): MediaItem {
  const code = hostedCode(id);
  const embed = `${BASE_URL}/hosted/embed/${code}?rel=0`;
  return {
    ...playerVideo(id, label),
    hostedVideoUrl: embed,
    hostedVideoEmbedHtml: `<iframe width="560" height="315" src="${embed}" title="${label}" frameborder="0" allow="autoplay; encrypted-media; picture-in-picture" allowfullscreen></iframe>`,
    hostedVideoWatchUrl: `${BASE_URL}/hosted/watch?v=${code}`,
  };
}
