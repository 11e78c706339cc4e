/** The image pipeline for a stock of vehicles, like in a build: plan, compare, process, clean up. */
import { runPipeline } from '../../src/images/pipeline/pipeline.ts';
import { planSources } from '../../src/images/plan.ts';
import { recipeBook } from '../../src/images/recipe-book.ts';
import { openPictureRecords, pipelineRecords } from '../support/picture-records.ts';
import { DEALER, type StockInput, stockOf } from './stock.ts';

const input: StockInput & { cacheDir: string; now: number; media: object } = JSON.parse(
  process.argv[2] ?? '{}',
);
// The benchmark reads and passes the configuration, so this process loads no schema.
const media = input.media as Parameters<typeof runPipeline>[0]['media'];
const pictures = await openPictureRecords(pipelineRecords(input.cacheDir), [DEALER]);
const result = await runPipeline({
  known: pictures.known,
  lastConfirmed: pictures.lastConfirmed,
  sources: planSources(stockOf(input), recipeBook(media)),
  media,
  baseUrl: input.baseUrl,
  cacheDir: input.cacheDir,
  now: input.now,
});
if (result.counts.failed > 0) throw new Error(JSON.stringify(result.failures.slice(0, 3)));
await pictures.save(input.now);
await result.removeUnplanned();
console.log(JSON.stringify(result.counts));
