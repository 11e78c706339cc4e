import { z } from 'zod';
import { LONGEST } from '../contract/media.ts';
import { vehicleSlug } from './address.ts';
import type { DealerFacts } from './facts.ts';
import { atPlate } from './plate.ts';
import { SOURCE_HASH, type Vehicle } from './vehicle.ts';
import { vehicleFactsSchema } from './vehicle-facts.ts';

/** Facts that the page of a withdrawn vehicle needs for its name, its status and similar vehicles. */
const keptFactsSchema = vehicleFactsSchema.pick({
  make: true,
  model: true,
  variant: true,
  year: true,
  price: true,
  body: true,
  status: true,
});

const KEPT_FACTS = Object.keys(keptFactsSchema.shape) as (keyof NonNullable<Withdrawn['facts']>)[];

/** A vehicle that the last accepted response no longer lists, with the content of its page. */
export const withdrawnSchema = z.strictObject({
  vrm: z.string().max(LONGEST.vrm),
  since: z.iso.datetime().describe('When the first answer without it was accepted, UTC.'),
  picture: z.strictObject({ id: z.int(), source: SOURCE_HASH }).optional(),
  facts: keptFactsSchema.optional(),
});

export type Withdrawn = z.infer<typeof withdrawnSchema>;

/** Converts a withdrawn vehicle to a vehicle with its picture only. */
export const asVehicle = ({ vrm, picture }: Withdrawn, dealerId: number): Vehicle => ({
  dealerId,
  vrm,
  slug: vehicleSlug(vrm),
  dateUpdated: '',
  media: picture ? [{ kind: 'image', label: '', ...picture }] : [],
});

/**
 * The withdrawn vehicles whose pages are still published, with the content of these pages: their first picture, and
 * facts from this or the previous stock list. Adds vehicles that are no longer listed, and removes vehicles that are
 * listed again. Removes expired vehicles, so that the record does not grow forever.
 *
 * @param last the vehicles and the list of the previous response, and the earlier withdrawn vehicles.
 * @param listed vehicles of this response. @param now and `withdrawnFor` in milliseconds. `list` of this build.
 */
export function withdrawnNow(
  last: {
    vehicles: readonly Vehicle[];
    withdrawn: readonly Withdrawn[];
    list?: Pick<DealerFacts, 'byPlate'>;
  },
  listed: readonly { vrm: string }[],
  {
    now,
    withdrawnFor,
    list,
  }: { now: number; withdrawnFor: number; list?: Pick<DealerFacts, 'byPlate'> },
): Withdrawn[] {
  const listedSlugs = new Set(listed.map(({ vrm }) => vehicleSlug(vrm)));
  const lastVehicles = new Map(last.vehicles.map((vehicle) => [vehicle.vrm, vehicle]));
  const unexpired = last.withdrawn.filter(({ since }) => now - Date.parse(since) < withdrawnFor);
  const byVrm = new Map(unexpired.map((vehicle) => [vehicle.vrm, vehicle]));
  const since = new Date(now).toISOString();
  for (const vrm of lastVehicles.keys()) if (!byVrm.has(vrm)) byVrm.set(vrm, { vrm, since });
  const withdrawn = [...byVrm.values()]
    .filter(({ vrm }) => !listedSlugs.has(vehicleSlug(vrm)))
    .sort((a, b) => (a.vrm < b.vrm ? -1 : 1));
  return withdrawn.map((vehicle): Withdrawn => {
    const image = lastVehicles.get(vehicle.vrm)?.media.find(({ kind }) => kind === 'image');
    const { id, source } = image?.kind === 'image' ? image : (vehicle.picture ?? {});
    const listed = [list, last.list].map((one) => one && atPlate(one.byPlate, vehicle.vrm));
    const facts = listed[0] ?? listed[1] ?? vehicle.facts;
    // Uses the order of the schema, so that equal facts give equal bytes.
    const keys = KEPT_FACTS.filter((key) => facts?.[key] !== undefined);
    return {
      vrm: vehicle.vrm,
      since: vehicle.since,
      ...(id !== undefined && source !== undefined && { picture: { id, source } }),
      ...(keys.length > 0 && { facts: Object.fromEntries(keys.map((key) => [key, facts?.[key]])) }),
    };
  });
}
