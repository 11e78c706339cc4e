/** Checks of a response. Each returns the error that explains why the response is not used. */
import { hash } from 'node:crypto';
import type { LoadedConfig } from '../config/load.ts';
import type { DealerConfig, PublishConfig } from '../config/schema.ts';
import { GateError, printable } from '../errors.ts';
import { cut } from '../lib/cut.ts';
import { countText, firstOf } from '../lib/terminal/count-text.ts';
import type { AcceptedAnswer, AnswerCounts } from './accept.ts';
import { countMedia, type Vehicle, type VehicleMedia } from './vehicle.ts';

/** The vehicles of a dealer on the published site, if it could be read. */
export type PublishedVehicles =
  /** The dealer has pages. `why` is the reason if their vehicles are unknown. */
  | { state: 'live'; vrms: readonly string[]; why?: string }
  /** The dealer has no pages, or there is no site. */
  | { state: 'absent' }
  | { state: 'unknown'; why: string };

/** The plates of records or vehicles. */
export const vrms = (records: readonly { vrm: string }[]): string[] =>
  records.map(({ vrm }) => vrm);

/**
 * Token of a dealer's loss, for `--accept-loss`. It is the same on every machine, so a loss that one machine reports can
 * be accepted on another machine. It does not accept a loss that has changed since it was reported.
 *
 * @param before the stock or media before the loss.
 * @param loss the missing part, or the changed stock.
 */
export const lossToken = ({ slug }: { slug: string }, before: unknown, loss: unknown): string =>
  `${slug}@${hash('sha256', JSON.stringify([before, loss]), 'hex').slice(0, 12)}`;

const inOrder = (texts: Iterable<string>): string[] => [...new Set(texts)].sort();

/** Token of a loss of vehicles, in any order. */
export const vehiclesToken = (
  dealer: { slug: string },
  before: Iterable<string>,
  missing: Iterable<string>,
): string => lossToken(dealer, inOrder(before), inOrder(missing));

/** Error about a response with more vehicles or media items than the configuration allows. */
export function sizeGate(
  { vehicles, items }: { vehicles: number; items: number },
  dealer: DealerConfig,
  { service: { maxVehicles, maxItems } }: LoadedConfig,
): GateError | undefined {
  if (vehicles <= maxVehicles && items <= maxItems) return undefined;
  return new GateError({
    code: 'stock-too-many-vehicles',
    what: `The service lists ${countText(vehicles, 'vehicle')} with ${countText(items, 'media item')} for dealer ${dealer.id} (${dealer.name}).`,
    why: `At most ${maxVehicles} vehicles with ${maxItems} media items are used, because each vehicle would be a page.`,
    fix: 'Ask the vendor whether the interface has changed.',
  });
}

/** Error about a response in which too many records break the contract. */
export function quarantineGate(
  { counts: { vehicles, quarantine } }: AcceptedAnswer,
  dealer: Pick<DealerConfig, 'id' | 'name'>,
  config: { publish: Pick<PublishConfig, 'maxQuarantined'> },
): GateError | undefined {
  if (vehicles.quarantined <= vehicles.received * config.publish.maxQuarantined) return undefined;
  const [first] = quarantine;
  return new GateError({
    code: 'stock-too-many-quarantined',
    what: `${vehicles.quarantined} of ${countText(vehicles.received, 'record')} for dealer ${dealer.id} (${dealer.name}) break the contract.`,
    why: `That is more than publish.maxQuarantined (${config.publish.maxQuarantined * 100} %). The first: ${printable(`${first?.path} ${first?.message}`)}.`,
    fix: 'Ask the vendor whether the interface has changed.',
  });
}

type LossLimits = Pick<PublishConfig, 'maxVehicleLoss' | 'minVehicleLoss'>;

/**
 * The vehicles that are missing in `after`, if the user has to confirm the loss. Compares sets and not counts: if ten
 * vehicles are replaced by others, ten are missing.
 */
