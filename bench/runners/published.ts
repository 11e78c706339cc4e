/** The media line on an empty disk, with or without a published site; prints its counts. */
import path from 'node:path';
import { runMediaLine } from '../../src/media/line.ts';
import { planSources } from '../../src/media/plan.ts';
import { recipeBook } from '../../src/media/recipes.ts';
import { listOutputs } from '../../src/media/store/listing.ts';
import { publishedLists } from '../../src/publish/published-lists.ts';
import { writeFiles } from '../../src/publish/render.ts';
import { place } from '../../src/publish/tree/place.ts';
import { type StockInput, stockOf } from './stock.ts';

const input: StockInput & {
  cacheDir: string;
  now: number;
  media: object;
  /** Folder that thumbnails and lists are put into, as a site has them. */
  site: string;
  /** Address of the published site; absent where everything is made. */
  from?: string;
} = JSON.parse(process.argv[2] ?? '{}');
// Read by the bench and handed over whole, so that this process loads no schema.
const media = input.media as Parameters<typeof runMediaLine>[0]['media'];
const sources = planSources(stockOf(input), recipeBook(media));
const result = await runMediaLine({
  sources,
  media,
  baseUrl: input.baseUrl,
  cacheDir: input.cacheDir,
  now: input.now,
  ...(input.from && { published: { url: input.from, use: 'when-empty' as const } }),
});
if (result.counts.failed > 0) throw new Error(JSON.stringify(result.failures.slice(0, 3)));
if (result.problems.length > 0) throw new Error(result.problems.join(' '));
const made = [...listOutputs(result.folder).outputs].filter((name) => result.outputs.has(name));
for (const name of made)
  place(path.join(result.folder, name), path.join(input.site, 'media', name));
writeFiles(await publishedLists(result), input.site);
await result.removeUnplanned();
console.log(JSON.stringify(result.counts));
