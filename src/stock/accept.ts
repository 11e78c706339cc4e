import { z } from 'zod';
import type { FieldNames } from '../contract/field-names.ts';
import type { VehicleMediaRecord } from '../contract/media.ts';
import { parseVehicles, type Quarantined } from '../contract/parse.ts';
import { type NameOf, withoutPlate } from './plate-names.ts';
import { countMedia, noFindings, toVehicle, type Vehicle } from './vehicle.ts';

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
  /** Plates whose records or items are unusable, and whose stored vehicles are used instead. */
  keptVrms: string[];
  unknownTypes: Record<string, number>;
  unknownFields: Record<string, number>;
}

export interface AcceptedAnswer {
  vehicles: readonly Vehicle[];
  /** Stored vehicles, by plate, that had more media than now, when some of their items are unusable. */
  fuller: ReadonlyMap<string, Vehicle>;
  counts: AnswerCounts;
}

/** The newest of some records. If records are equally new, the last. */
const newestOf = (records: readonly VehicleMediaRecord[]): VehicleMediaRecord =>
  records.reduce((newest, record) => (record.dateUpdated >= newest.dateUpdated ? record : newest));

const hasMore = (stored: Vehicle, vehicle = stored): boolean =>
  (['image', 'video'] as const).some(
    (kind) => countMedia([stored], kind) > countMedia([vehicle], kind),
  );

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
  const findings = { ...noFindings(), unusable: parsed.unusableVrms };
  const byName = [...Map.groupBy(parsed.accepted, ({ vrm }) => nameOf(vrm)).values()];
  const duplicates = byName.flatMap((records) => records.slice(1).map(({ vrm }) => vrm));
  const newVehicles = byName.map((records) =>
    withoutPlate(toVehicle(newestOf(records), dealerId, findings), plates),
  );
  const unusableVrms = new Set(findings.unusable.map(nameOf));
  const byVrm = new Map(newVehicles.map((vehicle) => [vehicle.vrm, vehicle]));
  const unusable = stored.filter(
    ({ vrm, media }) =>
      unusableVrms.has(vrm) || media.some(({ id }) => parsed.unnamedItems.has(id)),
  );
  const storedVehicles = unusable.filter(({ vrm }) => !byVrm.has(vrm));
  const fuller = unusable.filter((vehicle) => hasMore(vehicle, byVrm.get(vehicle.vrm)));
  const unknownType = [...findings.unknownTypes.values()].reduce((sum, n) => sum + n, 0);
  return {
    vehicles: [...newVehicles, ...storedVehicles],
    fuller: new Map(fuller.map((vehicle) => [vehicle.vrm, vehicle])),
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
