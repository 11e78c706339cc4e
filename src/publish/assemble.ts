import path from 'node:path';
import type { LoadedConfig } from '../config/load.ts';
import type { SecretSearch } from '../config/secret-search.ts';
import { writeFileAtomic } from '../files.ts';
import type { MediaResult } from '../media/line.ts';
import { writeTimes } from '../record/times.ts';
import type { SitePlan } from '../site/plan/site-plan.ts';
import type { SiteFile } from '../site/view.ts';
import { fileLists } from './file-lists.ts';
import { Helper } from './helper/helper.ts';
import { type MadePages, type MakeOptions, makePages } from './pages.ts';
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

export interface AssembleOptions
  extends Pick<MakeOptions, 'rest' | 'record' | 'onProgress' | 'signal'> {
  config: Pick<LoadedConfig, 'dealers' | 'site'>;
  plan: SitePlan;
  theme: Theme;
  media: Pick<MediaResult, 'outputs' | 'folder' | 'areIn'>;
  output: string;
  /** What lies in the output folder. */
  published: PublishedFolder;
  search: SecretSearch;
  /** Whether the same was looked for in the published files. */
  searched: boolean;
  personalWords: 'anywhere' | 'as-keys';
  step: Step;
  /** Told as soon as pages are made, for the report of a build that fails later. */
  onMade: (made: MadePages) => void;
  /** Told as soon as the new site is in its place. */
  onPublished: () => void;
  /**
   * Called when the next site has passed every check, just before it is published, or where it is what
   * is published already.
   *
   * @param site the folder that the site is in now.
   */
  beforePublish: (records: readonly WrittenNext[], site: string) => Promise<void>;
  /** Files that pages may link to although somebody else makes them. */
  elsewhere?: Iterable<string>;
  /** Files to be put beside what was verified. With it, something is always published. */
  beside?: (made: MadePages) => readonly SiteFile[];
}

/**
 * Makes what changed, puts the next site together, verifies it, and publishes it, unless the
 * published site is already what it would be.
 *
 * @returns whether anything was published.
 */
export async function assembleSite(options: AssembleOptions): Promise<boolean> {
  const { config, plan, theme, media, output, published, search, searched, step, signal } = options;
  const siteUrl = config.site.url;
  const staging = stagingFolder(output);
  await using helper = new Helper({
    folder: staging,
    siteUrl,
    forms: search.forms,
    personalWords: options.personalWords,
  });
  const tree = new Tree({ output, published, staging, search, searched });
  const { rest, record, onProgress } = options;
  const made = await step('render', () =>
    makePages({ plan, theme, tree, helper, siteUrl, signal, rest, record, onProgress }),
  );
  options.onMade(made);
  const timesText = (records: readonly WrittenNext[]) => writeTimes(timesOf(records, config));
  if (!options.beside && tree.made.size === 0) {
    const { texts, records } = fileLists(tree.kept, made.records, config);
    const isSame = texts.every(([file, text]) => tree.hasRecord(file, text));
    if (isSame && tree.isPublished(media)) {
      await options.beforePublish(records, output);
      // The one file that every night changes: nothing else of the site is touched.
      await writeFileAtomic(path.join(output, PUBLISHED_TIMES), timesText(records));
      return false;
    }
  }

  await step('place', () => tree.complete(media.outputs, media.folder));
  const rows = new Map(tree.kept);
  const findings = await step('verify', () =>
    verifySite({
      folder: staging,
      siteUrl,
      expected: tree.files(),
      outputs: media.outputs,
      ...(options.elsewhere && { elsewhere: options.elsewhere }),
      foreign: made.foreign,
      personalWords: options.personalWords,
      search,
      known: new Map(rows),
      inspect: helper.inspect,
      signal,
      onFile: (file, found) => {
        const key = tree.made.get(file);
        // Records are in no list: they would have to hold themselves.
        if (key !== undefined) rows.set(file, { key, ...found });
      },
    }),
  );
  if (findings.length > 0) throw verificationError(findings);
  const { texts, records } = fileLists(rows, made.records, config);
  for (const [file, text] of texts) {
    refuseKey(file, keyIn(search, file, Buffer.from(text)));
    helper.write(`/${file}`, text);
  }
  helper.write(`/${PUBLISHED_TIMES}`, timesText(records));
  for (const { file, content } of options.beside?.(made) ?? []) helper.write(file, content);
  await helper.written();
  signal?.throwIfAborted();
  await options.beforePublish(records, staging);
  await step('publish', () => publishStaged(output));
  options.onPublished();
  return true;
}
