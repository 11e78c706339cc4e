import { filesName, type PublishedFiles } from '../../record/files.ts';
import { RECORDS } from '../../record/published-records.ts';
import type { DealerHead } from '../../site/plan/dealer-plan.ts';
import type { BuildMemory } from '../memory/memory.ts';
import type { SiteLists } from '../site-diff/published-files.ts';
import type { RemoteFiles } from '../site-diff/site-diff.ts';

/** Lists of files of a published site that is online only, for dealers whose records were read. */
export class RemoteLists implements SiteLists {
  /** Always 0: no file of the site is on this disk. */
  readonly since = 0;
  readonly dealers = undefined;
  readonly lacking = new Set<string>();
  readonly #memory: Pick<BuildMemory, 'published'>;
  readonly #lost: ReadonlySet<string>;

  /** @param lost files that the site has lost, or holds with other bytes than were made. */
  constructor(memory: Pick<BuildMemory, 'published'>, lost: ReadonlySet<string>) {
    this.#memory = memory;
    this.#lost = lost;
  }

  /** That of the site as a whole has no mark, so it is not even asked for. */
  of(dealer: number | 'site'): (PublishedFiles & { plan?: DealerHead }) | undefined {
    const published = dealer === 'site' ? undefined : this.#memory.published(dealer);
    if (published?.isListed && !published.list) this.lacking.add(filesName(dealer));
    return published?.list as PublishedFiles & { plan?: DealerHead };
  }

  remote(dealers: Iterable<number | 'site'>): RemoteFiles {
    const pieces = new Map<string, { sum: string; size: number; hash: string }>();
    const lists = new Map<string, Uint8Array>();
    for (const dealer of dealers) {
      const published = dealer === 'site' ? undefined : this.#memory.published(dealer);
      // Without its list nobody says which keys were looked for in its record.
      if (!published?.list) continue;
      lists.set(RECORDS + filesName(dealer), published.list.bytes);
      for (const [index, { name, ...its }] of published.pieces.entries()) {
        pieces.set(RECORDS + name, { ...its, sum: published.sums[index] as string });
      }
    }
    return { pieces, lists, lost: this.#lost };
  }
}
