import type { GoogleFeed } from '../../config/feed-schema.ts';
import { type Column, mileageOf, type Profile, priceText, vinOf } from './profile.ts';

/** Page of the documentation of Google Merchant Center, as read in November 2026. */
const page = (answer: number) => `https://support.google.com/merchants/answer/${answer}`;
const GUIDE = page(11192663);

/** Maximum number of further pictures. */
const MORE_PICTURES = 10;

const BODIES: Readonly<Record<string, string>> = {
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

/** The feed of vehicle ads (https://support.google.com/merchants/answer/11192663). */
export function googleProfile({ country, public: isPublic }: GoogleFeed): Profile {
  const vin: Column[] =
    NEEDS_VIN.includes(country) || !isPublic
      ? [
          {
            name: 'VIN',
            value: vinOf,
            required: NEEDS_VIN.includes(country),
            source: page(14154510),
          },
        ]
      : [];
  return {
    ending: 'tsv',
    // A reserved vehicle cannot be bought, and no column can express that.
    statuses: ['available'],
    columns: [
      { name: 'id', value: ({ id }) => id, required: true, most: 50, source: GUIDE },
      {
        name: 'store_code',
        value: ({ dealer }) => dealer.storeCode,
        required: true,
        most: 64,
        source: page(14154094),
      },
      {
        name: 'vehicle_fulfillment(option:store_code)',
        value: ({ dealer: { storeCode } }) => storeCode && `in_store:${storeCode}`,
        required: true,
        source: page(14154094),
      },
      ...vin,
      { name: 'brand', value: ({ facts }) => facts.make, required: true, source: GUIDE },
      {
        name: 'model',
        value: ({ facts }) => facts.model,
        required: true,
        most: 150,
        source: GUIDE,
      },
      { name: 'trim', value: ({ facts }) => facts.variant, most: 150, source: GUIDE },
      { name: 'year', value: ({ facts }) => facts.year?.toString(), required: true, source: GUIDE },
      // New cars need `vehicle_msrp` (answer 14154171), which stock lists do not have.
      {
        name: 'condition',
        value: ({ facts }) => (facts.condition === 'used' ? 'used' : undefined),
        required: true,
        source: GUIDE,
      },
      {
        name: 'mileage',
        value: (offer) => {
          const mileage = offer.mileageUnit && mileageOf(offer);
          return mileage && `${mileage} ${offer.mileageUnit === 'mi' ? 'Miles' : 'KM'}`;
        },
        required: true,
        source: page(14156166),
      },
      { name: 'price', value: priceText, required: true, source: GUIDE },
      { name: 'color', value: ({ facts }) => facts.colour, required: true, source: GUIDE },
      {
        name: 'body_style',
        value: ({ standard }) => BODIES[standard.body ?? ''],
        source: page(14157085),
      },
      {
        name: 'engine',
        value: ({ facts, standard }) => facts.fuel && (ENGINES[standard.fuel ?? ''] ?? 'other'),
        required: NEEDS_ENGINE.includes(country),
        source: page(14156068),
      },
      {
        name: 'date_first_registered',
        value: ({ facts }) => facts.firstRegistration,
        required: NEEDS_DATE.includes(country),
        source: page(14546138),
      },
      { name: 'link', value: ({ url }) => url, required: true, source: GUIDE },
      {
        name: 'image_link',
        value: ({ images }) => images[0],
        required: true,
        source: page(11190670),
      },
      {
        name: 'additional_image_link',
        value: ({ images }) => images.slice(1, 1 + MORE_PICTURES).join(','),
        source: GUIDE,
      },
      {
        name: 'google_product_category',
        // Number 916 of Google's product taxonomy.
        value: () => 'Vehicles & Parts > Vehicles > Motor Vehicles > Cars, Trucks & Vans',
        required: true,
        source: GUIDE,
      },
    ],
  };
}
