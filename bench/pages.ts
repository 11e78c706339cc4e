/** `npm run bench -- pages`: whole builds of large stocks whose thumbnails exist, beside Hugo. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type Figures, measureStock } from './pages/stock-run.ts';
import { hugoVersion } from './support/hugo.ts';
import { reportRows, today } from './support/report.ts';

const usage = `
npm run bench -- pages [options]
  --vehicles A,B,C   sizes of the stock; default 1000,5000,20000
  --runs N           runs of each program, figures are medians; default 3
`;

const { values } = parseArgs({
  options: {
    vehicles: { type: 'string', default: '1000,5000,20000' },
    runs: { type: 'string', default: '3' },
    help: { type: 'boolean', short: 'h' },
  },
});

const seconds = (value: number): string => `${value.toFixed(2)} s`;
const times = (value: number): string => `${value.toFixed(2)} ×`;

function rowsOf(vehicles: number, { full, same, onePercent, hugo }: Figures) {
  const both = ({ wall, cpu }: { wall: number; cpu: number }) =>
    `${seconds(wall)}, CPU ${seconds(cpu)}`;
  const date = today();
  const details = { full, same, onePercent, hugo };
  const large = vehicles >= 20_000;
  return [
    {
      id: `full-${vehicles}`,
      what: `${vehicles} vehicles × 20 pictures, whole build from nothing, thumbnails there`,
      measured: `${both(full)}, ${full.peak.toFixed(0)} MB${hugo ? `; ${times(full.wall / hugo.wall)} of Hugo (${both(hugo)}), by CPU ${times(full.cpu / hugo.cpu)}` : '; no Hugo here'}`,
      target: large ? 'at most 0.40 × Hugo, under 700 MB' : '',
      ...(large && hugo && { met: full.wall / hugo.wall <= 0.4 && full.peak < 700 }),
      details,
      date,
    },
    {
      id: `one-percent-${vehicles}`,
      what: `${vehicles} vehicles, 1 % changed, whole run`,
      measured: `${times(onePercent.wall / full.wall)} of the whole build (${both(onePercent)})`,
      target: large ? 'at most 0.25 ×' : '',
      ...(large && { met: onePercent.wall / full.wall <= 0.25 }),
      details: {},
      date,
    },
    {
      id: `same-${vehicles}`,
      what: `${vehicles} vehicles, nothing changed, whole run with verification`,
      measured: `${both(same)}${hugo ? `; ${times(same.wall / hugo.wall)} of Hugo` : ''}`,
      target: vehicles === 1000 ? 'under 0.70 s, and faster than Hugo' : '',
      ...(vehicles === 1000 && { met: same.wall < 0.7 && (!hugo || same.wall < hugo.wall) }),
      details: {},
      date,
    },
  ];
}

if (values.help) console.log(usage.trim());
else {
  if (!hugoVersion()) console.log('Hugo is not installed (apt-get install hugo): left out');
  const folder = await mkdtemp(path.join(tmpdir(), 'pages-bench-'));
  try {
    for (const size of values.vehicles.split(',').map(Number)) {
      const figures = await measureStock(size, { folder, runs: Number(values.runs) });
      // At once, so that a long run that is stopped keeps what it has.
      await reportRows('pages', rowsOf(size, figures));
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
