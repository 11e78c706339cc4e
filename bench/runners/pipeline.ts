/** Runs the complete image pipeline from local HTTP to files: sources 0 to `count - 1` of a picture server. */
import { runPipeline } from '../../src/images/pipeline/pipeline.ts';
import { recipeBook } from '../../src/images/recipe-book.ts';
import { mediaConfig } from './media-config.ts';

export interface LineInput {
  baseUrl: string;
  count: number;
  cacheDir: string;
}

const input: LineInput = JSON.parse(process.argv[2] ?? '{}');
const media = mediaConfig(input.baseUrl);
const recipes = recipeBook(media).picture;
const sources = Array.from({ length: input.count }, (_, number) => {
  const url = `${input.baseUrl}/${number}.jpg`;
  const vehicle = `v${Math.floor(number / 20)}`;
  return { key: `1/${number} ${url}`, url, vehicle, vehicleDate: '2026-03-02T09:00:00Z', recipes };
});
const result = await runPipeline({
  sources,
  media,
  baseUrl: input.baseUrl,
  cacheDir: input.cacheDir,
  now: Date.now(),
});
if (result.counts.failed > 0) throw new Error(JSON.stringify(result.failures.slice(0, 3)));
await result.removeUnplanned();
console.log(JSON.stringify(result.counts));
