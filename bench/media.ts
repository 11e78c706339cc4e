/**
 * `npm run bench -- media`: the image pipeline compared with other programs, with itself, and with an idle
 * run.
 */

import type { Run } from '../src/lib/command-line/definition.ts';
import { wrongValue } from '../src/lib/command-line/wrong-argument.ts';
import { MEDIA_MEASUREMENTS, type MEDIA_OPTIONS, type MediaMeasurement } from './commands.ts';
import type { BenchContext } from './media/bench-context.ts';
import { nights } from './media/nights.ts';
import { bareLoop, eleventyImg, hugo, latency, memory } from './media/throughput.ts';
import { unchanged } from './media/unchanged.ts';
import { startPictureServer } from './support/picture-server.ts';
import { type Row, reportRows } from './support/report.ts';
import { openWorkspace } from './support/workspace.ts';

const MEASUREMENTS: Record<MediaMeasurement, (context: BenchContext) => Promise<Row[]>> = {
  'bare-loop': bareLoop,
  'eleventy-img': eleventyImg,
  hugo,
  latency,
  memory,
  unchanged,
  nights,
};

export const run: Run<typeof MEDIA_OPTIONS> = async ({ values }) => {
  const asked = values.only.split(',').map((name) => {
    const known = MEDIA_MEASUREMENTS.find((one) => one === name);
    if (known !== undefined) return known;
    throw wrongValue(
      'only',
      'It names no measurement.',
      `There are: ${MEDIA_MEASUREMENTS.join(', ')}.`,
    );
  });
  const workspace = await openWorkspace(values);
  const server = await startPictureServer(workspace.photos);
  try {
    for (const name of asked) {
      const rows = await MEASUREMENTS[name]({
        workspace,
        server,
        runs: values.runs,
        sources: values.sources,
        manySources: values['many-sources'],
        short: values.short,
      });
      // Written immediately, so an interrupted run keeps its results.
      await reportRows('media', rows, values);
    }
  } finally {
    server.close();
    await workspace.remove();
  }
  return 0;
};
