/** Facts of a stock list in a dealer's record. */
import type { DealerFacts, LastList } from '../stock/facts.ts';
import type { DealerList } from '../stock/list.ts';
import { atPlate, plateKey } from '../stock/plate.ts';
import type { Amounts } from '../stock/plausible.ts';
import type { VehicleFacts } from '../stock/vehicle-facts.ts';
import type { DealerRecord, RecordedVehicle } from './schema.ts';

function withFacts(recorded: RecordedVehicle, list: LastList): RecordedVehicle {
  const { facts: _, omitted: __, factsChanged: ___, ...vehicle } = recorded;
  const vehicleFacts = atPlate(list.byPlate, vehicle.vrm);
  const omitted = atPlate(list.omitted, vehicle.vrm);
  const factsChanged = list.changed.get(plateKey(vehicle.vrm));
  const { vin: ____, ...facts } = vehicleFacts ?? {};
  return {
    ...vehicle,
    ...(vehicleFacts && { facts }),
    ...(omitted && { omitted }),
    ...(factsChanged && { factsChanged }),
  };
}

/** The vehicles and the list of a record, with the facts of a stock list if there is one. */
export function recordedList(
  vehicles: readonly RecordedVehicle[],
  list: DealerList | undefined,
): Pick<DealerRecord, 'vehicles' | 'list'> {
  const { facts } = list ?? {};
  if (!facts) return { vehicles };
  const { rows, prices, currency, mileageUnit, endsWithNewline, hash, since } = facts;
  return {
    vehicles: vehicles.map((vehicle) => withFacts(vehicle, facts)),
    list: { rows, prices, currency, mileageUnit, endsWithNewline, hash, since },
  };
}

/** The stock list in a record. */
export function lastList({
  list,
  vehicles,
}: Pick<DealerRecord, 'vehicles' | 'list'>): LastList | undefined {
  if (!list) return undefined;
  const byPlate = new Map<string, VehicleFacts>();
  const omitted = new Map<string, Amounts>();
  const changed = new Map<string, string>();
  for (const vehicle of vehicles) {
    const plate = plateKey(vehicle.vrm);
    if (vehicle.facts) byPlate.set(plate, vehicle.facts);
    if (vehicle.omitted) omitted.set(plate, vehicle.omitted);
    if (vehicle.factsChanged) changed.set(plate, vehicle.factsChanged);
  }
  return { ...(list satisfies Omit<DealerFacts, 'byPlate'>), byPlate, omitted, changed };
}
