import { isCard } from '../../images/card/card.ts';
import { CardDrawer, type CardSources, type PlannedCard } from '../../images/card/draw.ts';
import { collectAllGarbage } from '../../lib/garbage-collection.ts';
import { type NextRecord, RECORDS } from '../../record/published-records.ts';
import { PlannedPaths } from '../../render/planned-paths.ts';
import { writePages } from '../../render/render.ts';
import { type PageRenderer, pageRenderer } from '../../render/theme/page-renderer.ts';
import type { Theme } from '../../render/theme/theme.ts';
import type { DealerHead, DealerPlan } from '../../site/plan/dealer-plan.ts';
import type { PlannedPage, PlanPart } from '../../site/plan/planned.ts';
import type { SitePlan } from '../../site/plan/site-plan.ts';
import type { DealerSummary } from '../../site/views/summaries.ts';
import type { MadePages } from '../chunk/built-chunk.ts';
import type { SiteDiff } from '../site-diff/site-diff.ts';
import { externalLinks } from '../verify/inspect.ts';

/** Pages rendered in one Eleventy run: enough to make starting Eleventy cheap. */
const BATCH = 400;
/** Number of rendered pages after which garbage is collected. */
const PAGES_PER_COLLECTION = 1000;

interface PageMakerOptions {
  theme: Theme;
  /** Writes a file of the next site. */
  write: (file: string, content: string | Uint8Array) => void;
  /** The folder of the next site, absolute. Without it, pages are rendered without Eleventy and passed to `write`. */
  folder?: string;
  /** Called before a page is written to `folder`. */
  beforeWrite?: () => void;
  siteUrl: string;
  /** The sources of thumbnails for cards. Without it, no cards are drawn. */
  cards?: CardSources;
  signal?: AbortSignal;
  onProgress?: (pages: { rendered: number; kept: number }) => void;
}

/** A written record, without the list of the dealer's files. */
export interface MadeRecord extends Omit<NextRecord, 'pieces'> {
  names: readonly string[];
  head: DealerHead;
}

export interface RenderedPages
  extends Pick<MadePages, 'feeds' | 'pages' | 'rendered' | 'incompleteCards'> {
  summaries: Map<number, DealerSummary>;
  unmatched: Map<string, number>;
  /** URLs of this site that came from the service and are in rendered pages. */
  fromService: Set<string>;
  records: MadeRecord[];
}

const newResult = (): RenderedPages => ({
  summaries: new Map(),
  unmatched: new Map(),
  feeds: [],
  pages: 0,
  rendered: 0,
  incompleteCards: 0,
  fromService: new Set(),
  records: [],
});

/** Whether it is an HTML page. Templates also render data for searching lists. */
const isPage = ({ file }: PlannedPage): boolean => file.endsWith('.html');

type Diff = Pick<SiteDiff, 'mustMake' | 'makeAgain' | 'mustMakeRecord'>;

/** Makes the pages and files whose inputs changed since the published build. */
export class PageMaker implements AsyncDisposable {
  readonly #options: PageMakerOptions;
  readonly #origin: string;
  /** Created for the first plan. Plans differ only in their dealers, so all share it. */
  #renderer: PageRenderer | undefined;
  /** Paths of the dealers of the last plan, and of the site-wide files. */
  #paths = new PlannedPaths();
  #waiting: PlannedPage[] = [];
  #cards: PlannedCard[] = [];
  readonly #drawer: CardDrawer | undefined;
  #rendered = 0;
  #collectedAt = 0;

  constructor(options: PageMakerOptions) {
    this.#options = options;
    this.#origin = new URL(options.siteUrl).origin;
    this.#drawer = options.cards && new CardDrawer(options.cards);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#drawer?.[Symbol.asyncDispose]();
  }

