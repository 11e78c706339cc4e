/** Runs the image pipeline without work, with the queue and store of the environment. */
import { enginesOf } from '../../src/config/engines.ts';
import { openEngines } from '../../src/images/pipeline/engines.ts';
import { runPipeline } from '../../src/images/pipeline/pipeline.ts';
import { FIRST_NIGHT, mediaConfig } from './image-pipeline.ts';

const cacheDir = process.argv[2] ?? '';
await using open = await openEngines(enginesOf(process.env), cacheDir);
const { counts } = await runPipeline({
  sources: [],
  media: mediaConfig(),
  baseUrl: 'http://127.0.0.1:1',
  cacheDir,
  now: FIRST_NIGHT,
  engines: open.engines,
});
console.log(counts.sources);
