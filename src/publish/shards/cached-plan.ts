import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { makeFolder, writeFileAtomic } from '../../lib/files/write.ts';
import { refuseOthersFile } from '../folder-checks/check.ts';
import type { PlannedShard } from './balance.ts';

/** The matrix of a CI's jobs. */
export interface Matrix {
  include: PlannedShard[];
}

const cachedPlanSchema = z.object({
  include: z.array(
    z.object({
      shard: z.string().regex(/^\d{1,4}\/\d{1,4}$/),
      dealers: z.string().regex(/^(?:\d+(?:,\d+)*)?$/),
    }),
  ),
});

export type CachedPlan = z.infer<typeof cachedPlanSchema>['include'];

/** @throws {ConfigError} the file holds something other than a plan, which would be overwritten. */
export function refuseOthersPlan(file: string): void {
  // A torn plan, or one of another version, also begins like this.
  refuseOthersFile(file, (text) => text.startsWith('{"include":'), {
    code: 'plan-not-ours',
    name: 'The plan',
    fix: 'Name another file with --keep, or move that one away.',
  });
}

/**
 * The shards of the plan in a file, in their order; none where there is no such file. One that cannot
 * be read is reported and ignored; it only costs making some pictures again.
 */
export function readCachedPlan(file: string, warn: (text: string) => void): CachedPlan {
  try {
    const { include } = cachedPlanSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
    return include.sort((a, b) => Number.parseInt(a.shard, 10) - Number.parseInt(b.shard, 10));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
      warn(`The plan in ${file} cannot be read, so a new one is made.`);
    }
    return [];
  }
}

export async function writeCachedPlan(file: string, matrix: Matrix): Promise<void> {
  makeFolder(path.dirname(file));
  await writeFileAtomic(file, `${JSON.stringify(matrix)}\n`);
}
