/** The demo: the configuration and stock lists that a dealer group would have for the sample service. */
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { UserConfig } from '../config/schema.ts';
import type { FieldNames } from '../contract/field-names.ts';
import type { VehicleMediaRecord } from '../contract/media.ts';
import { designOf } from '../sample-service/drawing/spec.ts';
import { SAMPLE_DEFAULTS } from '../sample-service/options.ts';

/** Invented makes, models, variants and bodies. */
const MODELS = [
  ['Albion', 'Harrier', '1.5 SE', 'Hatchback'],
  ['Albion', 'Wren', '1.0 Start', 'Hatchback'],
  ['Corvane', 'Lyra', '2.0 Touring', 'Saloon'],
  ['Corvane', 'Orion', 'Electric Plus', 'SUV'],
  ['Halden', 'Fjord', '2.0 Estate', 'Estate'],
  ['Halden', 'Fell', '1.6 Cross', 'SUV'],
  ['Meridian', 'Solstice', '1.4 Sport', 'Coupé'],
  ['Meridian', 'Zephyr', 'Hybrid', 'Saloon'],
] as const;

const HEADING = 'Registration,Make,Model,Variant,Year,Price,Mileage,Fuel,Gearbox,Colour,Body';

function row(dealerId: number, vehicle: VehicleMediaRecord): string {
  const { vrm } = vehicle;
  const [a = 0, b = 0, c = 0, d = 0, e = 0] = createHash('sha256').update(vrm).digest();
  const [make, model, variant, body] = MODELS[a % MODELS.length] ?? MODELS[0];
  const fuel = variant.startsWith('Electric')
    ? 'Electric'
    : variant === 'Hybrid'
      ? 'Hybrid'
      : ['Petrol', 'Diesel'][b % 2];
  // British plates since 2001: `AB21 CDE` and `AB71 CDE` are from 2021.
  const year = 2000 + (Number(vrm.slice(2, 4)) % 50);
  const price = 5995 + (year - 2015) * 1450 + d * 10;
  const mileage = (2026 - year) * (6400 + c * 8) + e * 20;
  const { paint: colour } = designOf(SAMPLE_DEFAULTS.seed, dealerId, vehicle);
  const gearbox = b % 3 === 0 ? 'Automatic' : 'Manual';
  return `${vrm},${make},${model},${variant},${year},"£${price.toLocaleString('en-GB')}",${mileage},${fuel},${gearbox},${colour},${body}`;
}

interface DemoDealer {
  id: number;
  name: string;
  /** Path of the stock list, relative to the configuration. */
  stock?: string;
}

/** Writes a stock list for every dealer except the last, which shows a site without a list. */
export async function writeDemoStock(
  dealers: readonly { id: number; name: string; vehicles: readonly VehicleMediaRecord[] }[],
  folder: string,
): Promise<DemoDealer[]> {
  return Promise.all(
    dealers.map(async ({ id, name, vehicles }, index) => {
      if (index > 0 && index === dealers.length - 1) return { id, name };
      const stock = `stock-${id}.csv`;
      const rows = vehicles
        // Other plates are not in the current format.
        .filter(({ vrm }) => /^[A-Z]{2}\d{2}[A-Z]{3}$/.test(vrm))
        .map((vehicle) => row(id, vehicle));
      await writeFile(path.join(folder, stock), `${[HEADING, ...rows].join('\n')}\n`);
      return { id, name, stock };
    }),
  );
}

/** Invented addresses, with postal codes that do not exist. */
const PLACES = [
  { street: '1 Harbour Way', city: 'Northgate', postalCode: 'ZZ1 1AA' },
  { street: '24 Mill Lane', city: 'Easton', postalCode: 'ZZ2 4AB' },
  { street: '7 Station Road', city: 'Westbury Park', postalCode: 'ZZ3 7AC' },
  { street: '112 High Street', city: 'Southfield', postalCode: 'ZZ4 2AD' },
];

const COLOURS = ['#0f766e', '#b4232f', '#1d4ed8', '#7a3e9d'];

/** The configuration of the demo, as a dealer group would write it for the sample service. */
export function demoConfig({
  baseUrl,
  siteUrl,
  dealers,
  fieldNames,
}: {
  baseUrl: string;
  siteUrl: string;
  dealers: readonly DemoDealer[];
  fieldNames?: FieldNames;
}): UserConfig {
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
        ...(stock && { stock: { file: stock } }),
      };
    }),
  };
}
