import type { Secret } from '../../config/secret.ts';
import { EXIT } from '../../errors.ts';
import type { SitePlan } from '../../site/plan/site-plan.ts';
import type { FinishOptions } from '../finish.ts';
import { lossOf } from '../gates.ts';
import { makeReport, outcomes, personalWords, type State } from '../run-state.ts';
import { RECORD, writeRecord } from './record.ts';
import type { Shard } from './shard.ts';

/** What makes a part of what was built: a record of itself, and links to what speaks of all dealers. */
export function shardFile(
  { number, count, run }: Shard,
  {
    plan,
    state,
    now,
    secrets,
  }: { plan: SitePlan; state: State; now: number; secrets: readonly Secret[] },
): Pick<FinishOptions, 'elsewhere' | 'beside'> {
  const { pages, files } = plan.rest([]);
  const { batches } = state;
  const summaries = new Map(batches.flatMap(({ made }) => made?.summaries ?? []));
  const content = writeRecord(
    {
      number,
      count,
      run,
      siteKey: plan.key,
      personalWords: personalWords(state),
      dealers: outcomes(state).map(({ dealer: { id } }) => ({ id, summary: summaries.get(id) })),
      thumbnails: batches.flatMap(({ fingerprints }) => fingerprints),
      loss: lossOf(batches.map(({ loss }) => loss)),
      links: batches.flatMap(({ made }) => made?.links ?? []),
      report: makeReport(state, now, undefined, EXIT.published, performance.now()),
    },
    secrets,
  );
  return {
    elsewhere: new Set([...pages, ...files].map(({ file }) => file.slice(1))),
    beside: { file: RECORD, content },
  };
}
