/** Answers that are not used, as the errors that say why. */
import type { LoadedConfig } from '../config/load.ts';
import type { DealerConfig } from '../config/schema.ts';
import { GateError, printable } from '../errors.ts';
import type { AcceptedAnswer } from './accept.ts';
import { isSuspicious, lossBetween, tooManyQuarantined } from './gates.ts';
import type { Snapshot } from './snapshot.ts';

/** The registration marks of some records or vehicles. */
export const vrms = (records: readonly { vrm: string }[]): string[] =>
  records.map(({ vrm }) => vrm);

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

/** An answer that lost too many vehicles to be believed. */
export function lossGate(
  answer: AcceptedAnswer,
  snapshot: Snapshot,
  dealer: DealerConfig,
  config: LoadedConfig,
): GateError | undefined {
  const loss = lossBetween(vrms(snapshot.records), vrms(answer.vehicles));
  if (!isSuspicious(loss, config.publish)) return undefined;
  const token = `${dealer.slug}@${snapshot.id}`;
  return new GateError({
    code: 'stock-vehicle-loss',
    what: `${loss.gone.length} of ${loss.before} vehicles of dealer ${dealer.id} (${dealer.name}) are gone at once.`,
    why: 'That is more than publish.maxVehicleLoss allows without a person saying so.',
    fix: `If they were really sold, run once with --accept-loss ${token}`,
  });
}
