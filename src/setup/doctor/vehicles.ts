import { countText, firstOf } from '../../lib/terminal/count-text.ts';
import {
  type Control,
  effectOf,
  shownVehicles,
  unknownMedia,
  unmatchedText,
} from '../../stock/control.ts';
import { comparablePlate } from '../../stock/plate.ts';
import type { Vehicle } from '../../stock/vehicle.ts';
import { type Finding, finding } from '../findings.ts';

/** Maximum number of lines that a finding lists. */
const LISTED = 5;

/** Applies vehicles.csv as a build does, and reports lines that match nothing. */
export function* checkControl(
  { dealers }: { dealers: readonly unknown[] },
  control: Control,
  { vehicles, answered }: { vehicles: readonly Vehicle[]; answered: ReadonlySet<number> },
): Generator<Finding, readonly Vehicle[]> {
  const { hidden, matched } = effectOf(control, vehicles, []);
  if (control.size > 0) {
    const what = `vehicles.csv: ${countText(control.size, 'line')}, ${countText(hidden, 'vehicle')} hidden.`;
    yield finding('vehicles-decided', { lines: control.size, hidden }, what);
  }
  const plates = vehicles.map(({ vrm }) => comparablePlate(vrm));
  const isComplete = answered.size === dealers.length;
  const unmatched = isComplete ? [...control].filter(([key]) => !matched.includes(key)) : [];
  const missing = [
    ...unmatched.map(([, row]) => `no vehicle has the plate ${unmatchedText(row, plates)}`),
    ...unknownMedia(control, vehicles),
  ];
  if (missing.length > 0) {
    const what = `vehicles.csv: ${firstOf(missing, LISTED)}.`;
    yield finding('vehicles-unmatched', { missing }, what);
  }
  return shownVehicles(vehicles, control);
}
