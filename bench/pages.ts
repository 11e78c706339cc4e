/** `npm run bench -- pages`: full builds of large stocks with existing thumbnails, compared with Hugo. */
import type { Run } from '../src/lib/command-line/definition.ts';
import { temporaryFolder } from '../src/lib/files/temporary-folder.ts';
import type { PAGES_OPTIONS } from './commands.ts';
import { type Figures, measureStock } from './pages/stock-run.ts';
import { hugoVersion } from './support/hugo.ts';
import { reportRows } from './support/report.ts';

export const run: Run<typeof PAGES_OPTIONS> = async ({ values }) => {
  const seconds = (value: number): string => `${value.toFixed(2)} s`;
  const times = (value: number): string => `${value.toFixed(2)} ×`;

  interface Pair {
    wall: number;
    cpu: number;
  }

  /** Ratios to another program that makes the same pages. Empty if it is not installed. */
  const beside = (name: string, measured: Pair, other: Pair | undefined): string[] =>
    other
      ? [
          `${times(measured.wall / other.wall)} the time and ${times(measured.cpu / other.cpu)} the CPU of ${name} (${seconds(other.wall)}, ${seconds(other.cpu)})`,
        ]
      : [];

  function rowsOf(vehicles: number, figures: Figures) {
    const { full, same, onePercent, ten, thin, hugo, eleventy, pages } = figures;
    const large = vehicles >= 20_000;
    const ofHugo = large ? 0.5 : 0.6;
    const cells = (build: string, { wall, cpu }: Pair, compared: string, run?: typeof full) => ({
      Vehicles: String(vehicles),
      Build: build,
      Time: seconds(wall),
      CPU: seconds(cpu),
      'Largest process, all': run ? `${run.largest.toFixed(0)} MB, ${run.peak.toFixed(0)} MB` : '',
      Compared: compared,
    });
    const more = { wall: ten.wall - same.wall, cpu: ten.cpu - same.cpu };
    const compared = [...beside('Hugo', pages, hugo), ...beside('Eleventy', pages, eleventy)];
    return [
      {
        id: `pages-${vehicles}`,
        cells: cells('pages from nothing', pages, compared.join('; ')),
        target: `at most ${ofHugo.toFixed(2)} × the CPU of Hugo`,
        ...(hugo && { met: pages.cpu / hugo.cpu <= ofHugo }),
        details: { ...figures },
      },
      {
        id: `full-${vehicles}`,
        cells: cells('complete, from nothing', full, '', full),
        target: large ? 'at most 350 MB in a process, 75 s of CPU for 20,000' : '',
        ...(large && { met: full.largest <= 350 && full.cpu <= (75 * vehicles) / 20_000 }),
        details: {},
      },
      {
        id: `one-percent-${vehicles}`,
        cells: cells(
          '1 % changed',
          onePercent,
          `${times(onePercent.wall / full.wall)} the time from nothing`,
        ),
        target: '',
        details: {},
      },
      {
        id: `same-${vehicles}`,
        cells: cells(
          'nothing changed',
          same,
          hugo ? `${times(same.wall / hugo.wall)} the time of Hugo` : '',
        ),
        target: vehicles === 1000 ? 'at most 0.35 × Hugo' : '',
        ...(vehicles === 1000 && hugo && { met: same.wall / hugo.wall <= 0.35 }),
        details: {},
      },
      {
        id: `ten-${vehicles}`,
        cells: cells('ten vehicles changed: in addition', more, ''),
        target: vehicles === 1000 ? 'at most 0.7 s' : '',
        ...(vehicles === 1000 && { met: more.wall <= 0.7 }),
        details: {},
      },
      {
        id: `thin-${vehicles}`,
        cells: cells('1 % changed, thin, empty disk', thin, '', thin),
        target: large ? 'at most 15 s, 350 MB in a process' : '',
        ...(large && { met: thin.wall <= 15 && thin.largest <= 350 }),
        details: {},
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
