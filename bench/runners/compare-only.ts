/**
 * Compares the plan with the rows without checking outputs on the disk. The difference is the cost of these
 * checks.
 */
import { nextStep, planSources } from '../../src/images/plan.ts';
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
const work = sources.filter((source) => {
  const { entry, content } = known.known(source.key) ?? {};
  const step = nextStep(source, {
    entry,
    content,
    hasAll: () => true,
    lastConfirmed: lastConfirmed(DEALER),
    now: input.now,
    revalidateAfter: media.revalidateAfter,
  });
  return step.kind !== 'nothing';
});
if (work.length > 0) throw new Error(`${work.length} sources would be asked for`);
