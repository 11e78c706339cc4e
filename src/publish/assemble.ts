import path from 'node:path';
import type { LoadedConfig } from '../config/load.ts';
import type { SecretSearch } from '../config/secret-search.ts';
import { writeFileAtomic } from '../files.ts';
import type { MediaResult } from '../media/line.ts';
import type { FileRows } from '../record/files.ts';
import { writeTimes } from '../record/times.ts';
import type { SitePlan } from '../site/plan/site-plan.ts';
import type { SiteFile } from '../site/view.ts';
import { fileLists } from './file-lists.ts';
import { Helper } from './helper/helper.ts';
import { type MadePages, PageMaker, type PageMakerOptions } from './pages.ts';
import { publishStaged } from './places.ts';
import { PUBLISHED_TIMES, timesOf, type WrittenNext } from './records.ts';
import { keyIn, refuseKey } from './secrets.ts';
import { stagingFolder } from './swap.ts';
import type { Theme } from './theme/theme.ts';
import type { PublishedFolder } from './tree/published-files.ts';
import { Tree } from './tree/tree.ts';
import { verificationError, verifySite } from './verify/verify.ts';

/** Runs a step of a build, and notes how long it took. */
export type Step = <T>(name: string, work: () => T | Promise<T>) => Promise<T>;

export interface AssemblyOptions {
  config: Pick<LoadedConfig, 'dealers' | 'site'>;
  theme: Theme;
  output: string;
  /** What lies in the output folder. */
  published: PublishedFolder;
  search: SecretSearch;
  /** Whether the same was looked for in the published files. */
  searched: boolean;
  step: Step;
  onProgress?: PageMakerOptions['onProgress'];
  signal?: AbortSignal | undefined;
}

export interface FinishOptions {
  /** Whose rest is made, and that. */
  plan: SitePlan;
  rest: Parameters<PageMaker['rest']>[1];
  media: Pick<MediaResult, 'outputs' | 'unpublished' | 'folder'>;
  personalWords: 'anywhere' | 'as-keys';
  /**
   * Called when the next site has passed every check, just before it is published, or where it is what
   * is published already.
   *
   * @param site the folder that the site is in now.
   */
  beforePublish: (records: readonly WrittenNext[], site: string) => Promise<void>;
  /** Told as soon as the new site is in its place. */
  onPublished: () => void;
  /** Files that pages may link to although somebody else makes them. */
  elsewhere?: Iterable<string>;
  /** Files to be put beside what was verified. With it, something is always published. */
  beside?: (made: MadePages) => readonly SiteFile[];
}

/**
 * Makes what changed, dealers after dealers, puts the next site together, verifies it, and publishes
 * it, unless the published site is already what it would be.
 */
export class SiteAssembly implements AsyncDisposable {
  readonly #options: AssemblyOptions;
  readonly #helper: Helper;
  readonly #tree: Tree;
  readonly #maker: PageMaker;
  readonly #staging: string;

  constructor(options: AssemblyOptions) {
    const { config, theme, output, published, search, searched, onProgress, signal } = options;
    const siteUrl = config.site.url;
    this.#options = options;
    this.#staging = stagingFolder(output);
    this.#helper = new Helper({ folder: this.#staging, siteUrl, forms: search.forms });
    this.#tree = new Tree({ output, published, staging: this.#staging, search, searched });
    const [tree, helper] = [this.#tree, this.#helper];
    this.#maker = new PageMaker({ theme, tree, helper, siteUrl, signal, onProgress });
  }

  /** What was made so far. */
  get made(): MadePages {
    return this.#maker.made;
  }

  /** Makes the pages of some dealers. */
  async add(...batch: Parameters<PageMaker['dealers']>): Promise<void> {
    await this.#options.step('render', () => this.#maker.dealers(...batch));
  }

  /** @returns whether anything was published. */
  async finish(options: FinishOptions): Promise<boolean> {
    const { config, output, search, step, signal } = this.#options;
    const { plan, rest, media, beside, beforePublish } = options;
    const [tree, helper, staging] = [this.#tree, this.#helper, this.#staging];
    await step('render', () => this.#maker.rest(plan, rest));
    const { made } = this;
    const timesText = (records: readonly WrittenNext[]) => writeTimes(timesOf(records, config));
    if (!beside && tree.made.size === 0) {
      const { texts, records } = fileLists(tree.kept, made.records, config);
      const isSame = texts.every(([file, text]) => tree.hasRecord(file, text));
      if (isSame && tree.isPublished(media)) {
        await beforePublish(records, output);
        // The one file that every night changes: nothing else of the site is touched.
        await writeFileAtomic(path.join(output, PUBLISHED_TIMES), timesText(records));
        return false;
      }
    }

    await step('place', () => tree.complete(media));
    const rows = await step('verify', () => this.#verified(options));
    const { texts, records } = fileLists(rows, made.records, config);
    for (const [file, text] of texts) {
      refuseKey(file, keyIn(search, file, Buffer.from(text)));
      helper.write(`/${file}`, text);
    }
    helper.write(`/${PUBLISHED_TIMES}`, timesText(records));
    for (const { file, content } of beside?.(made) ?? []) helper.write(file, content);
    await helper.written();
    signal?.throwIfAborted();
    await beforePublish(records, staging);
    await step('publish', () => publishStaged(output));
    options.onPublished();
    return true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#helper[Symbol.asyncDispose]();
  }

  /** Looks at the next site. @throws what is wrong with it. */
  async #verified({ media, elsewhere, personalWords }: FinishOptions): Promise<FileRows> {
    const { config, search, signal } = this.#options;
    const tree = this.#tree;
    const rows = new Map(tree.kept);
    const findings = await verifySite({
      folder: this.#staging,
      siteUrl: config.site.url,
      expected: tree.files(),
      outputs: media.outputs,
      ...(elsewhere && { elsewhere }),
      foreign: this.made.foreign,
      personalWords,
      search,
      known: new Map(rows),
      inspect: this.#helper.inspect?.(personalWords),
      signal,
      onFile: (file, found) => {
        const key = tree.made.get(file);
        // Records are in no list: they would have to hold themselves.
        if (key !== undefined) rows.set(file, { key, ...found });
      },
    });
    if (findings.length > 0) throw verificationError(findings);
    return rows;
  }
}
