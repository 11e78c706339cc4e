/** Runs the image pipeline without work, with the queue and store of the environment. */
import { enginesOf } from '../../src/config/engines.ts';
import { openEngines } from '../../src/images/line/engines.ts';
import { runMediaLine } from '../../src/images/line/line.ts';
import { FIRST_NIGHT, mediaConfig } from './media-line.ts';

const cacheDir = process.argv[2] ?? '';
await using open = await openEngines(enginesOf(process.env), cacheDir);
const { counts } = await runMediaLine({
  sources: [],
  media: mediaConfig(),
  baseUrl: 'http://127.0.0.1:1',
  cacheDir,
  now: FIRST_NIGHT,
  engines: open.engines,
});
console.log(counts.sources);
