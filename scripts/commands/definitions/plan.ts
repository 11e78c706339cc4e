import { CONFIG } from '../../../src/cli/definitions/options.ts';
import { type Described, defineOptions } from '../../../src/lib/command-line/definition.ts';
import { MOST_SHARDS } from '../../../src/publish/options/shard.ts';

export const PLAN_OPTIONS = defineOptions({
  shards: {
    type: 'number',
    value: 'N',
    default: 2,
    least: 1,
    most: MOST_SHARDS,
    help: 'how many parts',
  },
  keep: {
    type: 'path',
    value: 'FILE',
    help: 'the plan of last time, if it is there: dealers stay in their parts while these are about equal; the new plan is written there',
  },
  ...CONFIG,
  cache: {
    type: 'path',
    value: 'DIR',
    default: '.cache',
    help: 'where the last good answers lie, if they do: they say how large a dealer is; others are asked for',
  },
});

export const plan: Described<typeof PLAN_OPTIONS> = {
  name: 'plan',
  summary: 'share the dealers out among several machines',
  description:
    "Plans a build on several machines: prints the matrix of a CI's jobs as one line of JSON, each row with what npm run build needs for one part. The parts are about equal, the heaviest first.",
  options: PLAN_OPTIONS,
  silent: true,
  exitCodes: { 0: 'planned', 2: 'configuration', 5: 'interrupted' },
  examples: [{ args: '--shards 4', does: 'print the matrix of four jobs' }],
};
