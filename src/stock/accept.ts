import { z } from 'zod';
import type { FieldNames } from '../contract/field-names.ts';
import type { VehicleMediaRecord } from '../contract/media.ts';
import { parseVehicles, type Quarantined } from '../contract/parse.ts';
import { vehicleSlug } from './address.ts';
import { type NameOf, withoutPlate } from './plate-names.ts';
import { noFindings, toVehicle, type Vehicle, type VehicleMedia } from './vehicle.ts';

const count = z.int().min(0);
const received = { received: count, accepted: count, quarantined: count };

/** Numbers of records and media items in one response: received, used and quarantined. */
export const countsSchema = z.strictObject({
  vehicles: z.strictObject({ ...received, duplicates: count }),
  items: z.strictObject({ ...received, unknownType: count, duplicates: count }),
});

/** Statistics of one response. The build report contains every number. */
export interface AnswerCounts extends z.infer<typeof countsSchema> {
  quarantine: Quarantined[];
  duplicateVrms: string[];
  /** Plates whose records or media are unusable, and whose stored ones are used instead. */
  keptVrms: string[];
  unknownTypes: Record<string, number>;
  unknownFields: Record<string, number>;
}

export interface AcceptedAnswer {
  vehicles: readonly Vehicle[];
  /** Ids, as text, of media that are not used. */
  unusableIds: ReadonlySet<string>;
  counts: AnswerCounts;
}

/** The newest of some records. If records are equally new, the last. */
const newestOf = (records: readonly VehicleMediaRecord[]): VehicleMediaRecord =>
  records.reduce((newest, record) => (record.dateUpdated >= newest.dateUpdated ? record : newest));

/** Adds stored media, in their position, that the service still lists, but in an unusable form. */
export function withStoredMedia(
  vehicle: Vehicle,
  stored: readonly VehicleMedia[],
  unusableIds: ReadonlySet<string>,
): Vehicle {
  if (unusableIds.size === 0) return vehicle;
  const ids = new Set(vehicle.media.map(({ id }) => id));
  const media = [...vehicle.media];
  for (const [index, item] of stored.entries()) {
    if (unusableIds.has(String(item.id)) && !ids.has(item.id)) media.splice(index, 0, item);
  }
  return media.length === vehicle.media.length ? vehicle : { ...vehicle, media };
}

/**
 * Converts a response of GetMediaByDealer to vehicles. Invalid records and items are quarantined and counted
 * (`accepted + quarantined = received`). Unknown media types are counted by name, and duplicates are listed.
 *
 * @param stored vehicles of the snapshot. If all records of a stored vehicle are quarantined, the service still lists
 *   it, so the stored vehicle is kept. A record without a readable plate is recognised by its media.
 * @param plates replaces plates with names, if plates are not public.
 */
export function acceptAnswer(
  body: readonly unknown[],
  dealerId: number,
  names: FieldNames,
  stored: readonly Vehicle[] = [],
  plates?: NameOf,
): AcceptedAnswer {
  const nameOf = plates ?? ((vrm) => vrm);
  const parsed = parseVehicles(body, names);
  const findings = { ...noFindings(), unusableIds: parsed.quarantinedIds };
  // An attacker can find two plates with one URL.
  const slugs = Map.groupBy(parsed.accepted, ({ vrm }) => vehicleSlug(nameOf(vrm)));
  const bySlug = [...slugs.values()];
  const duplicates = bySlug.flatMap((records) => records.slice(1).map(({ vrm }) => vrm));
  const newVehicles = bySlug.map((records) =>
    withoutPlate(toVehicle(newestOf(records), dealerId, findings), plates),
  );
  const { unusableIds } = findings;
  const quarantinedVrms = new Set(parsed.quarantinedVrms.map(nameOf));
  const storedVehicles = stored.filter(
    ({ vrm, slug, media }) =>
      !slugs.has(slug) &&
      (quarantinedVrms.has(vrm) || media.some(({ id }) => unusableIds.has(String(id)))),
  );
  const unknownType = [...findings.unknownTypes.values()].reduce((sum, n) => sum + n, 0);
  return {
    vehicles: [...newVehicles, ...storedVehicles],
    unusableIds,
    counts: {
      vehicles: {
        received: parsed.received,
        accepted: parsed.accepted.length,
        quarantined: parsed.quarantined.length,
        duplicates: duplicates.length,
      },
      items: {
        received: parsed.items.received,
        accepted: parsed.items.accepted - findings.quarantined.length - unknownType,
        quarantined: parsed.items.quarantined.length + findings.quarantined.length,
        unknownType,
        duplicates: findings.duplicates,
      },
      quarantine: [...parsed.quarantined, ...parsed.items.quarantined, ...findings.quarantined],
      duplicateVrms: duplicates,
      keptVrms: storedVehicles.map(({ vrm }) => vrm),
      unknownTypes: Object.fromEntries(findings.unknownTypes),
      unknownFields: parsed.unknownFields,
    },
  };
}
