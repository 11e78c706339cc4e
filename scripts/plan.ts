import path from 'node:path';
import { defaultConfigFile, loadConfig } from '../src/config/load.ts';
import { EXIT } from '../src/errors.ts';
import { balance } from '../src/publish/shards/shard.ts';
import { weigh } from '../src/publish/shards/weights.ts';
import { runCommand, wholeNumber } from './cli.ts';

const usage = `
Plans a build on several machines: prints the matrix of a CI's jobs as one line of JSON, each row
with what npm run build needs for one part. The parts are about equal, the heaviest first.

npm run --silent plan -- --shards N [options]
  --shards N           how many parts
  --config FILE        configuration (.ts, .js or .json); default site.config.ts
  --cache DIR          where the last good answers lie, if they do: they say how large a dealer is;
                       others are asked for; default .cache

Exit codes: 0 planned, 2 configuration.
`;

await runCommand(
  {
    usage,
    options: {
      shards: { type: 'string', default: '2' },
      config: { type: 'string' },
      cache: { type: 'string', default: '.cache' },
    },
  },
  async ({ values }, signal) => {
    const count = wholeNumber('shards', values.shards, 1000);
    const config = await loadConfig({
      file: values.config ?? defaultConfigFile(),
      keysFor: 'dealers',
    });
    const weights = await weigh({
      config,
      cacheDir: path.resolve(values.cache),
      signal,
      warn: (text) => console.error(text),
    });
    console.log(JSON.stringify({ include: balance(weights, Math.max(1, count)) }));
    return EXIT.published;
  },
);
