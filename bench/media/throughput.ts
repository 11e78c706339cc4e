import { hugoSite, hugoVersion } from '../support/hugo.ts';
import { type Cost, interleave, measure, measureScript, medianCost } from '../support/measure.ts';
import type { Row } from '../support/report.ts';
import { type BenchContext, runner, seconds, times } from './bench-context.ts';

const runPipeline = ({ workspace, server }: BenchContext, count: number): Promise<Cost> =>
  measureScript(runner('pipeline'), {
    baseUrl: server.baseUrl,
    count,
    cacheDir: workspace.fresh('pipeline'),
  });

interface Contender {
  id: string;
  name: string;
  count: number;
  limit: number;
  run: () => Promise<Cost>;
}

async function against(context: BenchContext, contender: Contender): Promise<Row> {
  const { id, name, count, limit, run } = contender;
  console.log(`${count} sources, our pipeline and ${name}:`);
  const costs = await interleave(context.runs, {
    ours: () => runPipeline(context, count),
    other: run,
  });
  const ours = medianCost(costs.ours);
  const other = medianCost(costs.other);
  const ratio = ours.cpu / other.cpu;
  return {
    id,
    cells: {
      Measurement: `CPU per source, against ${name} (${count} sources)`,
      Result: `${times(ratio)} (${seconds(ours.cpu)} against ${seconds(other.cpu)}; wall ${seconds(ours.wall)} against ${seconds(other.wall)})`,
    },
    target: `at most ${limit.toFixed(2)}`,
    met: ratio <= limit,
    details: { ratio, ours, other, count, runs: context.runs },
  };
}

/** Compares the complete image pipeline with the minimum that sharp needs. */
export async function bareLoop(context: BenchContext): Promise<Row[]> {
  const { workspace, sources } = context;
  const folder = await workspace.files(sources);
  const run = () =>
    measureScript(runner('bare-loop'), { folder, output: workspace.fresh('bare-loop') });
  return [
    await against(context, {
      id: 'bare-loop',
      name: 'a bare sharp loop',
      count: sources,
      limit: 1.1,
      run,
    }),
  ];
}

export async function eleventyImg(context: BenchContext): Promise<Row[]> {
  const { workspace } = context;
  const count = Math.ceil(context.sources / 2);
  const folder = await workspace.files(count);
  const run = () =>
    measureScript(runner('eleventy-img'), { folder, output: workspace.fresh('eleventy-img') });
  return [
    await against(context, {
      id: 'eleventy-img',
      name: '@11ty/eleventy-img 7',
      count,
      limit: 0.8,
      run,
    }),
  ];
}

export async function hugo(context: BenchContext): Promise<Row[]> {
  const version = hugoVersion();
  if (version === undefined) {
    console.log('Hugo is not installed: its row is left as it is.');
    return [];
  }
  const { workspace } = context;
  const count = Math.ceil(context.sources / 4);
  const photos = await workspace.files(count);
  const run = async () => {
    const site = workspace.fresh('hugo');
    await hugoSite(site, photos);
    return measure(['hugo', '--quiet', '--cacheDir', `${site}/cache`], site);
  };
  return [await against(context, { id: 'hugo', name: `Hugo ${version}`, count, limit: 0.3, run })];
}

/** Compares a distant server with a near one, to test whether encoding hides the download time. */
export async function latency(context: BenchContext): Promise<Row[]> {
  const count = Math.ceil(context.sources / 2);
  const at = (milliseconds: number) => async () => {
    await context.server.setLatency(milliseconds);
    return runPipeline(context, count);
  };
  console.log(`${count} sources, 60 ms of latency and none:`);
  const costs = await interleave(context.runs, { far: at(60), near: at(0) });
  await context.server.setLatency(0);
  const far = medianCost(costs.far);
  const near = medianCost(costs.near);
  const ratio = far.wall / near.wall;
  return [
    {
      id: 'latency',
      cells: {
        Measurement: `Wall time with a server of 60 ms latency against no latency (${count} sources)`,
        Result: `${times(ratio)} (${seconds(far.wall)} against ${seconds(near.wall)})`,
      },
      target: 'at most 1.05',
      met: ratio <= 1.05,
      details: { ratio, far, near, count, runs: context.runs },
    },
  ];
}

/** Whether memory grows with the number of sources. */
export async function memory(context: BenchContext): Promise<Row[]> {
  const { manySources } = context;
  const few = Math.ceil(manySources / 10);
  console.log(`Memory, ${manySources} and ${few} sources:`);
  const costs = await interleave(Math.min(context.runs, 3), {
    few: () => runPipeline(context, few),
    many: () => runPipeline(context, manySources),
  });
  const less = medianCost(costs.few);
  const more = medianCost(costs.many);
  const ratio = more.peak / less.peak;
  const most = manySources > 2000 ? 1.2 : 1.1;
  return [
    {
      id: manySources > 2000 ? `memory-${manySources}` : 'memory',
      cells: {
        Measurement: `Peak memory, both processes: ${manySources} sources against ${few}`,
        Result: `${times(ratio)} (${more.peak.toFixed(0)} MB against ${less.peak.toFixed(0)} MB)`,
      },
      target: `at most ${most.toFixed(2)}, and under 350 MB`,
      met: ratio <= most && more.peak < 350,
      details: { ratio, many: more, few: less, runs: Math.min(context.runs, 3) },
    },
  ];
}
