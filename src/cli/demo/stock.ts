import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { VehicleMediaRecord } from '../../contract/media.ts';
import { lookOf } from '../../sample-service/drawing/spec.ts';
import { SAMPLE_DEFAULTS } from '../../sample-service/index.ts';

/** Makes and models that nobody builds, and their bodies. */
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

/** Headings of the demo's list, as a dealer's own system might write them. */
export const DEMO_COLUMNS = {
  plate: 'Registration',
  transmission: 'Gearbox',
} as const;

/** Year of a plate of the form in use since 2001: `AB21 CDE` and `AB71 CDE` are of 2021. */
const yearOf = (vrm: string): number => 2000 + (Number(vrm.slice(2, 4)) % 50);

function row(dealerId: number, vehicle: VehicleMediaRecord): string {
  const { vrm } = vehicle;
  const [a = 0, b = 0, c = 0, d = 0, e = 0] = createHash('sha256').update(vrm).digest();
  const [make, model, variant, body] = MODELS[a % MODELS.length] ?? MODELS[0];
  const fuel = variant.startsWith('Electric')
    ? 'Electric'
    : variant === 'Hybrid'
      ? 'Hybrid'
      : ['Petrol', 'Diesel'][b % 2];
  const year = yearOf(vrm);
  const price = 5995 + (year - 2015) * 1450 + d * 10;
  const mileage = (2026 - year) * (6400 + c * 8) + e * 20;
  const { paint: colour } = lookOf(SAMPLE_DEFAULTS.seed, dealerId, vehicle);
  const gearbox = b % 3 === 0 ? 'Automatic' : 'Manual';
  return `${vrm},${make},${model},${variant},${year},"£${price.toLocaleString('en-GB')}",${mileage},${fuel},${gearbox},${colour},${body}`;
}

/** A dealer's own list for the demo, of the vehicles with an ordinary plate. */
function demoStock(dealerId: number, vehicles: readonly VehicleMediaRecord[]): string {
  const rows = vehicles
    .filter(({ vrm }) => /^[A-Z]{2}\d{2}[A-Z]{3}$/.test(vrm))
    .map((vehicle) => row(dealerId, vehicle));
  return `${[HEADING, ...rows].join('\n')}\n`;
}

interface DemoDealer {
  id: number;
  name: string;
  vehicles: readonly VehicleMediaRecord[];
}

/** Writes a list for every dealer but the last, which shows what a site looks like without one. */
export async function writeDemoStock(
  dealers: readonly DemoDealer[],
  folder: string,
): Promise<{ id: number; name: string; stock?: string }[]> {
  const named: { id: number; name: string; stock?: string }[] = [];
  for (const [index, { id, name, vehicles }] of dealers.entries()) {
    if (index > 0 && index === dealers.length - 1) {
      named.push({ id, name });
      continue;
    }
    const stock = `stock-${id}.csv`;
    await writeFile(path.join(folder, stock), demoStock(id, vehicles));
    named.push({ id, name, stock });
  }
  return named;
}
