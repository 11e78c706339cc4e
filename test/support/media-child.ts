/** The image pipeline in a separate process, for tests that kill it. Prints each finished picture. */
import { runPipeline } from '../../src/images/pipeline/pipeline.ts';
import { type Source, sourceKey } from '../../src/images/plan.ts';
import { recipeBook } from '../../src/images/recipe-book.ts';
import { FIRST_NIGHT, mediaConfig } from './image-pipeline.ts';
import { openPictureMemory } from './picture-memory.ts';

const { urls, cacheDir, baseUrl } = JSON.parse(process.argv[2] ?? '{}') as {
  urls: string[];
  cacheDir: string;
  baseUrl: string;
};
const media = mediaConfig({ widths: [64, 128] }, { downloads: 4, encoders: 2 });
const recipes = recipeBook(media).picture;
const sources = urls.map(
  (url, index): Source => ({
    key: sourceKey(1, { id: index, url }),
    url,
    vehicle: `v${index % 8}`,
    vehicleDate: '',
    recipes,
  }),
);
const controller = new AbortController();
process.once('SIGINT', () => controller.abort());
const dealers = new Set(['1']);
const pictures = await openPictureMemory(cacheDir, dealers);
const result = await runPipeline({
  known: pictures.known,
  lastConfirmed: () => FIRST_NIGHT,
  sources,
  media,
  baseUrl,
  cacheDir,
  now: FIRST_NIGHT,
  signal: controller.signal,
  onProgress: ({ done }) => console.log(`done ${done}`),
}).catch((error: Error) => {
  if (error.name !== 'AbortError') throw error;
  return undefined;
});
if (result) {
  pictures.save();
  await result.removeUnplanned();
  console.log(JSON.stringify(result.counts));
} else process.exitCode = 130;
