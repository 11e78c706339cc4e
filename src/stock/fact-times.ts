import { isDeepStrictEqual } from 'node:util';
import type { DealerFacts, LastList } from './facts.ts';
import { atPlate, plateKey } from './plate.ts';
import { RECORDED_FACTS, type VehicleFacts } from './vehicle-facts.ts';

const valuesOf = (facts: VehicleFacts = {}) => RECORDED_FACTS.map((name) => facts[name]);

/**
 * When the facts of each vehicle last changed, UTC, see `plateKey`. A vehicle whose facts have not changed since the first
 * list has no time.
 */
export function changeTimes(
  { byPlate }: Pick<DealerFacts, 'byPlate'>,
  {
    last,
    vehicles,
    now,
  }: { last: LastList | undefined; vehicles: readonly { vrm: string }[]; now: number },
): Map<string, string> {
  const time = new Date(now).toISOString();
  const changed = new Map<string, string>();
  for (const { vrm } of last ? vehicles : []) {
    const plate = plateKey(vrm);
    const before = last && atPlate(last.byPlate, vrm);
    const isSame = isDeepStrictEqual(valuesOf(atPlate(byPlate, vrm)), valuesOf(before));
    const since = isSame ? last?.changed.get(plate) : time;
    if (since) changed.set(plate, since);
  }
  return changed;
}
