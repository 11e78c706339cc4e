/** `npm run bench -- media`: the media line against others, against itself, and doing nothing. */
import type { BenchContext } from './media/bench-context.ts';
import { nights } from './media/nights.ts';
import { bareLoop, eleventyImg, hugo, latency, memory } from './media/throughput.ts';
import { unchanged } from './media/unchanged.ts';
import { benchOptions } from './support/options.ts';
import { startPictureServer } from './support/picture-server.ts';
import { type Row, reportRows } from './support/report.ts';
import { openWorkspace } from './support/workspace.ts';

const usage = `
npm run bench -- media [options]
  --sources N        pictures of a run; default 200
  --many-sources N   pictures of the large memory run; default 2000
  --runs N           runs of each program, figures are medians; default 5
  --photos DIR       pictures of cameras, besides the drawn ones; default ../shared/data/photos
  --only A,B         only these measurements: bare-loop, eleventy-img, hugo, latency, memory,
                     unchanged, nights
`;

const MEASUREMENTS: Record<string, (context: BenchContext) => Promise<Row[]>> = {
  'bare-loop': bareLoop,
  'eleventy-img': eleventyImg,
  hugo,
  latency,
  memory,
  unchanged,
  nights,
};

const values = benchOptions(usage, {
  sources: { type: 'string', default: '200' },
  'many-sources': { type: 'string', default: '2000' },
  runs: { type: 'string', default: '5' },
  photos: { type: 'string', default: '../shared/data/photos' },
  only: { type: 'string', default: Object.keys(MEASUREMENTS).join(',') },
});

{
  const workspace = await openWorkspace(values.photos);
  const server = await startPictureServer(workspace.photos);
  try {
    for (const name of values.only.split(',')) {
      const measurement = MEASUREMENTS[name];
      if (!measurement) throw new Error(`There is no measurement "${name}".\n${usage}`);
      const rows = await measurement({
        workspace,
        server,
        runs: Number(values.runs),
        sources: Number(values.sources),
        manySources: Number(values['many-sources']),
      });
      // At once, so that a long run that is stopped keeps what it has.
      await reportRows('media', rows);
    }
  } finally {
    server.close();
    await workspace.remove();
  }
}
