/** `npm run bench -- pages`: full builds of large stocks with existing thumbnails, compared with Hugo. */
import type { Run } from '../src/lib/command-line/definition.ts';
import { temporaryFolder } from '../src/lib/files/temporary-folder.ts';
import type { PAGES_OPTIONS } from './commands.ts';
import { type Figures, measureStock } from './pages/stock-run.ts';
import { hugoVersion } from './support/hugo.ts';
import { reportRows, today } from './support/report.ts';

export const run: Run<typeof PAGES_OPTIONS> = async ({ values }) => {
  const seconds = (value: number): string => `${value.toFixed(2)} s`;
  const times = (value: number): string => `${value.toFixed(2)} ×`;

  interface Pair {
    wall: number;
    cpu: number;
  }

  const both = ({ wall, cpu }: Pair) => `${seconds(wall)}, CPU ${seconds(cpu)}`;

  /** Time of another program for the same pages, and the ratio. Empty if it is not installed. */
  const beside = (name: string, measured: Pair, other: Pair | undefined): string =>
    other
      ? `; ${times(measured.wall / other.wall)} of ${name} (${both(other)}), by CPU ${times(measured.cpu / other.cpu)}`
      : '';

  function rowsOf(vehicles: number, figures: Figures) {
    const { full, same, onePercent, ten, thin, hugo, eleventy, pages } = figures;
    const date = today();
    const large = vehicles >= 20_000;
    const ofHugo = large ? 0.5 : 0.6;
    const memory = ({ largest, peak }: Pick<typeof full, 'largest' | 'peak'>) =>
      `${largest.toFixed(0)} MB in the largest process, ${peak.toFixed(0)} in all`;
    return [
      {
        id: `pages-${vehicles}`,
        what: `${vehicles} vehicles × 20 pictures, pages from nothing, with existing thumbnails and cards`,
        measured: `${both(pages)}${beside('Hugo', pages, hugo)}${beside('plain Eleventy', pages, eleventy)}`,
        target: `at most ${ofHugo.toFixed(2)} × the CPU of Hugo`,
        ...(hugo && { met: pages.cpu / hugo.cpu <= ofHugo }),
        details: { ...figures },
        date,
      },
      {
        id: `full-${vehicles}`,
        what: `${vehicles} vehicles, complete build of them, with stock, links and verification`,
        measured: `${both(full)}, ${memory(full)}`,
        target: large ? 'at most 350 MB in a process, 75 s of CPU for 20,000' : '',
        ...(large && { met: full.largest <= 350 && full.cpu <= (75 * vehicles) / 20_000 }),
        details: {},
        date,
      },
      {
        id: `one-percent-${vehicles}`,
        what: `${vehicles} vehicles, 1 % changed, complete build`,
        measured: `${times(onePercent.wall / full.wall)} of the build from nothing (${both(onePercent)})`,
        target: '',
        details: {},
        date,
      },
      {
        id: `same-${vehicles}`,
        what: `${vehicles} vehicles, nothing changed, complete build with verification`,
        measured: `${both(same)}${hugo ? `; ${times(same.wall / hugo.wall)} of Hugo` : ''}`,
        target: vehicles === 1000 ? 'at most 0.35 × Hugo' : '',
        ...(vehicles === 1000 && hugo && { met: same.wall / hugo.wall <= 0.35 }),
        details: {},
        date,
      },
      {
        id: `ten-${vehicles}`,
        what: `${vehicles} vehicles, ten changed, in addition to nothing changed`,
        measured: both({ wall: ten.wall - same.wall, cpu: ten.cpu - same.cpu }),
        target: vehicles === 1000 ? 'at most 0.7 s' : '',
        ...(vehicles === 1000 && { met: ten.wall - same.wall <= 0.7 }),
        details: {},
        date,
      },
      {
        id: `thin-${vehicles}`,
        what: `${vehicles} vehicles, 1 % changed, thin build on an empty disk`,
        measured: `${both(thin)}, ${memory(thin)}`,
        target: large ? 'at most 15 s, 350 MB in a process' : '',
        ...(large && { met: thin.wall <= 15 && thin.largest <= 350 }),
        details: {},
        date,
      },
    ];
  }

  if (!hugoVersion()) console.log('Hugo is not installed (apt-get install hugo): left out');
  await using temporary = await temporaryFolder('pages-bench-');
  const folder = temporary.path;
  for (const size of values.vehicles.split(',').map(Number)) {
    const figures = await measureStock(size, { folder, runs: values.runs, short: values.short });
    // Written immediately, so an interrupted run keeps its results.
    await reportRows('pages', rowsOf(size, figures), values);
  }
  return 0;
};
