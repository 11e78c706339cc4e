/**
 * Compares the plan with the rows without checking outputs on the disk. The difference is the cost of these
 * checks.
 */
import { OutputNames } from '../../src/images/output-names.ts';
import { differenceOf } from '../../src/images/pipeline/difference.ts';
import { planSources } from '../../src/images/plan.ts';
import { recipeBook } from '../../src/images/recipe-book.ts';
import { openPictureRecords, pipelineRecords } from '../support/picture-records.ts';
import { DEALER, type StockInput, stockOf } from './stock.ts';

const input: StockInput & { cacheDir: string; now: number; media: object } = JSON.parse(
  process.argv[2] ?? '{}',
);
const media = input.media as Parameters<typeof recipeBook>[0];
const { known, lastConfirmed } = await openPictureRecords(pipelineRecords(input.cacheDir), [
  DEALER,
]);
const sources = planSources(stockOf(input), recipeBook(media));
const existing = new OutputNames();
existing.addRecorded(known.contents);
const { tasks } = differenceOf(sources, { known, existing, media, now: input.now, lastConfirmed });
if (tasks.length > 0) throw new Error(`${tasks.length} sources would be asked for`);
