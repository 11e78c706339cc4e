/** Answers that are not used, as the errors that say why. */
import { hash } from 'node:crypto';
import type { LoadedConfig } from '../config/load.ts';
import type { DealerConfig, PublishConfig } from '../config/schema.ts';
import { GateError, printable } from '../errors.ts';
import type { AcceptedAnswer } from './accept.ts';
import type { PublishedVehicles } from './published.ts';

/** The registration marks of some records or vehicles. */
export const vrms = (records: readonly { vrm: string }[]): string[] =>
  records.map(({ vrm }) => vrm);

/**
 * Names a set of vehicles, for `--accept-loss`: the same wherever they are remembered, so that a
 * person may accept on another machine what was held on this one.
 */
export function vehiclesId(vrms: Iterable<string>): string {
  return hash('sha256', JSON.stringify([...new Set(vrms)].sort()), 'hex').slice(0, 12);
}

/** An answer of more vehicles than the configuration allows. */
export function sizeGate(
  received: number,
  dealer: DealerConfig,
  { service: { maxVehicles } }: LoadedConfig,
): GateError | undefined {
  if (received <= maxVehicles) return undefined;
  return new GateError({
    code: 'stock-too-many-vehicles',
    what: `The service lists ${received} vehicles for dealer ${dealer.id} (${dealer.name}).`,
    why: `That is more than service.maxVehicles (${maxVehicles}); each would be a page.`,
    fix: 'If the dealer really has so many, raise service.maxVehicles.',
  });
}

/** Whether so many records broke the contract that the answer as a whole cannot be trusted. */
export function tooManyQuarantined(
  { received, quarantined }: { received: number; quarantined: number },
  { maxQuarantined }: Pick<PublishConfig, 'maxQuarantined'>,
): boolean {
  return received > 0 && quarantined > received * maxQuarantined;
}

/** An answer of which too much breaks the contract. */
export function quarantineGate(
  answer: AcceptedAnswer,
  dealer: DealerConfig,
  config: LoadedConfig,
): GateError | undefined {
  const { vehicles, quarantine } = answer.counts;
  if (!tooManyQuarantined(vehicles, config.publish)) return undefined;
  const [first] = quarantine;
  return new GateError({
    code: 'stock-too-many-quarantined',
    what: `${vehicles.quarantined} of ${vehicles.received} records for dealer ${dealer.id} (${dealer.name}) break the contract.`,
    why: `That is more than publish.maxQuarantined (${config.publish.maxQuarantined * 100} %). The first: ${printable(`${first?.path} ${first?.message}`)}.`,
    fix: 'Ask the vendor whether the operation has changed; see docs/operations.md.',
  });
}

/**
 * How many vehicles `after` no longer lists, where that is too many to be believed without a person
 * saying so; else 0. Sets are compared, not counts: ten swapped are ten gone.
 */
export function suspiciousLoss(
  before: readonly string[],
  after: readonly string[],
  { maxVehicleLoss, minVehicleLoss }: Pick<PublishConfig, 'maxVehicleLoss' | 'minVehicleLoss'>,
): number {
  const listed = new Set(after);
  const gone = before.filter((vrm) => !listed.has(vrm)).length;
  const isSmall = gone < minVehicleLoss || gone <= before.length * maxVehicleLoss;
  return isSmall && gone < before.length ? 0 : gone;
}

/**
 * An answer that lost too many vehicles to be believed, of those in the last good answer or of those
 * that the published site lists. Both count, since a cache can be older than the site, and a site that
 * somebody altered must not hide a loss.
 */
export function lossGate(
  answer: AcceptedAnswer,
  before: {
    last: { vehicles: readonly { vrm: string }[] } | undefined;
    live: PublishedVehicles | undefined;
  },
  {
    dealer,
    config,
    acceptLoss,
  }: { dealer: DealerConfig; config: LoadedConfig; acceptLoss: readonly string[] },
): GateError | undefined {
  const after = vrms(answer.vehicles);
  const losses = new Map<string, { gone: number; of: number; what: string }>();
  const compare = (its: readonly string[], what: string) => {
    const token = `${dealer.slug}@${vehiclesId(its)}`;
    const gone = acceptLoss.includes(token) ? 0 : suspiciousLoss(its, after, config.publish);
    // Nearly always both have the same vehicles, which are named once.
    if (gone > 0 && !losses.has(token)) losses.set(token, { gone, of: its.length, what });
  };
  if (before.last) compare(vrms(before.last.vehicles), 'the last good answer');
  if (before.live?.state === 'live') compare([...new Set(before.live.vrms)], 'the published site');
  const [loss] = losses.values();
  if (!loss) return undefined;
  return new GateError({
    code: 'stock-vehicle-loss',
    what: `${loss.gone} of ${loss.of} vehicles of dealer ${dealer.id} (${dealer.name}) are gone at once.`,
    why: `They are in ${loss.what}. That is more than publish.maxVehicleLoss allows without a person saying so.`,
    fix: `If they were really sold, run once with ${Array.from(losses.keys(), (token) => `--accept-loss ${token}`).join(' ')}`,
  });
}
