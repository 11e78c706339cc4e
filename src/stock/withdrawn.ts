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
 * The withdrawn vehicles whose pages are still published: earlier ones and vehicles that are no longer
 * listed, without vehicles that are listed again. Expired ones are dropped, as the record would grow by
 * every vehicle that ever existed.
 *
 * @param last the vehicles of the previous answer, and the withdrawn vehicles until now.
 * @param listed vehicles of this answer. @param now and `withdrawnFor` in milliseconds.
 */
export function withdrawnNow(
  last: { vehicles: readonly { vrm: string }[]; withdrawn: readonly Withdrawn[] },
  listed: readonly { vrm: string }[],
  { now, withdrawnFor }: { now: number; withdrawnFor: number },
): Withdrawn[] {
  const shown = new Set(listed.map(({ vrm }) => vrm));
  const former = last.withdrawn.filter(({ since }) => now - Date.parse(since) < withdrawnFor);
  const all = new Map(former.map((one) => [one.vrm, one]));
  const since = new Date(now).toISOString();
  for (const { vrm } of last.vehicles) if (!all.has(vrm)) all.set(vrm, { vrm, since });
  return [...all.values()]
    .filter(({ vrm }) => !shown.has(vrm))
    .sort((a, b) => (a.vrm < b.vrm ? -1 : 1));
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
