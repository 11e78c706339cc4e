import type { Secret } from '../../config/secret.ts';
import type { SitePlan } from '../../site/plan/site-plan.ts';
import { packChunk } from '../chunk/wire.ts';
import type { FinishOptions } from '../finish/finish-site.ts';
import type { Shard } from '../options/shard.ts';
import { SHARD_RECORD } from '../options/shard.ts';
import type { State } from '../outcome/run-state.ts';
import { writeShardRecord } from './shard-record.ts';

/** The record that makes a built folder a shard; links to site-wide files are checked by the merge. */
export function shardFile(
  { number, count, run }: Shard,
  {
    plan,
    state,
    now,
    secrets,
  }: { plan: SitePlan; state: State; now: number; secrets: readonly Secret[] },
): Pick<FinishOptions, 'externalFiles' | 'beside'> {
  const { pages, files } = plan.siteWide([]);
  const { notes, chunks } = state;
  const startedAt = new Date(now).toISOString();
  const about = { number, count, run, siteKey: plan.key, startedAt, notes };
  return {
    externalFiles: new Set([...pages, ...files].map(({ file }) => file.slice(1))),
    beside: {
      file: SHARD_RECORD,
      content: writeShardRecord({ ...about, batches: chunks.map(packChunk) }, secrets),
    },
  };
}
