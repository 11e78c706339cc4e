import path from 'node:path';
import { defaultConfigFile, loadConfig } from '../src/config/load.ts';
import { EXIT } from '../src/errors.ts';
import { makeFolder } from '../src/lib/files/write.ts';
import { claimCache } from '../src/publish/folders/check.ts';
import { MOST_PARTS } from '../src/publish/options/shard.ts';
import { balance } from '../src/publish/shards/balance.ts';
import {
  type Matrix,
  readCachedPlan,
  refuseOthersPlan,
  writeCachedPlan,
} from '../src/publish/shards/cached-plan.ts';
import { weigh } from '../src/publish/shards/weights.ts';
import { runCommand, wholeNumber } from './cli.ts';

const usage = `
Plans a build on several machines: prints the matrix of a CI's jobs as one line of JSON, each row
with what npm run build needs for one part. The parts are about equal, the heaviest first.

npm run --silent plan -- --shards N [options]
  --shards N           how many parts; default 2
  --keep FILE          the plan of last time, if it is there: dealers stay in their parts while these
                       are about equal; the new plan is written there
  --config FILE        configuration (.ts, .js or .json); default site.config.ts
  --cache DIR          where the last good answers lie, if they do: they say how large a dealer is;
                       others are asked for; default .cache

Exit codes: 0 planned, 2 configuration, 5 interrupted.
`;

await runCommand(
  {
    usage,
    options: {
      shards: { type: 'string', default: '2' },
      keep: { type: 'string' },
      config: { type: 'string' },
      cache: { type: 'string', default: '.cache' },
    },
  },
  async ({ values }, signal) => {
    const count = wholeNumber('shards', values.shards, MOST_PARTS, 1);
    const config = await loadConfig({
      file: values.config ?? defaultConfigFile(),
      keysFor: 'dealers',
    });
    // Standard output is for the plan alone.
    const warn = (text: string) => console.error(text);
    const kept = values.keep === undefined ? undefined : path.resolve(values.keep);
    if (kept !== undefined) {
      // Before anybody is asked.
      refuseOthersPlan(kept);
      makeFolder(path.dirname(kept));
    }
    const former = kept === undefined ? [] : readCachedPlan(kept, warn);
    const cacheDir = path.resolve(values.cache);
    await claimCache(cacheDir, config);
    const weights = await weigh({ config, cacheDir, signal, warn });
    const matrix: Matrix = { include: balance(weights, count, former) };
    if (kept !== undefined) await writeCachedPlan(kept, matrix);
    console.log(JSON.stringify(matrix));
    return EXIT.published;
  },
);
