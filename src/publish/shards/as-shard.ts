import type { Secret } from '../../config/secret.ts';
import { EXIT } from '../../errors.ts';
import type { SitePlan } from '../../site/plan/site-plan.ts';
import type { FinishOptions } from '../assemble.ts';
import { makeReport, type State } from '../run-state.ts';
import { RECORD, type ShardRecord, writeRecord } from './record.ts';
import type { Shard } from './shard.ts';

/** How a part is put together: without what speaks of all dealers, and with a record of itself. */
export function asShard(
  shard: Shard,
  {
    plan,
    thumbnails,
    state,
    now,
    secrets,
  }: {
    plan: SitePlan;
    thumbnails: ShardRecord['thumbnails'];
    state: State;
    now: number;
    secrets: readonly Secret[];
  },
): Pick<FinishOptions, 'rest' | 'elsewhere' | 'beside'> {
  const { pages, files } = plan.rest([]);
  const { loss, personalWords } = state;
  return {
    rest: () => ({ pages: [], files: [], release: () => {} }),
    elsewhere: [...pages, ...files].map(({ file }) => file.slice(1)),
    beside: ({ summaries }) => [
      {
        file: `/${RECORD}`,
        content: writeRecord(
          {
            number: shard.number,
            count: shard.count,
            run: shard.run,
            siteKey: plan.key,
            personalWords,
            dealers: state.dealers.map(({ dealer: { id } }) => ({
              id,
              summary: summaries.get(id),
            })),
            thumbnails,
            loss,
            report: makeReport(state, now, undefined, EXIT.published, performance.now()),
          },
          secrets,
        ),
      },
    ],
  };
}