export function suspiciousLoss(
  before: readonly string[],
  after: readonly string[],
  limits: LossLimits,
): string[] {
  const afterVrms = new Set(after);
  const missing = before.filter((vrm) => !afterVrms.has(vrm));
  const isSuspicious =
    missing.length === before.length || isLarge(missing.length, before.length, limits);
  return isSuspicious ? missing : [];
}

/** Whether the number of missing vehicles, rows or media exceeds the limits. */
export const isLarge = (
  missing: number,
  total: number,
  { maxVehicleLoss, minVehicleLoss }: LossLimits,
): boolean => missing >= minVehicleLoss && missing > total * maxVehicleLoss;

/** Maximum number of plates in an error, and maximum length of a plate. */
const PLATES = 10;
const PLATE_LENGTH = 20;

/** Text of plates for an error: the first plates, and the number of the others. */
const platesText = (plates: readonly string[]): string =>
  firstOf(
    plates.map((vrm) => (vrm.trim() === '' ? '(empty)' : printable(cut(vrm, PLATE_LENGTH)))),
    PLATES,
  );

/** The options that accept losses. No command is printed, because each project and CI has a different one. */
export const acceptOptions = (tokens: Iterable<string>): string =>
  Array.from(tokens, (token) => `--accept-loss ${token}`).join(' ');

interface LossOptions {
  dealer: DealerConfig;
  config: LoadedConfig;
  /** Tokens of losses that the user accepted. */
  acceptLoss: readonly string[];
}

/**
 * Error about a response in which too many vehicles of the snapshot or of the published site are missing. Compares with
 * both, because a cache can be older than the site, and a manipulated site must not hide a loss.
 */
export function lossGate(
  answer: AcceptedAnswer,
  {
    last,
    live,
  }: {
    last: { vehicles: readonly { vrm: string }[] } | undefined;
    live: PublishedVehicles | undefined;
  },
  { dealer, config, acceptLoss }: LossOptions,
): GateError | undefined {
  const after = vrms(answer.vehicles);
  const afterVrms = new Set(after);
  const losses = new Map<string, { before: readonly string[]; missing: string[]; basis: string }>();
  const compare = (before: readonly string[], basis: string) => {
    const missing = suspiciousLoss(before, after, config.publish);
    if (missing.length === 0) return;
    const token = vehiclesToken(dealer, before, missing);
    // Usually both have the same vehicles, so one token is enough.
    if (acceptLoss.includes(token) || losses.has(token)) return;
    losses.set(token, { before, missing, basis });
  };
  if (last) compare(vrms(last.vehicles), 'the snapshot');
  if (live?.state === 'live') compare([...new Set(live.vrms)], 'the published site');
  const [loss] = losses.values();
  if (!loss) return undefined;
  const { missing } = loss;
  const before = new Set(loss.before);
  const added = [...afterVrms].filter((vrm) => !before.has(vrm));
  // If as many are new, the service may have renamed them.
  const addedText = added.length > 0 ? ` (new: ${added.length})` : '';
  const newPlate =
    added.length > 0 ? ` The first new one is ${platesText(added.slice(0, 1))}.` : '';
  return new GateError({
    code: 'stock-vehicle-loss',
    what: `${missing.length} of ${countText(loss.before.length, 'vehicle')} of dealer ${dealer.id} (${dealer.name}) ${missing.length > 1 ? 'are' : 'is'} missing${addedText}: ${platesText(missing)}.`,
    why: `The loss exceeds publish.maxVehicleLoss, compared with ${loss.basis}.${newPlate}`,
    fix: `If they were really sold or renamed, build once, or start the workflow, with ${acceptOptions(losses.keys())}`,
  });
}

type Kind = VehicleMedia['kind'];
type MediaOf = Pick<Vehicle, 'vrm' | 'media'>;

