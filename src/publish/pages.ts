import { sweepAll } from '../media/sweep.ts';
import type { DealerSummary } from '../site/entry.ts';
import type { DealerHead, DealerPlan } from '../site/plan/dealer-plan.ts';
import type { PlannedPage, PlanPart } from '../site/plan/planned.ts';
import type { SitePlan } from '../site/plan/site-plan.ts';
import { checkPlannedFiles, type PlannedFile as NamedFile } from './files.ts';
import { foreignLinks } from './foreign.ts';
import type { Helper } from './helper/helper.ts';
import { type NextRecord, RECORDS } from './records.ts';
import { openRenderer } from './render.ts';
import type { Theme } from './theme/theme.ts';
import type { Tree } from './tree/tree.ts';

/** Pages that are rendered at once: enough that starting Eleventy counts for little. */
const BATCH = 400;
/** Pages after which what they left in memory is collected. */
const SWEPT = 4000;

export interface MakeOptions {
  plan: SitePlan;
  theme: Theme;
  tree: Pick<Tree, 'needs' | 'needsRecord'>;
  /** Writes what must be made. */
  helper: Pick<Helper, 'write' | 'room' | 'written'>;
  siteUrl: string;
  signal?: AbortSignal | undefined;
  /** What there is besides the dealers' own pages and files, once these are known. */
  rest: (summaries: readonly DealerSummary[]) => PlanPart;
  /** What is going to be remembered of a dealer. */
  record: (dealer: DealerPlan) => NextRecord;
  onProgress?: ((pages: { rendered: number; kept: number }) => void) | undefined;
}

/** A record whose files are written, all but the list of the dealer's files. */
export interface MadeRecord extends Omit<NextRecord, 'pieces'> {
  names: readonly string[];
  head: DealerHead;
}

export interface MadePages {
  /** By dealer id. */
  summaries: ReadonlyMap<number, DealerSummary>;
  /** Hosts of hosted videos that no provider matches, with how often each was seen. */
  unmatched: ReadonlyMap<string, number>;
  /** All pages of the site, and those of them that were rendered. */
  pages: number;
  rendered: number;
  /** Addresses in rendered pages that the service gave, and that lead to this site. */
  foreign: ReadonlySet<string>;
  /** What is going to be remembered of each dealer; the files are beside its pages. */
  records: readonly MadeRecord[];
}

/** What people see; templates also render what the search of a list reads. */
const isPage = ({ file }: PlannedPage): boolean => file.endsWith('.html');

/** Makes pages and files that an earlier build did not make of the same things. */
export async function makePages(options: MakeOptions): Promise<MadePages> {
  const { plan, theme, tree, helper, signal, onProgress } = options;
  const { origin } = new URL(options.siteUrl);
  // Not kept: names and what they are for people are more than the rest of the plan.
  const names = function* (): Iterable<NamedFile> {
    for (const { file, what } of plan.names()) yield { file: file.slice(1), what };
  };
  checkPlannedFiles(names());

  const summaries = new Map<number, DealerSummary>();
  const unmatched = new Map<string, number>();
  const foreign = new Set<string>();
  const records: MadeRecord[] = [];
  let pages = 0;
  let rendered = 0;
  let swept = 0;
  let waiting: PlannedPage[] = [];
  const renderWaiting = openRenderer({ site: plan.site, theme }, (file, content) =>
    helper.write(file, content),
  );
  const render = async (): Promise<void> => {
    if (waiting.length > 0) {
      // What the steps before left, while there is only that to collect.
      if (rendered === 0 && waiting.length >= BATCH) sweepAll();
      await renderWaiting(waiting);
      rendered += waiting.filter(isPage).length;
    }
    waiting = [];
    await helper.room();
    signal?.throwIfAborted();
    // Left to itself, the heap grows to several times what is in use.
    if (rendered - swept >= SWEPT) {
      sweepAll();
      swept = rendered;
    }
    onProgress?.({ rendered, kept: pages - rendered });
  };
  const take = (part: PlanPart): void => {
    pages += part.pages.filter(isPage).length;
    for (const page of part.pages) {
      if (!tree.needs(page)) continue;
      const view = page.view();
      for (const link of foreignLinks(view)) {
        // Nobody asks for the others, and there are as many as pictures.
        if (link.startsWith(origin)) foreign.add(link);
      }
      waiting.push({ ...page, view: () => view });
    }
    for (const file of part.files) if (tree.needs(file)) helper.write(file.file, file.content());
  };

  for (const dealer of plan.dealers()) {
    summaries.set(dealer.dealerId, dealer.head.summary);
    for (const [host, count] of dealer.unmatched) {
      unmatched.set(host, (unmatched.get(host) ?? 0) + count);
    }
    for (const part of [...dealer.vehicles, dealer]) take(part);
    const { pieces, ...record } = options.record(dealer);
    for (const piece of pieces) {
      const file = RECORDS + piece.name;
      if (tree.needsRecord(file, piece.sum)) helper.write(`/${file}`, piece.text);
    }
    records.push({ ...record, head: dealer.head, names: pieces.map(({ name }) => name) });
    // The views that wait are held; what they were made of need not be.
    dealer.release();
    if (waiting.length >= BATCH) await render();
  }
  const rest = options.rest([...summaries.values()]);
  // Pages of an extension are known only now.
  const own = new Map(rest.pages.map((page) => [page.file.slice(1), page]));
  for (const { file } of names()) own.delete(file);
  if (own.size > 0) {
    checkPlannedFiles([
      ...names(),
      ...Array.from(own.keys(), (file) => ({ file, what: `your page /${file}` })),
    ]);
  }
  take(rest);
  await render();
  await helper.written();
  return { summaries, unmatched, pages, rendered, foreign, records };
}
