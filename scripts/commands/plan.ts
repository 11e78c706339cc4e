import path from 'node:path';
import { configFile } from '../../src/cli/shared/config-file.ts';
import { loadConfig } from '../../src/config/load.ts';
import { EXIT } from '../../src/errors.ts';
import type { Run } from '../../src/lib/command-line/definition.ts';
import { makeFolder } from '../../src/lib/files/write.ts';
import { claimCache } from '../../src/publish/folder-checks/check.ts';
import { balance } from '../../src/publish/shards/balance.ts';
import {
  type Matrix,
  readCachedPlan,
  refuseOthersPlan,
  writeCachedPlan,
} from '../../src/publish/shards/cached-plan.ts';
import { weigh } from '../../src/publish/shards/weights.ts';
import type { PLAN_OPTIONS } from './definitions/plan.ts';

export const run: Run<typeof PLAN_OPTIONS> = async ({ values }, io) => {
  const { env, signal, stdout, stderr } = io;
  const config = await loadConfig({
    file: configFile(values, io),
    env,
    keysFor: 'dealers',
  });
  // Standard output is for the plan alone.
  const warn = (text: string) => stderr.write(`${text}\n`);
  const { keep: kept, cache: cacheDir } = values;
  if (kept !== undefined) {
    // Before anybody is asked.
    refuseOthersPlan(kept);
    makeFolder(path.dirname(kept));
  }
  const former = kept === undefined ? [] : readCachedPlan(kept, warn);
  await claimCache(cacheDir, config);
  const weights = await weigh({ config, cacheDir, signal, warn });
  const matrix: Matrix = { include: balance(weights, values.shards, former) };
  if (kept !== undefined) await writeCachedPlan(kept, matrix);
  stdout.write(`${JSON.stringify(matrix)}\n`);
  return EXIT.published;
};