/** Fewer unusable media items do not need attention, unless all items are unusable. */
const MIN_UNUSABLE = 5;
/** Maximum number of unknown media types in a message. */
const NAMED_TYPES = 3;

/**
 * Pictures or videos that vehicles in both lists lost. Media of sold vehicles do not count: they belong to the loss of
 * vehicles. Compares counts and not ids, so replaced pictures do not count.
 */
function lostMedia(
  before: readonly MediaOf[],
  after: ReadonlyMap<string, MediaOf>,
  kind: Kind,
): { missing: number; of: number; plates: string[] } {
  const loss = { missing: 0, of: 0, plates: [] as string[] };
  for (const vehicle of before) {
    const current = after.get(vehicle.vrm);
    if (!current) continue;
    const count = countMedia([vehicle], kind);
    const missing = Math.max(0, count - countMedia([current], kind));
    loss.of += count;
    loss.missing += missing;
    if (missing > 0) loss.plates.push(vehicle.vrm);
  }
  return loss;
}

/** Describes the unusable media items of a response. Empty if there are none. */
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

/** Whether so many media items are unusable that the dealer needs attention. */
export function tooManyUnusable(
  { received, quarantined, unknownType }: AnswerCounts['items'],
  { maxQuarantined }: Pick<PublishConfig, 'maxQuarantined'>,
): boolean {
  const unusable = quarantined + unknownType;
  if (unusable < MIN_UNUSABLE && unusable < received) return false;
  return unusable > received * maxQuarantined;
}

/**
 * Error about a response whose vehicles lost too many pictures or videos since they were last published. The limits are
 * the limits for vehicles. If a dealer loses its last picture, the response is always held. If it loses its last video,
 * the minimum applies, because many dealers have only a few.
 */
export function mediaLossGate(
  { vehicles, counts }: AcceptedAnswer,
  last: { vehicles: readonly Vehicle[] } | undefined,
  { dealer, config, acceptLoss }: LossOptions,
): GateError | undefined {
  if (!last) return undefined;
  const { maxVehicleLoss } = config.publish;
  const after = new Map(vehicles.map((vehicle) => [vehicle.vrm, vehicle]));
  let limit = `This exceeds publish.maxVehicleLoss (${Math.round(maxVehicleLoss * 100)} %).`;
  const losses = (['image', 'video'] as const).flatMap((kind) => {
    const { missing, of, plates } = lostMedia(last.vehicles, after, kind);
    if (missing === 0) return [];
    const isLastPicture =
      kind === 'image' && vehicles.every((vehicle) => countMedia([vehicle], kind) === 0);
    if (!isLarge(missing, of, config.publish) && !isLastPicture) return [];
    if (isLastPicture) limit = 'No picture is left.';
    const text = `${missing} of ${countText(of, kind === 'image' ? 'picture' : 'video')}`;
    return [{ kind, missing, text, plates }];
  });
  if (losses.length === 0) return undefined;
  const counted = last.vehicles.map((vehicle) =>
    JSON.stringify([vehicle.vrm, countMedia([vehicle], 'image'), countMedia([vehicle], 'video')]),
  );
  const lost = losses.flatMap(({ kind, missing, plates }) => [`${kind} ${missing}`, ...plates]);
  const token = vehiclesToken(dealer, counted, lost);
  if (acceptLoss.includes(token)) return undefined;
  const unusable = unusableText(counts);
  const plates = [...new Set(losses.flatMap((loss) => loss.plates))];
  return new GateError({
    code: 'stock-media-loss',
    what: `${losses.map(({ text }) => text).join(' and ')} of dealer ${dealer.id} (${dealer.name}) disappeared at once: ${platesText(plates)}.`,
    why: `Vehicles that are still listed have them in the snapshot. ${limit}${unusable && ` Of ${counts.items.received} media items, ${unusable}.`}`,
    fix: `Ask the vendor. If they were really removed, build once, or start the workflow, with ${acceptOptions([token])}`,
  });
}
