import { z } from 'zod';
import type { FieldNames } from '../contract/field-names.ts';
import type { VehicleMediaRecord } from '../contract/media.ts';
import { parseVehicles, type Quarantined } from '../contract/parse.ts';
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
  /** Plates of vehicles that are stored ones or have stored media, because theirs are unusable. */
  keptVrms: string[];
  unknownTypes: Record<string, number>;
  unknownFields: Record<string, number>;
}

export interface AcceptedAnswer {
  vehicles: readonly Vehicle[];
  counts: AnswerCounts;
}

/** The newest of some records. If records are equally new, the last. */
const newestOf = (records: readonly VehicleMediaRecord[]): VehicleMediaRecord =>
  records.reduce((newest, record) => (record.dateUpdated >= newest.dateUpdated ? record : newest));

/** Adds stored media, in their position, that the service still lists, but in an unusable form. */
function withStoredMedia(
  vehicle: Vehicle,
  stored: readonly VehicleMedia[],
  unusable: ReadonlySet<string>,
): Vehicle {
  const ids = new Set(vehicle.media.map(({ id }) => id));
  const media = [...vehicle.media];
  for (const [index, item] of stored.entries()) {
    if (unusable.has(String(item.id)) && !ids.has(item.id)) media.splice(index, 0, item);
  }
  return media.length === vehicle.media.length ? vehicle : { ...vehicle, media };
}

/**
 * Converts a response of GetMediaByDealer to vehicles. Invalid records and items are quarantined and counted
 * (`accepted + quarantined = received`). Unknown media types are counted by name, and duplicates are listed.
 *
 * @param stored vehicles of the snapshot. Stored vehicles and media are kept if the service still lists them, but only
 *   in an unusable form. A record without a readable plate is recognised by its media.
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
  const findings = { ...noFindings(), unusable: parsed.quarantinedIds };
  const byName = [...Map.groupBy(parsed.accepted, ({ vrm }) => nameOf(vrm)).values()];
  const duplicates = byName.flatMap((records) => records.slice(1).map(({ vrm }) => vrm));
  const newVehicles = byName.map((records) =>
    withoutPlate(toVehicle(newestOf(records), dealerId, findings), plates),
  );
  const { unusable } = findings;
  const storedByVrm = new Map(stored.map((vehicle) => [vehicle.vrm, vehicle]));
  const listed = newVehicles.map((vehicle) =>
    withStoredMedia(vehicle, storedByVrm.get(vehicle.vrm)?.media ?? [], unusable),
  );
  const listedVrms = new Set(listed.map(({ vrm }) => vrm));
  const quarantinedVrms = new Set(parsed.quarantinedVrms.map(nameOf));
  const storedVehicles = stored.filter(
    ({ vrm, media }) =>
      !listedVrms.has(vrm) &&
      (quarantinedVrms.has(vrm) || media.some(({ id }) => unusable.has(String(id)))),
  );
  const kept = [...listed.filter((vehicle, at) => vehicle !== newVehicles[at]), ...storedVehicles];
  const unknownType = [...findings.unknownTypes.values()].reduce((sum, n) => sum + n, 0);
  return {
    vehicles: [...listed, ...storedVehicles],
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
      keptVrms: kept.map(({ vrm }) => vrm),
      unknownTypes: Object.fromEntries(findings.unknownTypes),
      unknownFields: parsed.unknownFields,
    },
  };
}
