import type { GoogleFeed } from '../../config/feed-schema.ts';
import { type Column, mileageOf, type Profile, priceText, required, vinOf } from './profile.ts';

/** Maximum number of further pictures. */
const MORE_PICTURES = 10;

export const BODIES: Readonly<Record<string, string>> = {
  hatchback: 'hatchback',
  saloon: 'sedan',
  estate: 'station_wagon',
  suv: 'suv',
  mpv: 'minivan',
  coupe: 'coupe',
  convertible: 'convertible',
  van: 'full_size_van',
  pickup: 'truck',
};

const ENGINES: Readonly<Record<string, string>> = {
  petrol: 'gasoline',
  diesel: 'diesel',
  electric: 'electric',
  hybrid: 'hybrid',
  'plugin-hybrid': 'plug-in_hybrid',
  lpg: 'lpg',
  gas: 'natural_gas',
};

/** Countries that require more facts of used cars. Outside of the US, a VIN is optional and must not be public. */
const NEEDS_VIN = ['US'];
const NEEDS_DATE = ['DE', 'ES', 'FR', 'IT', 'NL'];
const NEEDS_ENGINE = ['DE', 'ES', 'IT'];

/**
 * The feed of vehicle ads. Source of the columns: https://support.google.com/merchants/answer/11192663 (November 2026).
 * Comments name further answers about single columns.
 */
export function googleProfile({ country, public: isPublic }: GoogleFeed): Profile {
  const needsVin = NEEDS_VIN.includes(country);
  // Answer 14154510.
  const vin: Column = { name: 'VIN', value: vinOf, required: needsVin };
  return {
    ending: 'tsv',
    // A reserved vehicle cannot be bought, and no column can express that.
    statuses: ['available'],
    columns: [
      required('id', ({ id }) => id, 50),
      // Answer 14154094.
      required('store_code', ({ dealer }) => dealer.storeCode, 64),
      required(
        'vehicle_fulfillment(option:store_code)',
        ({ dealer: { storeCode } }) => storeCode && `in_store:${storeCode}`,
      ),
      ...(needsVin || !isPublic ? [vin] : []),
      required('brand', ({ facts }) => facts.make),
      required('model', ({ facts }) => facts.model, 150),
      { name: 'trim', value: ({ facts }) => facts.variant, most: 150 },
      required('year', ({ facts }) => facts.year?.toString()),
      // New cars need `vehicle_msrp` (answer 14154171), which stock lists do not have.
      required('condition', ({ facts }) => (facts.condition === 'used' ? 'used' : undefined)),
      // Answer 14156166.
      required('mileage', (offer) => {
        const mileage = offer.mileageUnit && mileageOf(offer);
        return mileage && `${mileage} ${offer.mileageUnit === 'mi' ? 'Miles' : 'KM'}`;
      }),
      required('price', priceText),
      required('color', ({ facts }) => facts.colour),
      // Answer 14157085.
      { name: 'body_style', value: ({ standard }) => BODIES[standard.body ?? ''] },
      // Answer 14156068.
      {
        name: 'engine',
        value: ({ facts, standard }) => facts.fuel && (ENGINES[standard.fuel ?? ''] ?? 'other'),
        required: NEEDS_ENGINE.includes(country),
      },
      // Answer 14546138.
      {
        name: 'date_first_registered',
        value: ({ facts }) => facts.firstRegistration,
        required: NEEDS_DATE.includes(country),
      },
      required('link', ({ url }) => url),
      // Answer 13871172: required of vehicles in a store. Google replaces the braces.
      required('link_template', ({ url }) => `${url}?store={store_code}`),
      // Answer 11190670.
      required('image_link', ({ images }) => images[0]),
      {
        name: 'additional_image_link',
        value: ({ images }) => images.slice(1, 1 + MORE_PICTURES).join(','),
      },
      // Number 916 of Google's product taxonomy.
      required(
        'google_product_category',
        () => 'Vehicles & Parts > Vehicles > Motor Vehicles > Cars, Trucks & Vans',
      ),
    ],
  };
}
