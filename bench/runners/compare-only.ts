/** Plan against manifest, believing that every output is there: what the folder listing adds. */
import path from 'node:path';
import { nextStep, planSources } from '../../src/media/plan.ts';
import { recipeBook } from '../../src/media/recipes.ts';
import { configurationName } from '../../src/media/store/configurations.ts';
import { Manifest } from '../../src/media/store/manifest.ts';
import { type StockInput, stockOf } from './stock.ts';

const input: StockInput & { cacheDir: string; now: number; media: object } = JSON.parse(
  process.argv[2] ?? '{}',
);
const media = input.media as Parameters<typeof recipeBook>[0];
const manifest = Manifest.open(path.join(input.cacheDir, 'media', configurationName('site')));
const sources = planSources(stockOf(input), recipeBook(media));
const work = sources.filter((source) => {
  const entry = manifest.sources.get(source.key);
  const step = nextStep(source, {
    entry,
    content: entry && manifest.contents.get(entry.hash),
    hasAll: () => true,
    now: input.now,
    revalidateAfter: media.revalidateAfter,
  });
  return step.kind !== 'nothing';
});
if (work.length > 0) throw new Error(`${work.length} sources would be asked for`);
