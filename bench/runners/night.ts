/** The image pipeline for a stock of vehicles, like in a build: plan, compare, process, clean up. */
import { runMediaLine } from '../../src/images/line/line.ts';
import { planSources } from '../../src/images/plan.ts';
import { recipeBook } from '../../src/images/recipe-book.ts';
import { lineRecords, openPictureRecords } from '../support/picture-records.ts';
import { DEALER, type StockInput, stockOf } from './stock.ts';

const input: StockInput & { cacheDir: string; now: number; media: object } = JSON.parse(
  process.argv[2] ?? '{}',
);
// The benchmark reads and passes the configuration, so this process loads no schema.
const media = input.media as Parameters<typeof runMediaLine>[0]['media'];
const pictures = await openPictureRecords(lineRecords(input.cacheDir), [DEALER]);
const result = await runMediaLine({
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
