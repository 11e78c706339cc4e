/** Removes the parts of a dealer's record that may no longer be shown. */
import { type Control, isHidden, shownVehicles } from './control.ts';
import type { DealerMemory } from './dealer-stock.ts';
import { atPlate, plateKey } from './plate.ts';
import { factsWithoutPlate, type NameOf, namedFacts, withoutPlate } from './plate-names.ts';
import type { Withdrawn } from './withdrawn.ts';

/** Replaces plates in the record with names, if plates are not public. */
export function namedMemory({ last, live, notes }: DealerMemory, nameOf: NameOf | undefined) {
  if (!nameOf) return { last, live, notes };
  return {
    last: last && {
      ...last,
      vehicles: last.vehicles.map((vehicle) => withoutPlate(vehicle, nameOf)),
      withdrawn: last.withdrawn.map(({ facts, ...vehicle }) => ({
        ...vehicle,
        vrm: nameOf(vehicle.vrm),
        ...(facts && { facts: factsWithoutPlate(facts, vehicle.vrm) }),
      })),
      list: last.list && {
        ...last.list,
        byPlate: namedFacts(last.list.byPlate, nameOf),
        omitted: namedFacts(last.list.omitted, nameOf),
        changed: new Map(
          Array.from(last.list.changed, ([plate, time]) => [plateKey(nameOf(plate)), time]),
        ),
      },
    },
    live: live?.state === 'live' ? { ...live, vrms: live.vrms.map(nameOf) } : live,
    notes,
  };
}

/** Removes hidden vehicles and media from the record, so that hiding them does not count as a loss. */
export function shownMemory({ last, live, notes }: DealerMemory, control: Control): DealerMemory {
  const withShownPicture = ({ picture, ...vehicle }: Withdrawn): Withdrawn => {
    const { without = [] } = atPlate(control, vehicle.vrm) ?? {};
    return picture && !without.includes(picture.id) ? { ...vehicle, picture } : vehicle;
  };
  const isShown = (vrm: string) => !isHidden(control, vrm);
  return {
    last: last && {
      ...last,
      vehicles: shownVehicles(last.vehicles, control),
      withdrawn: last.withdrawn.filter(({ vrm }) => isShown(vrm)).map(withShownPicture),
    },
    live: live?.state === 'live' ? { ...live, vrms: live.vrms.filter(isShown) } : live,
    notes,
  };
}
