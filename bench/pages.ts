/** `npm run bench -- pages`: whole builds of large stocks whose thumbnails exist, beside Hugo. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Run } from '../src/lib/command-line/definition.ts';
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

  /** What another program took for the same pages, and the ratio to it. Empty where it is not here. */
  const beside = (name: string, mine: Pair, other: Pair | undefined): string =>
    other
      ? `; ${times(mine.wall / other.wall)} of ${name} (${both(other)}), by CPU ${times(mine.cpu / other.cpu)}`
      : '';

  function rowsOf(vehicles: number, figures: Figures) {
    const { full, same, onePercent, hugo, eleventy, pages } = figures;
    const date = today();
    const large = vehicles >= 20_000;
    return [
      {
        id: `pages-${vehicles}`,
        what: `${vehicles} vehicles × 20 pictures, pages from nothing, thumbnails there`,
        measured: `${both(pages)}${beside('Hugo', pages, hugo)}${beside('plain Eleventy', pages, eleventy)}`,
        target: large ? 'at most 0.40 × Hugo' : '',
        ...(large && hugo && { met: pages.wall / hugo.wall <= 0.4 }),
        details: { ...figures },
        date,
      },
      {
        id: `full-${vehicles}`,
        what: `${vehicles} vehicles, the whole run that made them, with stock, links and verification`,
        measured: `${both(full)}; ${full.largest.toFixed(0)} MB in the largest process, ${full.peak.toFixed(0)} in all`,
        target: large ? 'at most 450 MB in a process' : '',
        ...(large && { met: full.largest <= 450 }),
        details: {},
        date,
      },
      {
        id: `one-percent-${vehicles}`,
        what: `${vehicles} vehicles, 1 % changed, whole run`,
        measured: `${times(onePercent.wall / pages.wall)} of those pages from nothing, ${times(onePercent.wall / full.wall)} of the run that made them (${both(onePercent)})`,
        target: large ? 'at most 0.20 × of the run' : '',
        ...(large && { met: onePercent.wall / full.wall <= 0.2 }),
        details: {},
        date,
      },
      {
        id: `same-${vehicles}`,
        what: `${vehicles} vehicles, nothing changed, whole run with verification`,
        measured: `${both(same)}${hugo ? `; ${times(same.wall / hugo.wall)} of Hugo` : ''}`,
        target: vehicles === 1000 ? 'at most 0.40 × Hugo' : '',
        ...(vehicles === 1000 && hugo && { met: same.wall / hugo.wall <= 0.4 }),
        details: {},
        date,
      },
    ];
  }

  if (!hugoVersion()) console.log('Hugo is not installed (apt-get install hugo): left out');
  const folder = await mkdtemp(path.join(tmpdir(), 'pages-bench-'));
  try {
    for (const size of values.vehicles.split(',').map(Number)) {
      const figures = await measureStock(size, { folder, runs: values.runs, short: values.short });
      // At once, so that a long run that is stopped keeps what it has.
      await reportRows('pages', rowsOf(size, figures), values);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return 0;
};
