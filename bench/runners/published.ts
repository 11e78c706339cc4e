/** The media line on an empty disk, with or without a published site; prints its counts. */
import path from 'node:path';
import { runMediaLine } from '../../src/images/line/line.ts';
import { planSources } from '../../src/images/plan.ts';
import { recipeBook } from '../../src/images/recipes.ts';
import { linkFile } from '../../src/lib/files/hard-link.ts';
import { lineRecords, openPictureRecords } from '../support/picture-records.ts';
import { DEALER, type StockInput, stockOf } from './stock.ts';

const input: StockInput & {
  cacheDir: string;
  now: number;
  media: object;
  /** Folder that thumbnails are put into, as a site has them. */
  site: string;
  /** Address of the published site; absent where everything is made. */
  from?: string;
} = JSON.parse(process.argv[2] ?? '{}');
// Read by the bench and handed over whole, so that this process loads no schema.
const media = input.media as Parameters<typeof runMediaLine>[0]['media'];
const sources = planSources(stockOf(input), recipeBook(media));
const pictures = await openPictureRecords(lineRecords(input.cacheDir), [DEALER]);
const result = await runMediaLine({
  known: pictures.known,
  lastConfirmed: pictures.lastConfirmed,
  sources,
  media,
  baseUrl: input.baseUrl,
  cacheDir: input.cacheDir,
  now: input.now,
  ...(input.from && { published: { url: input.from } }),
});
if (result.counts.failed > 0) throw new Error(JSON.stringify(result.failures.slice(0, 3)));
if (result.problems.length > 0) throw new Error(result.problems.join(' '));
for (const name of result.outputs)
  linkFile(path.join(result.folder, name), path.join(input.site, 'media', name));
await pictures.save(input.now);
await result.removeUnplanned();
console.log(JSON.stringify(result.counts));
