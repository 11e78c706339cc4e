/** Checks of the media in an answer: those that were published and are gone, and those that cannot be used. */
import { hash } from 'node:crypto';
import type { LoadedConfig } from '../config/load.ts';
import type { DealerConfig, PublishConfig } from '../config/schema.ts';
import { GateError, printable } from '../errors.ts';
import { countText } from '../lib/terminal/count-text.ts';
import type { AcceptedAnswer, AnswerCounts } from './accept.ts';
import { acceptCommand, platesText } from './refusals.ts';
import type { Vehicle, VehicleMedia } from './vehicle.ts';

type Kind = VehicleMedia['kind'];
type MediaOf = Pick<Vehicle, 'vrm' | 'media'>;

/** Fewer unusable media items than this need no attention, unless all items are unusable. */
const MIN_UNUSABLE = 5;
/** Unknown media types that a message names. */
const NAMED_TYPES = 3;

const countOf = ({ media }: MediaOf, kind: Kind): number =>
  media.reduce((count, one) => count + (one.kind === kind ? 1 : 0), 0);

/**
 * Pictures or videos that vehicles in both lists lost. Media of sold vehicles are not a loss of media: the
 * loss of vehicles counts them. Counts are compared rather than ids, so replaced pictures are not a loss.
 */
function lostMedia(
  before: readonly MediaOf[],
  after: ReadonlyMap<string, MediaOf>,
  kind: Kind,
): { missing: number; of: number; plates: string[] } {
  const loss = { missing: 0, of: 0, plates: [] as string[] };
  for (const vehicle of before) {
    const now = after.get(vehicle.vrm);
    if (!now) continue;
    const count = countOf(vehicle, kind);
    const missing = Math.max(0, count - countOf(now, kind));
    loss.of += count;
    loss.missing += missing;
    if (missing > 0) loss.plates.push(vehicle.vrm);
  }
  return loss;
}

/** Names vehicles with the numbers of their media, for `--accept-loss`, as `vehiclesId` names vehicles. */
export function mediaId(vehicles: readonly MediaOf[]): string {
  const counts = vehicles.map((one) => [one.vrm, countOf(one, 'image'), countOf(one, 'video')]);
  const sorted = counts.map((one) => JSON.stringify(one)).sort();
  return hash('sha256', sorted.join('\n'), 'hex').slice(0, 12);
}

/** The unusable media items of an answer, in words; empty if there are none. */
export function unusableText({ items, unknownTypes }: AnswerCounts): string {
  const names = Object.keys(unknownTypes);
  const more = names.length > NAMED_TYPES ? ', …' : '';
  const types = printable(names.slice(0, NAMED_TYPES).join(', ')) + more;
  return [
    items.unknownType > 0 ? `${items.unknownType} have an unknown type (${types})` : '',
    items.quarantined > 0 ? `${items.quarantined} break the contract or have no usable URL` : '',
  ]
    .filter((text) => text !== '')
    .join(', ');
}

/** Whether so many media items cannot be used that the dealer needs attention. */
export function tooManyUnusable(
  { received, quarantined, unknownType }: AnswerCounts['items'],
  { maxQuarantined }: Pick<PublishConfig, 'maxQuarantined'>,
): boolean {
  const unusable = quarantined + unknownType;
  if (unusable < MIN_UNUSABLE && unusable < received) return false;
  return unusable > received * maxQuarantined;
}

/**
 * Error about an answer whose vehicles lost too many pictures or videos since they were last published. The
 * limits are those for vehicles. A dealer that loses its last picture is always held; one that loses its
 * last video only above the minimum, because many dealers have just a few.
 */
export function mediaLossGate(
  { vehicles, counts }: AcceptedAnswer,
  last: { vehicles: readonly Vehicle[] } | undefined,
  {
    dealer,
    config,
    acceptLoss,
  }: { dealer: DealerConfig; config: LoadedConfig; acceptLoss: readonly string[] },
): GateError | undefined {
  if (!last) return undefined;
  const { maxVehicleLoss, minVehicleLoss } = config.publish;
  const after = new Map(vehicles.map((vehicle) => [vehicle.vrm, vehicle]));
  let limit = `This exceeds publish.maxVehicleLoss (${Math.round(maxVehicleLoss * 100)} %).`;
  const losses = (['image', 'video'] as const).flatMap((kind) => {
    const { missing, of, plates } = lostMedia(last.vehicles, after, kind);
    if (missing === 0) return [];
    const isLarge = missing >= minVehicleLoss && missing > of * maxVehicleLoss;
    const isLastPicture = kind === 'image' && vehicles.every((one) => countOf(one, kind) === 0);
    if (!isLarge && !isLastPicture) return [];
    if (isLastPicture) limit = 'No picture is left.';
    return [
      { text: `${missing} of ${countText(of, kind === 'image' ? 'picture' : 'video')}`, plates },
    ];
  });
  const token = `${dealer.slug}@${mediaId(last.vehicles)}`;
  if (losses.length === 0 || acceptLoss.includes(token)) return undefined;
  const unusable = unusableText(counts);
  const plates = [...new Set(losses.flatMap((loss) => loss.plates))];
  return new GateError({
    code: 'stock-media-loss',
    what: `${losses.map(({ text }) => text).join(' and ')} of dealer ${dealer.id} (${dealer.name}) are gone at once: ${platesText(plates)}.`,
    why: `Vehicles that are still listed had them in the last good answer. ${limit}${unusable && ` Of ${counts.items.received} media items, ${unusable}.`}`,
    fix: `Ask the vendor. If they were really removed, run once: ${acceptCommand([token])}`,
  });
}
