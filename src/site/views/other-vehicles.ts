import type { Vehicle } from '../../stock/vehicle.ts';
import type { DealerContext } from './context.ts';
import { factsOf, vehicleTexts } from './vehicle-texts.ts';
import type { SimilarView } from './view.ts';

/** Another vehicle of the dealer, with hashes of its data on a page. */
export interface Other {
  vehicle: Vehicle;
  /** Hash of its name, and of its data as a similar vehicle. */
  keys: { name: string; similar: string };
}

/** Other vehicles of the dealer that the page of a vehicle shows, and the page of its make. */
export interface Surroundings {
  similar: readonly Other[];
  previous: Other | undefined;
  next: Other | undefined;
  /** Last part of the URL of its make's page. Undefined if the page has no links. */
  makePage: string | undefined;
}

const urlOf = (slug: string, { place, link }: DealerContext): string =>
  `${place.base}/${link.slug}/${slug}/`;

/** A vehicle on the page of a similar one. */
export function similarView({ vehicle }: Other, context: DealerContext): SimilarView {
  const { vrm, slug } = vehicle;
  const labels = vehicleTexts(vrm, factsOf(vrm, context), context);
  return {
    ...labels,
    url: urlOf(slug, context),
    cover: context.views.cover(vehicle),
  };
}

export function neighbourOf({ vehicle: { vrm, slug } }: Other, context: DealerContext) {
  const { name } = vehicleTexts(vrm, factsOf(vrm, context), context);
  return { url: urlOf(slug, context), text: name };
}

/**
 * The facts of a vehicle that the pages of others show, as plain data: its name as their previous or next vehicle in
 * the list, and more as a similar vehicle.
 */
export function shownElsewhere({ vrm }: Vehicle, context: DealerContext) {
  const facts = factsOf(vrm, context);
  const { make, model, variant, title, year, price, mileage, fuel, transmission, status } = facts;
  const name = [vrm, make, model, variant, year, title];
  return { name, similar: [...name, price, mileage, fuel, transmission, status] };
}