  /** Makes the pages, files and records of some dealers. @param record makes the next record of a dealer. */
  async dealers(
    plan: SitePlan,
    diff: Diff,
    record: (dealer: DealerPlan) => NextRecord,
  ): Promise<RenderedPages> {
    const result = newResult();
    this.#paths = new PlannedPaths();
    for (const dealer of plan.dealers()) {
      result.summaries.set(dealer.dealerId, dealer.head.summary);
      for (const [host, count] of dealer.unmatched) {
        result.unmatched.set(host, (result.unmatched.get(host) ?? 0) + count);
      }
      result.feeds.push(...dealer.feedRows());
      for (const part of [...dealer.vehicles, dealer]) this.#take(part, diff, result);
      const { pieces, ...next } = record(dealer);
      for (const piece of pieces) {
        const file = RECORDS + piece.name;
        if (diff.mustMakeRecord(file, piece.sum)) this.#options.write(`/${file}`, piece.text);
      }
      result.records.push({ ...next, head: dealer.head, names: pieces.map(({ name }) => name) });
      // Waiting pages have their views, so the dealer's vehicles can be freed.
      dealer.release();
      if (this.#waiting.length >= BATCH) await this.#render(plan, diff, result);
    }
    await this.#render(plan, diff, result);
    return result;
  }

  /** Makes the site-wide pages and files. Call it after `dealers`. */
  async siteWide(plan: SitePlan, siteWide: PlanPart, diff: Diff): Promise<RenderedPages> {
    const result = newResult();
    this.#take(siteWide, diff, result);
    await this.#render(plan, diff, result);
    return result;
  }

  #take(part: PlanPart, diff: Diff, result: RenderedPages): void {
    result.pages += part.pages.filter(isPage).length;
    for (const { file } of part.pages) this.#paths.add(file);
    for (const planned of part.files) {
      const { file } = planned;
      this.#paths.add(file, part.custom?.has(planned) ? `the custom page ${file}` : file);
    }
    for (const page of part.pages) {
      if (!diff.mustMake(page)) continue;
      const view = page.view();
      for (const link of externalLinks(view)) {
        // Other links are not checked. There is one for each picture.
        if (link.startsWith(this.#origin)) result.fromService.add(link);
      }
      this.#waiting.push({ ...page, view: () => view });
      if (isPage(page)) result.rendered++;
    }
    for (const file of part.files) {
      if (!diff.mustMake(file)) continue;
      const content = file.content();
      if (isCard(content)) this.#cards.push({ file: file.file, key: file.key, card: content });
      else this.#options.write(file.file, content);
    }
  }

  async #render({ site, sites }: SitePlan, diff: Diff, result: RenderedPages): Promise<void> {
    const { theme, folder, write, beforeWrite, signal, onProgress } = this.#options;
    if (this.#waiting.length > 0) {
      // Frees the memory of earlier steps before rendering, while the heap is small.
      if (this.#rendered === 0 && this.#waiting.length >= BATCH) collectAllGarbage();
      this.#renderer ??= pageRenderer(sites, theme);
      const render = this.#renderer;
      if (folder === undefined) for (const page of this.#waiting) write(page.file, render(page));
      else await writePages(this.#waiting, { site, render }, { folder, beforeWrite });
      this.#rendered += this.#waiting.filter(isPage).length;
    }
    this.#waiting = [];
    const cards = this.#cards.splice(0);
    await this.#drawer?.draw(cards, (planned, { bytes, isIncomplete }) => {
      this.#options.write(planned.file, bytes);
      if (!isIncomplete) return;
      diff.makeAgain(planned);
      result.incompleteCards++;
    });
    signal?.throwIfAborted();
    // Otherwise, the heap grows to several times the memory in use.
    if (this.#rendered - this.#collectedAt >= PAGES_PER_COLLECTION) {
      collectAllGarbage();
      this.#collectedAt = this.#rendered;
    }
    onProgress?.({ rendered: this.#rendered, kept: result.pages - result.rendered });
  }
}
