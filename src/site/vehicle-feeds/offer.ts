import type { DealerConfig } from '../../config/schema.ts';
import type { ValuedFact } from '../../stock/values.ts';
import type { Vehicle } from '../../stock/vehicle.ts';
import type { DealerContext } from '../views/context.ts';
import { factsOf, idOf, type ShownFacts, valuesOf, vehicleTexts } from '../views/vehicle-texts.ts';

/** The data of a vehicle for feeds. */
export interface Offer {
  /** See `idOf`, otherwise the last part of the page's URL. */
  id: string;
  plate: string;
  title: string;
  /** Absolute. */
  url: string;
  /** Absolute URLs of JPEG files, the first picture first. */
  images: readonly string[];
  facts: ShownFacts;
  /** Standard values of facts, such as `plugin-hybrid`. */
  standard: Partial<Record<ValuedFact, string>>;
  currency: string;
  mileageUnit: 'mi' | 'km' | undefined;
  /** Text for platforms that need a description. */
  summary: string;
  dealer: Omit<DealerConfig, 'stock'>;
}

export function offerOf(
  vehicle: Vehicle,
  context: DealerContext,
  images: readonly string[],
): Offer {
  const { dealer, link, place, facts: list } = context;
  const facts = factsOf(vehicle.vrm, context);
  const labels = vehicleTexts(vehicle.vrm, facts, context);
  return {
    id: idOf(facts, labels) ?? vehicle.slug,
    plate: vehicle.vrm,
    title: labels.name,
    url: `${place.origin}${place.base}/${link.slug}/${vehicle.slug}/`,
    images,
    facts,
    standard: valuesOf(facts, context).standard,
    currency: list?.currency ?? '',
    mileageUnit: list?.mileageUnit,
    summary: [labels.name, labels.keyFacts].filter(Boolean).join(': '),
    dealer,
  };
}
