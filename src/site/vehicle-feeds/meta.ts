import type { FeedConfig } from '../../config/feed-schema.ts';
import { FEED_PICTURES } from '../../images/recipe-book.ts';
import { BODIES } from './google.ts';
import { type Column, mileageOf, type Profile, priceText, required, vinOf } from './profile.ts';

/** Meta's name of a body is the last word of Google's: `STATION_WAGON` is `WAGON`. */
const bodyOf = (body = ''): string => BODIES[body]?.toUpperCase().replace(/.*_/, '') ?? 'OTHER';

const FUELS: Readonly<Record<string, string>> = {
  petrol: 'GASOLINE',
  diesel: 'DIESEL',
  electric: 'ELECTRIC',
  hybrid: 'HYBRID',
  'plugin-hybrid': 'HYBRID',
};

const TRANSMISSIONS: Readonly<Record<string, string>> = {
  manual: 'Manual',
  automatic: 'Automatic',
  'semi-automatic': 'Automatic',
};

/**
 * The catalogue of vehicles. Source of all columns:
 * https://developers.facebook.com/docs/marketing-api/auto-ads/reference (April 2024).
 */
export const metaProfile = ({ public: isPublic }: FeedConfig): Profile => ({
  ending: 'csv',
  statuses: ['available', 'reserved'],
  columns: [
    required('vehicle_id', ({ id }) => id, 100),
    required('title', ({ title }) => title, 500),
    required('description', ({ facts, summary }) => facts.description ?? summary, 5000),
    required('url', ({ url }) => url),
    required('make', ({ facts }) => facts.make),
    required('model', ({ facts }) => facts.model),
    required('year', ({ facts }) => facts.year?.toString()),
    required('mileage.value', mileageOf),
    required('mileage.unit', ({ mileageUnit }) => mileageUnit?.toUpperCase()),
    ...Array.from(
      { length: FEED_PICTURES },
      (_, index): Column => ({
        name: `image[${index}].url`,
        value: ({ images }) => images[index],
        required: index === 0,
      }),
    ),
    required('body_style', ({ facts, standard }) => facts.body && bodyOf(standard.body)),
    required('price', priceText),
    required('exterior_color', ({ facts }) => facts.colour),
    required('state_of_vehicle', ({ facts }) => facts.condition?.toUpperCase()),
    required('address.addr1', ({ dealer }) => dealer.address?.street),
    required('address.city', ({ dealer }) => dealer.address?.city),
    required('address.region', ({ dealer }) => dealer.address?.region),
    required('address.postal_code', ({ dealer }) => dealer.address?.postalCode),
    required('address.country', ({ dealer }) => dealer.address?.country),
    { name: 'trim', value: ({ facts }) => facts.variant, most: 50 },
    { name: 'transmission', value: ({ standard }) => TRANSMISSIONS[standard.transmission ?? ''] },
    {
      name: 'drivetrain',
      value: ({ facts, standard }) =>
        facts.drivetrain && (standard.drivetrain?.toUpperCase() ?? 'Other'),
    },
    {
      name: 'fuel_type',
      value: ({ facts, standard }) => facts.fuel && (FUELS[standard.fuel ?? ''] ?? 'OTHER'),
    },
    {
      name: 'availability',
      value: ({ facts }) => (facts.status === 'reserved' ? 'not available' : 'available'),
    },
    { name: 'vehicle_type', value: () => 'car_truck' },
    { name: 'stock_number', value: ({ facts }) => facts.stockId },
    { name: 'dealer_id', value: ({ dealer }) => String(dealer.id) },
    { name: 'dealer_name', value: ({ dealer }) => dealer.name },
    { name: 'dealer_phone', value: ({ dealer }) => dealer.contact?.phone },
    { name: 'latitude', value: ({ dealer }) => dealer.coordinates?.latitude.toString() },
    { name: 'longitude', value: ({ dealer }) => dealer.coordinates?.longitude.toString() },
    // Optional, and in some countries personal data.
    ...(isPublic ? [] : [{ name: 'vin', value: vinOf }]),
  ],
});
