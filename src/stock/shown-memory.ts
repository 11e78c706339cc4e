/** The parts of a dealer's record that may still be shown. */
import { type Control, isHidden, shownVehicles } from './control.ts';
import type { DealerMemory } from './dealer-stock.ts';
import { comparablePlate } from './plate.ts';
import { factsWithoutPlate, type NameOf, namedFacts, withoutPlate } from './plate-names.ts';
import type { Withdrawn } from './withdrawn.ts';

/** The record, with names in place of plates that are no longer public. */
export function namedMemory({ last, live, notes }: DealerMemory, nameOf: NameOf | undefined) {
  if (!nameOf) return { last, live, notes };
  return {
    last: last && {
      ...last,
      vehicles: last.vehicles.map((vehicle) => withoutPlate(vehicle, nameOf)),
      withdrawn: last.withdrawn.map(({ facts, ...one }) => ({
        ...{ ...one, vrm: nameOf(one.vrm) },
        ...(facts && { facts: factsWithoutPlate(facts, one.vrm) }),
      })),
      list: last.list && {
        ...last.list,
        byPlate: namedFacts(last.list.byPlate, nameOf),
        omitted: namedFacts(last.list.omitted, nameOf),
      },
    },
    live: live?.state === 'live' ? { ...live, vrms: live.vrms.map(nameOf) } : live,
    notes,
  };
}

/** The record without hidden vehicles and media: hiding something is never a loss. */
export function shownMemory({ last, live, notes }: DealerMemory, control: Control): DealerMemory {
  const withShownPicture = ({ picture, ...one }: Withdrawn): Withdrawn => {
    const { without = [] } = control.get(comparablePlate(one.vrm)) ?? {};
    return picture && !without.includes(picture.id) ? { ...one, picture } : one;
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
