import { keyIn, refuseKey } from '../../config/build-secrets.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { openedSources } from '../../config/opened-sources.ts';
import type { SecretSearch } from '../../config/secret-search.ts';
import type { MediaResult } from '../../images/line/types.ts';
import type { OutputNames } from '../../images/output-names.ts';
import { linkFiles, openFolder } from '../../lib/files/hard-link.ts';
import {
  bytesHash,
  type FileRows,
  filesName,
  filesText,
  type PublishedFile,
} from '../../record/files.ts';
import { type NextRecord, RECORDS, type WrittenNext } from '../../record/published-records.ts';
import type { Theme } from '../../render/theme/theme.ts';
import type { DealerPlan } from '../../site/plan/dealer-plan.ts';
import type { PlanPart } from '../../site/plan/planned.ts';
import type { SitePlan } from '../../site/plan/site-plan.ts';
import type { ChangeRows } from '../changes/changes.ts';
import { type MadePages, type Steps, timed } from '../chunk/built-chunk.ts';
import type { Part, PublishedSiteFiles } from '../site-diff/published-files.ts';
import { SiteDiff } from '../site-diff/site-diff.ts';
import { type Verified, verifyFiles } from '../verify/verify.ts';
import { type MadeRecord, PageMaker, type PageMakerOptions, type RenderedPages } from './pages.ts';

export interface SitePagesOptions extends Pick<PageMakerOptions, 'onProgress' | 'signal'> {
  config: Pick<LoadedConfig, 'dealers' | 'site'>;
  theme: Theme;
  /** The published folder. */
  output: string;
  published: PublishedSiteFiles;
  /** The folder that becomes the next site. */
  staging: string;
  /** For a change set: lists the files. Unchanged ones are not placed then. */
  changes?: ChangeRows | undefined;
  search: SecretSearch;
  /** Called before files are written to the next site. */
  beforeWrite?: (() => void) | undefined;
}

/** What pages may refer to, and the timings of their checks. */
export interface PageFacts {
  /** Thumbnails of the next site. */
  outputs: OutputNames;
  personalWords: 'anywhere' | 'as-keys';
  /** Thumbnails of the next site, for a change set. */
  thumbnails?: Pick<MediaResult, 'fingerprints' | 'unpublished'>;
  /** Receives the duration of each step. */
  steps: Steps;
}

/**
 * Makes those pages and files of the next site that differ from the published ones, verifies each
 * before it may be published, and lists them. Unchanged files are linked in later, if anything changed.
 */
export class SitePages {
  readonly #options: SitePagesOptions;
  readonly #maker: PageMaker;
  readonly #write: ReturnType<typeof openFolder>;

  constructor(options: SitePagesOptions) {
    const { config, theme, staging, signal, onProgress, beforeWrite } = options;
    this.#options = options;
    const put = openFolder(staging);
    this.#write = (file, content) => {
      beforeWrite?.();
      put(file, content);
    };
    const siteUrl = config.site.url;
    this.#maker = new PageMaker({
      ...{ theme, write: this.#write, folder: staging, beforeWrite },
      ...{ siteUrl, signal, onProgress },
    });
  }

  /**
   * The pages of some dealers.
   *
   * @param record makes the next record of a dealer.
   */
  async dealers(
    plan: SitePlan,
    record: (dealer: DealerPlan) => NextRecord,
    facts: PageFacts & { dealers: Iterable<Part> },
  ): Promise<MadePages> {
    const diff = new SiteDiff(this.#options.published, facts.dealers);
    const made = await timed(facts.steps, 'render', () => this.#maker.dealers(plan, diff, record));
    const found = await this.#verified(diff, made.fromService, facts);
    const byDealer = this.#byDealer(found.rows);
    const records = made.records.map((one) => this.#list(one, byDealer.get(one.id), diff));
    return this.#made({ ...made, ...found, records }, diff, facts);
  }

  /** Makes the site-wide pages. */
  async siteWide(plan: SitePlan, part: PlanPart, facts: PageFacts): Promise<MadePages> {
    const diff = new SiteDiff(this.#options.published, ['site']);
    const made = await timed(facts.steps, 'render', () => this.#maker.siteWide(plan, part, diff));
    const found = await this.#verified(diff, made.fromService, facts);
    const { rows } = found;
    this.#text(RECORDS + filesName('site'), filesText({ rows }), diff);
    return this.#made({ ...made, ...found, records: [] }, diff, facts);
  }

  /** The result as plain data, which another process can receive. */
  #made(
    {
      summaries,
      unmatched,
      pages,
      rendered,
      records,
      links,
      findings,
      rows,
    }: Omit<RenderedPages, 'records'> & Verified & Pick<MadePages, 'records'>,
    diff: SiteDiff,
    { steps, thumbnails }: PageFacts,
  ): Promise<MadePages> {
    const { isChanged, unchanged } = diff;
    const { output, staging, changes, beforeWrite } = this.#options;
    return timed(steps, 'place', () => {
      const made = {
        ...{ summaries, pages, rendered, records, findings, isChanged },
        unmatched: [...unmatched],
        links: [...links],
      };
      if (changes) return { ...made, kept: [], changed: changes.add(diff, rows, thumbnails) };
      // If something changed, the next site needs the unchanged files as well; workers link them in parallel.
      if (isChanged) linkFiles(unchanged, output, staging, beforeWrite);
      return { ...made, kept: isChanged ? [] : unchanged, changed: [] };
    });
  }

  /** Writes a file that is in no plan. */
  write(file: string, content: string | Uint8Array): void {
    this.#write(`/${file}`, content);
  }

  #verified(diff: SiteDiff, fromService: ReadonlySet<string>, facts: PageFacts) {
    const { outputs, personalWords, steps } = facts;
    const { config, staging, search, signal } = this.#options;
    const opened = openedSources(config);
    const site = { siteUrl: config.site.url, opened };
    const options = { folder: staging, ...site, search, personalWords, signal };
    const { made, kept, madeRecords: unlisted } = diff;
    return timed(steps, 'verify', () =>
      verifyFiles({ ...options, made, unlisted, kept, outputs, fromService }),
    );
  }

  #byDealer(rows: FileRows): Map<number, Map<string, PublishedFile>> {
    const ids = new Map(this.#options.config.dealers.map(({ slug, id }) => [slug, id]));
    const byDealer = new Map<number, Map<string, PublishedFile>>();
    for (const [file, row] of rows) {
      // After the folder of the pages for frames, and of a language; neither is the name of a dealer.
      const id = file
        .split('/', 3)
        .map((part) => ids.get(part))
        .find((known) => known !== undefined);
      if (id === undefined) throw new Error(`${file} is of no dealer`);
      const its = byDealer.get(id);
      if (its) its.set(file, row);
      else byDealer.set(id, new Map([[file, row]]));
    }
    return byDealer;
  }

  /** Lists the files of a dealer. */
  #list(
    { head, names, ...record }: MadeRecord,
    rows: FileRows = new Map(),
    diff: SiteDiff,
  ): WrittenNext {
    const name = filesName(record.id);
    const text = filesText({ rows, plan: head });
    this.#text(RECORDS + name, text, diff);
    return { ...record, files: bytesHash(text), names: [...names, name] };
  }

  #text(file: string, text: string, diff: SiteDiff): void {
    if (!diff.mustMakeText(file, text)) return;
    refuseKey(file, keyIn(this.#options.search, file, Buffer.from(text)));
    this.write(file, text);
  }
}
