import { keyIn, refuseKey } from '../../config/build-secrets.ts';
import type { LoadedConfig } from '../../config/load.ts';
import type { SecretSearch } from '../../config/secret-search.ts';
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
import { type MadePages, type Steps, timed } from '../batch/built-batch.ts';
import { writeChanges } from '../changes/note.ts';
import type { SiteLists } from '../tree/published-files.ts';
import { Tree } from '../tree/tree.ts';
import { type Verified, verifyFiles } from '../verify/verify.ts';
import { type MadeRecord, PageMaker, type PageMakerOptions, type RenderedPages } from './pages.ts';

export interface SitePagesOptions extends Pick<PageMakerOptions, 'onProgress' | 'signal'> {
  config: Pick<LoadedConfig, 'dealers' | 'site'>;
  theme: Theme;
  /** The published folder, and what its lists say. */
  output: string;
  lists: SiteLists;
  /** The folder that becomes the next site. */
  staging: string;
  /**
   * For a change set: the folder that takes which files the site has, see `writeRows`. What stays is
   * not placed then.
   */
  rows?: string | undefined;
  search: SecretSearch;
  /** Whether the same was looked for in the published files. */
  searched: boolean;
  /** Called before files are written to the next site. */
  beforeWrite?: (() => void) | undefined;
}

/** What pages may show, and how they are looked at. */
export interface PageFacts {
  /** Thumbnails that are going to be there. */
  outputs: OutputNames;
  personalWords: 'anywhere' | 'as-keys';
  /** Names of thumbnails that are going to be there, and fingerprints. */
  fingerprints?: () => readonly (readonly [name: string, fingerprint: string])[];
  /** Takes how long it took. */
  steps: Steps;
}

/**
 * Makes those pages and files of the next site that differ from the published ones, looks at each
 * before it may be published, and lists them. Files that stay are put in later, if anything changed.
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
    this.#maker = new PageMaker({ theme, write: this.#write, siteUrl, signal, onProgress });
  }

  /**
   * The pages of some dealers.
   *
   * @param record what is going to be remembered of one.
   */
  async dealers(
    plan: SitePlan,
    record: (dealer: DealerPlan) => NextRecord,
    facts: PageFacts & { dealers: Iterable<number> },
  ): Promise<MadePages> {
    const tree = this.#tree(facts.dealers);
    const made = await timed(facts.steps, 'render', () => this.#maker.dealers(plan, tree, record));
    const found = await this.#verified(tree, made.foreign, facts);
    const byDealer = this.#byDealer(found.rows);
    const records = made.records.map((one) => this.#list(one, byDealer.get(one.id), tree));
    return this.#made({ ...made, ...found, records }, tree, facts);
  }

  /** The pages that speak of all dealers. */
  async siteWide(plan: SitePlan, part: PlanPart, facts: PageFacts): Promise<MadePages> {
    const tree = this.#tree(['site']);
    const made = await timed(facts.steps, 'render', () => this.#maker.siteWide(plan, part, tree));
    const found = await this.#verified(tree, made.foreign, facts);
    const { rows } = found;
    // A part of a site has none.
    if (rows.size > 0) this.#text(RECORDS + filesName('site'), filesText({ rows }), tree);
    return this.#made({ ...made, ...found, records: [] }, tree, facts);
  }

  /** What came of pages, as plain data. */
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
    tree: Tree,
    { steps, fingerprints = () => [] }: PageFacts,
  ): Promise<MadePages> {
    const { isChanged, stays } = tree;
    const { output, staging, rows: folder, beforeWrite } = this.#options;
    return timed(steps, 'place', () => {
      const made = {
        ...{ summaries, pages, rendered, records, findings, isChanged },
        unmatched: [...unmatched],
        links: [...links],
      };
      if (folder !== undefined) {
        const thumbnails = fingerprints();
        const changes = writeChanges(tree, rows, { folder, staging, thumbnails });
        return { ...made, kept: [], changes };
      }
      // Where something changed, what stays is going to be needed, and here other cores help.
      if (isChanged) linkFiles(stays, output, staging, beforeWrite);
      return { ...made, kept: isChanged ? [] : stays };
    });
  }

  /** Writes a file that no plan names. */
  write(file: string, content: string | Uint8Array): void {
    this.#write(`/${file}`, content);
  }

  #tree(of: Iterable<number | 'site'>): Tree {
    const { output, lists, search, searched } = this.#options;
    const all = [...of];
    const rows = new Map<string, PublishedFile>();
    for (const one of all) for (const [file, row] of lists.of(one)?.rows ?? []) rows.set(file, row);
    const remote = lists.remote?.(all);
    return new Tree({ output, rows, since: lists.since, search, searched, remote });
  }

  #verified(tree: Tree, foreign: ReadonlySet<string>, facts: PageFacts) {
    const { outputs, personalWords, steps } = facts;
    const { config, staging, search, signal } = this.#options;
    const options = { folder: staging, siteUrl: config.site.url, search, personalWords, signal };
    const { made, kept, madeRecords: unlisted } = tree;
    return timed(steps, 'verify', () =>
      verifyFiles({ ...options, made, unlisted, kept, outputs, foreign }),
    );
  }

  #byDealer(rows: FileRows): Map<number, Map<string, PublishedFile>> {
    const ids = new Map(this.#options.config.dealers.map(({ slug, id }) => [slug, id]));
    const byDealer = new Map<number, Map<string, PublishedFile>>();
    for (const [file, row] of rows) {
      const [first = '', second = ''] = file.split('/', 2);
      const id = ids.get(first === 'embed' ? second : first);
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
    tree: Tree,
  ): WrittenNext {
    const name = filesName(record.id);
    const text = filesText({ rows, plan: head });
    this.#text(RECORDS + name, text, tree);
    return { ...record, files: bytesHash(text), names: [...names, name] };
  }

  #text(file: string, text: string, tree: Tree): void {
    if (!tree.needsText(file, text)) return;
    refuseKey(file, keyIn(this.#options.search, file, Buffer.from(text)));
    this.write(file, text);
  }
}
