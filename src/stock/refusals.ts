/** Answers that are not used, as the errors that say why. */
import { hash } from 'node:crypto';
import type { LoadedConfig } from '../config/load.ts';
import type { DealerConfig } from '../config/schema.ts';
import { GateError, printable } from '../errors.ts';
import type { AcceptedAnswer } from './accept.ts';
import { isSuspicious, lossBetween, tooManyQuarantined } from './gates.ts';
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

/** What an answer is compared with, and how a person names it. */
export interface LossBasis {
  /** Names exactly these vehicles, for `--accept-loss`. */
  id: string;
  vrms: readonly string[];
  /** In words, for the error. */
  what: string;
}

/**
 * What was there before: the last good answer, and what the published site lists. Both count, since
 * a cache can be older than the site, and a site that somebody altered must not hide a loss.
 */
export function lossBases(
  last: { vehicles: readonly { vrm: string }[] } | undefined,
  published: PublishedVehicles | undefined,
): LossBasis[] {
  const bases: LossBasis[] = [];
  if (last) {
    const its = vrms(last.vehicles);
    bases.push({ id: vehiclesId(its), vrms: its, what: 'the last good answer' });
  }
  if (published?.state === 'live') {
    const its = [...new Set(published.vrms)];
    const id = vehiclesId(its);
    // Nearly always the same vehicles, which are named once.
    if (id !== bases[0]?.id) bases.push({ id, vrms: its, what: 'the published site' });
  }
  return bases;
}

/** An answer that lost too many vehicles to be believed. */
export function lossGate(
  answer: AcceptedAnswer,
  bases: readonly LossBasis[],
  {
    dealer,
    config,
    acceptLoss,
  }: { dealer: DealerConfig; config: LoadedConfig; acceptLoss: readonly string[] },
): GateError | undefined {
  const after = vrms(answer.vehicles);
  const losses = bases
    .map(({ id, vrms: before, what }) => ({
      token: `${dealer.slug}@${id}`,
      what,
      ...lossBetween(before, after),
    }))
    .filter((loss) => isSuspicious(loss, config.publish) && !acceptLoss.includes(loss.token));
  const [loss] = losses;
  if (!loss) return undefined;
  return new GateError({
    code: 'stock-vehicle-loss',
    what: `${loss.gone.length} of ${loss.before} vehicles of dealer ${dealer.id} (${dealer.name}) are gone at once.`,
    why: `They are in ${loss.what}. That is more than publish.maxVehicleLoss allows without a person saying so.`,
    fix: `If they were really sold, run once with ${losses.map(({ token }) => `--accept-loss ${token}`).join(' ')}`,
  });
}
