import { z } from 'zod';
import { LONGEST } from '../contract/media.ts';
import { vehicleSlug } from './address.ts';
import type { DealerFacts } from './facts.ts';
import { comparablePlate } from './plate.ts';
import { SOURCE_HASH, type Vehicle } from './vehicle.ts';
import { vehicleFactsSchema } from './vehicle-facts.ts';

/** Facts for the name, the status and the similar vehicles of a withdrawn vehicle. */
const keptFactsSchema = vehicleFactsSchema.pick({
  ...{ make: true, model: true, variant: true, year: true, price: true, body: true, status: true },
});

const KEPT_FACTS = Object.keys(keptFactsSchema.shape) as (keyof NonNullable<Withdrawn['facts']>)[];

/** A vehicle that an accepted response no longer lists, with the content of its page. */
export const withdrawnSchema = z.strictObject({
  vrm: z.string().max(LONGEST.vrm),
  since: z.iso.datetime().describe('When the first answer without it was accepted, UTC.'),
  picture: z.strictObject({ id: z.int(), source: SOURCE_HASH }).optional(),
  facts: keptFactsSchema.optional(),
});

export type Withdrawn = z.infer<typeof withdrawnSchema>;

/** A withdrawn vehicle as one whose only medium is its picture. */
export const asVehicle = ({ vrm, picture }: Withdrawn, dealerId: number): Vehicle => ({
  ...{ dealerId, vrm, slug: vehicleSlug(vrm), dateUpdated: '' },
  media: picture ? [{ kind: 'image', label: '', ...picture }] : [],
});

/**
 * The withdrawn vehicles after an accepted response: earlier ones and vehicles that it no longer lists,
 * without vehicles that it lists again.
 *
 * @param former withdrawn vehicles until now. @param before vehicles of the previous answer.
 * @param after vehicles of this answer. @param now when this answer was accepted, UTC.
 */
export function updateWithdrawn({
  former,
  before,
  after,
  now,
}: {
  former: readonly Withdrawn[];
  before: readonly string[];
  after: readonly string[];
  now: string;
}): Withdrawn[] {
  const listed = new Set(after);
  const details = new Map(former.map((entry) => [entry.vrm, entry]));
  const known = new Map(former.map((entry) => [entry.vrm, entry.since]));
  for (const vrm of before) if (!known.has(vrm)) known.set(vrm, now);
  return [...known]
    .filter(([vrm]) => !listed.has(vrm))
    .map(([vrm, since]) => ({ ...details.get(vrm), vrm, since }))
    .sort((a, b) => (a.vrm < b.vrm ? -1 : 1));
}

/** Withdrawn vehicles whose pages are still published. @param now and `withdrawnFor` in milliseconds. */
export function unexpiredWithdrawals(
  withdrawn: readonly Withdrawn[],
  { now, withdrawnFor }: { now: number; withdrawnFor: number },
): Withdrawn[] {
  return withdrawn.filter(({ since }) => now - Date.parse(since) < withdrawnFor);
}

/**
 * Withdrawn vehicles with the content of their pages: their first picture, and facts from the stock list
 * now, or had them last.
 *
 * @param last the vehicles and the list of the previous answer. @param list of this build.
 */
export function withDetails(
  withdrawn: readonly Withdrawn[],
  last: { vehicles: readonly Vehicle[]; list?: Pick<DealerFacts, 'byPlate'> | undefined },
  list: Pick<DealerFacts, 'byPlate'> | undefined,
): Withdrawn[] {
  const before = new Map(last.vehicles.map((vehicle) => [vehicle.vrm, vehicle]));
  return withdrawn.map((one): Withdrawn => {
    const image = before.get(one.vrm)?.media.find(({ kind }) => kind === 'image');
    const { id, source } = image?.kind === 'image' ? image : (one.picture ?? {});
    const plate = comparablePlate(one.vrm);
    const facts = list?.byPlate.get(plate) ?? last.list?.byPlate.get(plate) ?? one.facts;
    // In the order of the schema, so that equal facts are equal bytes.
    const kept = KEPT_FACTS.filter((key) => facts?.[key] !== undefined);
    return {
      ...{ vrm: one.vrm, since: one.since },
      ...(id !== undefined && source !== undefined && { picture: { id, source } }),
      ...(kept.length > 0 && { facts: Object.fromEntries(kept.map((key) => [key, facts?.[key]])) }),
    };
  });
}
