import { cp } from 'node:fs/promises';
import path from 'node:path';
import { fingerprintOf } from '../../src/images/fingerprint.ts';
import { planSources } from '../../src/images/plan.ts';
import { recipeBook } from '../../src/images/recipe-book.ts';
import { contentHash, outputSuffixes } from '../../src/images/recipes.ts';
import { putOutput } from '../../src/images/stores/folder.ts';
import { mediaConfig } from '../runners/media-config.ts';
import { DEALER, stockOf } from '../runners/stock.ts';
import { CONTENT, recordPicture } from '../support/filled-store.ts';
import { interleave, measure, measureScript, medianCost } from '../support/measure.ts';
import { openPictureRecords, pipelineRecords } from '../support/picture-records.ts';
import type { Row } from '../support/report.ts';
import { type BenchContext, runner, times } from './bench-context.ts';

const PICTURES = 20;
/** Three outputs a picture: two widths and the fallback. */
const MEDIA = { widths: [320, 1280] };

/** A store like after a build, without decoding: empty files with the correct names. */
async function fillStore(cacheDir: string, baseUrl: string, vehicles: number, now: number) {
  const media = mediaConfig(baseUrl, MEDIA);
  const folder = path.join(cacheDir, 'media', 'files');
  const { known, save } = await openPictureRecords(pipelineRecords(cacheDir), [DEALER]);
  const fingerprint = fingerprintOf(Buffer.alloc(0));
  const shown: [string, readonly string[]][] = [];
  const stock = stockOf({ baseUrl, vehicles, pictures: PICTURES });
  for (const source of planSources(stock, recipeBook(media))) {
    const { key, url = '', recipes } = source;
    const validator = `"${/(\d+)\.jpg$/.exec(url)?.[1]}-0"`;
    const hash = contentHash(Buffer.from(key));
    shown.push([key, outputSuffixes(CONTENT, recipes)]);
    for (const name of recordPicture(known, source, { hash, validator, fingerprint }))
      await putOutput(folder, name, Buffer.alloc(0), fingerprint);
  }
  known.show(shown);
  await save(now);
  return media;
}

const milliseconds = (value: number): string => `${Math.round(value * 1000)} ms`;

/** Measures a run without any work, and a run that requests one vehicle again. */
export async function unchanged({ workspace, server, runs, short }: BenchContext): Promise<Row[]> {
  const vehicles = short ? 10 : 1000;
  const now = Date.now();
  const cacheDir = workspace.fresh('unchanged');
  const oneDir = workspace.fresh('one-vehicle');
  const media = await fillStore(cacheDir, server.baseUrl, vehicles, now);
  await fillStore(oneDir, server.baseUrl, 1, now);
  const all = { baseUrl: server.baseUrl, vehicles, pictures: PICTURES, now, media };
  const single = { ...all, vehicles: 1, cacheDir: oneDir };
  // Uses a copy, so that the next unchanged run really finds no change.
  const runChanged = async (input: typeof single) => {
    const copy = workspace.fresh('changed');
    await cp(input.cacheDir, copy, { recursive: true, preserveTimestamps: true });
    return measureScript(runner('night'), { ...input, cacheDir: copy, updates: { 0: 1 } });
  };
  console.log(`${vehicles} vehicles × ${PICTURES} pictures, nothing changed and one vehicle:`);
  const costs = await interleave(runs, {
    node: () => measure([process.execPath, '--eval', '0']),
    compareOnly: () => measureScript(runner('compare-only'), { ...all, cacheDir }),
    nothing: () => measureScript(runner('night'), { ...all, cacheDir }),
    oneNothing: () => measureScript(runner('night'), single),
    oneChanged: () => runChanged(single),
    changed: () => runChanged({ ...all, cacheDir }),
  });
  const wall = (name: keyof typeof costs) => medianCost(costs[name]).wall;
  const node = wall('node');
  // On a busy machine, wall time includes other programs. CPU time does not.
  const cpu = (name: keyof typeof costs) =>
    medianCost(costs[name]).cpu - medianCost(costs.node).cpu;
  const cpuText = (name: keyof typeof costs) => `${milliseconds(cpu(name))} of CPU on all cores`;
  const trusting = wall('compareOnly') - node;
  const verified = wall('nothing') - node;
  const requestCpu = cpu('oneChanged') - cpu('oneNothing');
  const ratio = (cpu('changed') - requestCpu) / cpu('nothing');
  const details = Object.fromEntries(
    Object.entries(costs).map(([name, list]) => [name, medianCost(list)]),
  );
  return [
    {
      id: 'nothing-changed',
      cells: {
        Measurement: `Nothing changed, ${vehicles} vehicles × ${PICTURES} pictures × 3 outputs: plan and compare, beyond Node's start`,
        Result: `${milliseconds(trusting)}, ${cpuText('compareOnly')} (whole process, modules included; Node's start ${milliseconds(node)})`,
      },
      target: 'under 200 ms',
      met: trusting < 0.2,
      details,
    },
    {
      id: 'nothing-changed-verified',
      cells: {
        Measurement: 'The same, with each output verified (as in every build)',
        Result: `${milliseconds(verified)}, ${cpuText('nothing')}`,
      },
      target: 'under 400 ms',
      met: verified < 0.4,
      details: {},
    },
    {
      id: 'one-changed',
      cells: {
        Measurement: `One vehicle of ${vehicles} changed, CPU without its ${PICTURES} requests (${milliseconds(requestCpu)}, including the HTTP client)`,
        Result: `${times(ratio)} of nothing changed (${cpuText('changed')} with the requests, wall ${milliseconds(wall('changed') - node)})`,
      },
      target: 'under 1.30',
      met: ratio < 1.3,
      details: {},
    },
  ];
}
