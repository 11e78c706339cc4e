import { z } from 'zod';
import type { FieldNames } from '../contract/field-names.ts';
import type { VehicleMediaRecord } from '../contract/media.ts';
import { parseVehicles, type Quarantined } from '../contract/parse.ts';
import { type NameOf, withoutPlate } from './plate-names.ts';
import { toVehicle, type Vehicle, type VehicleFindings } from './vehicle.ts';

const count = z.int().min(0);
const received = { received: count, accepted: count, quarantined: count };

/** Numbers of records and media items in one response, and how many of them are used. */
export const countsSchema = z.strictObject({
  vehicles: z.strictObject({ ...received, duplicates: count }),
  items: z.strictObject({ ...received, unknownType: count }),
});

/** The content of one response, and how much of it is used. The build report has every number. */
export interface AnswerCounts extends z.infer<typeof countsSchema> {
  quarantine: Quarantined[];
  duplicateVrms: string[];
  /** Plates whose records were quarantined, and whose stored vehicles are used instead. */
  keptVrms: string[];
  unknownTypes: Record<string, number>;
  unknownFields: Record<string, number>;
}

export interface AcceptedAnswer {
  vehicles: readonly Vehicle[];
  counts: AnswerCounts;
}

/** The newer of two records with one registration mark. Of equally new ones the later listed. */
function newestByVrm(
  records: readonly VehicleMediaRecord[],
  nameOf: NameOf,
): {
  newest: VehicleMediaRecord[];
  duplicates: string[];
} {
  const byVrm = new Map<string, VehicleMediaRecord>();
  const duplicates: string[] = [];
  for (const record of records) {
    const name = nameOf(record.vrm);
    const former = byVrm.get(name);
    if (former) duplicates.push(record.vrm);
    if (!former || record.dateUpdated >= former.dateUpdated) byVrm.set(name, record);
  }
  return { newest: [...byVrm.values()], duplicates };
}

/**
 * An answer of GetMediaByDealer as vehicles: invalid records and items are quarantined and counted
 * (`accepted + quarantined = received`), unknown media types counted by name, duplicates listed.
 *
 * @param stored vehicles of the last good answer. If the only records of a stored vehicle are quarantined,
 *   the service still lists it, so the stored vehicle is kept.
 * @param plates names in place of plates, if these are not public.
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
  const findings: VehicleFindings = { quarantined: [], unknownTypes: new Map() };
  const { newest, duplicates } = newestByVrm(parsed.accepted, nameOf);
  const fresh = newest.map((record) => withoutPlate(toVehicle(record, dealerId, findings), plates));
  const accepted = new Set(fresh.map(({ vrm }) => vrm));
  const quarantined = new Set([...parsed.quarantinedVrms].map(nameOf));
  const kept = stored.filter(({ vrm }) => quarantined.has(vrm) && !accepted.has(vrm));
  const unknownType = [...findings.unknownTypes.values()].reduce((sum, n) => sum + n, 0);
  return {
    vehicles: [...fresh, ...kept],
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
      },
      quarantine: [...parsed.quarantined, ...parsed.items.quarantined, ...findings.quarantined],
      duplicateVrms: duplicates,
      keptVrms: kept.map(({ vrm }) => vrm),
      unknownTypes: Object.fromEntries(findings.unknownTypes),
      unknownFields: parsed.unknownFields,
    },
  };
}
