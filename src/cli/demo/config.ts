import type { UserConfig } from '../../config/schema.ts';
import type { FieldNames } from '../../contract/field-names.ts';
import { DEMO_COLUMNS } from './stock.ts';

export interface DemoConfigOptions {
  baseUrl: string;
  siteUrl: string;
  /** `stock`: the file of the dealer's own list, where it has one. */
  dealers: readonly { id: number; name: string; stock?: string }[];
  fieldNames?: FieldNames;
}

/** Streets of no town: house numbers and codes that no post serves. */
const PLACES = [
  { street: '1 Harbour Way', city: 'Northgate', postalCode: 'ZZ1 1AA' },
  { street: '24 Mill Lane', city: 'Easton', postalCode: 'ZZ2 4AB' },
  { street: '7 Station Road', city: 'Westbury Park', postalCode: 'ZZ3 7AC' },
  { street: '112 High Street', city: 'Southfield', postalCode: 'ZZ4 2AD' },
];

const COLOURS = ['#0f766e', '#b4232f', '#1d4ed8', '#7a3e9d'];

/** The configuration of the demo: what a dealer group would write for the sample service. */
export function demoConfig({
  baseUrl,
  siteUrl,
  dealers,
  fieldNames,
}: DemoConfigOptions): UserConfig {
  return {
    service: { baseUrl, ...(fieldNames && { fieldNames }) },
    site: {
      title: 'Sample Motor Group',
      url: siteUrl.replace(/\/$/, ''),
      locale: 'en-GB',
      timeZone: 'Europe/London',
      favourites: true,
    },
    dealers: dealers.map(({ id, name, stock }, index) => {
      const slug = name.toLowerCase().replace(/[^a-z0-9]+/g, '-');
      return {
        id,
        name,
        slug,
        contact: {
          // Numbers and names that Ofcom and RFC 2606 set aside for examples.
          phone: `+44 1632 96000${index % 10}`,
          whatsapp: `+44770090000${index % 10}`,
          email: `sales@${slug}.example`,
        },
        address: { ...(PLACES[index % PLACES.length] as (typeof PLACES)[0]), country: 'GB' },
        openingHours: { week: ['Mo-Fr 08:30-18:30', 'Sa 09:00-17:00', 'Su 10:00-16:00'] },
        website: `https://${slug}.example/`,
        imprint: `https://${slug}.example/company/`,
        privacy: `https://${slug}.example/privacy/`,
        colour: COLOURS[index % COLOURS.length],
        ...(stock && { stock: { file: stock, columns: DEMO_COLUMNS } }),
      };
    }),
  };
}
