import type { AutoDealer, BreadcrumbList, Car, ImageObject, Offer, WithContext } from 'schema-dts';
import type { DealerConfig } from '../config/schema.ts';
import type { DealerFacts, VehicleFacts } from '../stock/facts.ts';
import type { Place } from './place.ts';
import type { DealerLink, PictureView } from './view.ts';

/** Enough for every reader; a page of 100 pictures would carry 20 kB of them otherwise. */
const PICTURES = 10;

/** UN/CEFACT codes, as schema.org asks for. */
const UNIT_CODE = { mi: 'SMI', km: 'KMT' } as const;

/** JSON for a script element: `<` is written as an escape, so that no text can close the element. */
export const jsonForScript = (value: unknown): string =>
  JSON.stringify(value).replaceAll('<', '\\u003c');

function dealerThing(dealer: DealerConfig, link: DealerLink, place: Place): AutoDealer {
  const { phone, email } = dealer.contact ?? {};
  return {
    '@type': 'AutoDealer',
    name: dealer.name,
    url: `${place.origin}${link.url}`,
    ...(phone && { telephone: phone }),
    ...(email && { email }),
    ...(dealer.website && { sameAs: dealer.website }),
  };
}

function offerOf(
  facts: VehicleFacts,
  currency: string,
  seller: AutoDealer,
  url: string,
): Offer | undefined {
  if (facts.price === undefined) return undefined;
  return {
    '@type': 'Offer',
    price: facts.price,
    priceCurrency: currency,
    availability: 'https://schema.org/InStock',
    url: facts.link ?? url,
    seller,
  };
}

export interface CarInput {
  dealer: DealerConfig;
  link: DealerLink;
  place: Place;
  canonical: string;
  name: string;
  plate: string;
  vrm: string;
  pictures: readonly PictureView[];
  facts: VehicleFacts;
  list: Pick<DealerFacts, 'currency' | 'mileageUnit'> | undefined;
}

/**
 * A vehicle for search engines. Videos are left out: a `VideoObject` requires the date of its
 * upload, which the service does not tell.
 */
export function vehicleJsonLd(input: CarInput): string {
  const { dealer, link, place, canonical, name, plate, vrm, pictures, facts, list } = input;
  const seller = dealerThing(dealer, link, place);
  const offer = list && offerOf(facts, list.currency, seller, canonical);
  const car: WithContext<Car> = {
    '@context': 'https://schema.org',
    '@type': 'Car',
    name,
    url: canonical,
    ...(vrm.trim() && {
      identifier: { '@type': 'PropertyValue', propertyID: 'registration', value: plate },
    }),
    image: pictures.slice(0, PICTURES).map(
      (picture): ImageObject => ({
        '@type': 'ImageObject',
        contentUrl: `${place.origin}${picture.src}`,
        caption: picture.alt,
      }),
    ),
    ...(facts.make && { brand: { '@type': 'Brand', name: facts.make } }),
    ...(facts.model && { model: facts.model }),
    ...(facts.variant && { vehicleConfiguration: facts.variant }),
    ...(facts.year && { vehicleModelDate: String(facts.year) }),
    ...(facts.fuel && { fuelType: facts.fuel }),
    ...(facts.transmission && { vehicleTransmission: facts.transmission }),
    ...(facts.colour && { color: facts.colour }),
    ...(facts.mileage &&
      list && {
        mileageFromOdometer: {
          '@type': 'QuantitativeValue',
          value: facts.mileage,
          unitCode: UNIT_CODE[list.mileageUnit],
        },
      }),
    ...(offer && { offers: offer }),
  };
  const trail: WithContext<BreadcrumbList> = {
    '@context': 'https://schema.org',
    '@type': 'BreadcrumbList',
    itemListElement: [
      {
        '@type': 'ListItem',
        position: 1,
        name: dealer.name,
        item: `${place.origin}${link.url}`,
      },
      { '@type': 'ListItem', position: 2, name },
    ],
  };
  return jsonForScript([car, trail]);
}

/** A dealer for search engines. */
export function dealerJsonLd(dealer: DealerConfig, link: DealerLink, place: Place): string {
  const thing = dealerThing(dealer, link, place);
  return jsonForScript({ '@context': 'https://schema.org', ...(thing as object) });
}
