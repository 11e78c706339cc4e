/** Checks of an answer: each gives the error that explains why the answer is not used. */

import { hash } from 'node:crypto';
import type { LoadedConfig } from '../config/load.ts';
import type { DealerConfig, PublishConfig } from '../config/schema.ts';
import { GateError, printable } from '../errors.ts';
import { countText, firstOf } from '../lib/terminal/count-text.ts';
import type { AcceptedAnswer } from './accept.ts';
import type { PublishedVehicles } from './published.ts';

/** The registration marks of some records or vehicles. */
export const vrms = (records: readonly { vrm: string }[]): string[] =>
  records.map(({ vrm }) => vrm);

/**
 * Id of a set of vehicles, for `--accept-loss`. It is the same on every machine, so that a person can
 * accept a loss on another machine than the one that reported it.
 */
export function vehiclesId(vrms: Iterable<string>): string {
  return hash('sha256', JSON.stringify([...new Set(vrms)].sort()), 'hex').slice(0, 12);
}

/** Error about an answer of more vehicles than the configuration allows. */
export function sizeGate(
  received: number,
  dealer: DealerConfig,
  { service: { maxVehicles } }: LoadedConfig,
): GateError | undefined {
  if (received <= maxVehicles) return undefined;
  return new GateError({
    code: 'stock-too-many-vehicles',
    what: `The service lists ${countText(received, 'vehicle')} for dealer ${dealer.id} (${dealer.name}).`,
    why: `That is more than ${maxVehicles}; each would be a page.`,
    fix: 'Ask the vendor whether the operation has changed.',
  });
}

/** Whether so many records break the contract that the whole answer is not used. */
export function tooManyQuarantined(
  { received, quarantined }: { received: number; quarantined: number },
  { maxQuarantined }: Pick<PublishConfig, 'maxQuarantined'>,
): boolean {
  return received > 0 && quarantined > received * maxQuarantined;
}

/** Error about an answer of which too much breaks the contract. */
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
    what: `${vehicles.quarantined} of ${countText(vehicles.received, 'record')} for dealer ${dealer.id} (${dealer.name}) break the contract.`,
    why: `That is more than publish.maxQuarantined (${config.publish.maxQuarantined * 100} %). The first: ${printable(`${first?.path} ${first?.message}`)}.`,
    fix: 'Ask the vendor whether the operation has changed; see docs/operations.md.',
  });
}

/**
 * The number of vehicles that `after` lacks, if it is so large that a person has to confirm it; else 0.
 * Sets are compared rather than counts: ten vehicles replaced by others are ten missing.
 */
export function suspiciousLoss(
  before: readonly string[],
  after: readonly string[],
  { maxVehicleLoss, minVehicleLoss }: Pick<PublishConfig, 'maxVehicleLoss' | 'minVehicleLoss'>,
): number {
  const listed = new Set(after);
  const missing = before.filter((vrm) => !listed.has(vrm)).length;
  const isSmall = missing < minVehicleLoss || missing <= before.length * maxVehicleLoss;
  return isSmall && missing < before.length ? 0 : missing;
}

/** How many plates an error lists, and the longest text of one. */
const PLATES = 10;
const PLATE_LENGTH = 20;

function shortPlate(vrm: string): string {
  if (vrm.trim() === '') return '(empty)';
  return printable(vrm.length > PLATE_LENGTH ? `${vrm.slice(0, PLATE_LENGTH - 1)}…` : vrm);
}

/** Plates for an error: the first ones, and how many more there are. */
export const platesText = (plates: readonly string[]): string =>
  firstOf(plates.map(shortPlate), PLATES);

/** The command that accepts losses. */
export const acceptCommand = (tokens: Iterable<string>): string =>
  `npm run build -- ${Array.from(tokens, (token) => `--accept-loss ${token}`).join(' ')}`;

/**
 * Error about an answer that lacks too many vehicles of the last good answer, or of those that the
 * published site lists. It is compared with both, since a cache can be older than the site, and an
 * altered site must not hide a loss.
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
  const listed = new Set(after);
  const losses = new Map<string, { missing: string[]; of: number; what: string }>();
  const compare = (its: readonly string[], what: string) => {
    const token = `${dealer.slug}@${vehiclesId(its)}`;
    if (acceptLoss.includes(token) || suspiciousLoss(its, after, config.publish) === 0) return;
    const missing = its.filter((vrm) => !listed.has(vrm));
    // Usually both have the same vehicles, for which one token is enough.
    if (!losses.has(token)) losses.set(token, { missing, of: its.length, what });
  };
  if (before.last) compare(vrms(before.last.vehicles), 'the last good answer');
  if (before.live?.state === 'live') compare([...new Set(before.live.vrms)], 'the published site');
  const [loss] = losses.values();
  if (!loss) return undefined;
  return new GateError({
    code: 'stock-vehicle-loss',
    what: `${loss.missing.length} of ${countText(loss.of, 'vehicle')} of dealer ${dealer.id} (${dealer.name}) are missing: ${platesText(loss.missing)}.`,
    why: `They are in ${loss.what}. The loss exceeds publish.maxVehicleLoss.`,
    fix: `If they were really sold, run once: ${acceptCommand(losses.keys())}`,
  });
}
