import path from 'node:path';
import type { DeployedNight } from './deployed-nights.ts';
import { replaceBetweenMarkers, type Short } from './report.ts';

/** Costs of each kind of night at one size, from which other sizes are extrapolated. */
export interface NightUnits {
  vehicles: number;
  /** A night with a change set, and one with the full site, both on an empty disk. */
  thin: DeployedNight;
  full: DeployedNight;
  /** Full build with a restored cache: seconds, and bytes read from the website. */
  cached: { wall: number; records: number };
}

interface NightCost {
  /** Bytes. */
  read: number;
  moved: number;
  sent: number;
  /** Seconds. */
  time: number;
}

const SIZES = [300, 3000, 30_000];
const NIGHTS = 30;
/** Bytes a second between the machines of a CI and its stores: an assumption. */
const LINE = 100e6;

/** Extrapolates the costs to another number of vehicles: they depend on existing or changed files. */
function costOf({ vehicles, thin, full, cached }: NightUnits, way: 'thin' | 'whole', of: number) {
  const times = of / vehicles;
  const site = full.made.bytes;
  const night = way === 'thin' ? thin : full;
  // Into an artifact and out of it, and a cache if there is one.
  const moved = way === 'thin' ? 2 * thin.made.bytes : 4 * site;
  const build = way === 'thin' ? thin.build.wall : cached.wall;
  const cost: NightCost = {
    read: (way === 'thin' ? thin.down : cached.records) * times,
    moved: moved * times,
    sent: night.wire * times,
    time: (build + night.deploy.wall + moved / LINE) * times,
  };
  return cost;
}

const bytes = (count: number): string => {
  const mega = count / 1e6;
  return mega >= 1000 ? `${(mega / 1000).toFixed(1)} GB` : `${mega.toFixed(mega < 10 ? 1 : 0)} MB`;
};
const minutes = (seconds: number): string => (seconds / 60).toFixed(seconds < 600 ? 1 : 0);

/** Writes the costs of a night at each size into docs/scale.md. */
export async function reportCosts(units: NightUnits, options: Short): Promise<void> {
  const rows = SIZES.flatMap((size) =>
    (['thin', 'whole'] as const).map((way, index) => {
      const { read, moved, sent, time } = costOf(units, way, size);
      const month = (read + moved + sent) * NIGHTS;
      const name = index === 0 ? size.toLocaleString('en') : '';
      return `| ${name} | ${way} | ${bytes(read)} | ${bytes(moved)} | ${bytes(sent)} | ${minutes(time)} | ${bytes(month)} | ${minutes(time * NIGHTS)} |`;
    }),
  );
  const { vehicles, thin, full } = units;
  const each = (of: number) => `${(of / vehicles / 1e3).toFixed(1)} kB`;
  const text = [
    '| Vehicles | Build | Read from the site, per night | Moved within the CI, per night | Sent to the host, per night | Minutes per night | Moved per month | Minutes per month |',
    '| ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: |',
    ...rows,
    '',
    `Calculated from these results: a site of ${full.made.files} files and ${bytes(full.made.bytes)} for ${vehicles} vehicles, a change set of ${thin.made.files} files and ${bytes(thin.made.bytes)}, ${each(thin.down)} per vehicle read from the site (with the live check), and ${each(thin.wire - thin.up)} per vehicle for the list that the host receives.`,
  ];
  const file = path.join('docs', 'scale.md');
  await replaceBetweenMarkers(file, 'nights-cost', text.join('\n'), options);
}
