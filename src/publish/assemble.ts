import path from 'node:path';
import type { Secret } from '../config/secret.ts';
import { SecretSearch } from '../config/secret-search.ts';
import { writeFileAtomic } from '../files.ts';
import type { MediaResult } from '../media/line.ts';
import type { SitePlan } from '../site/plan/site-plan.ts';
import type { SiteFile } from '../site/view.ts';
import { Helper } from './helper/helper.ts';
import { type MadePages, type MakeOptions, makePages } from './pages.ts';
import { publishStaged } from './places.ts';
import { PUBLISHED_TIMES } from './records.ts';
import { manifestFile, stagingFolder } from './swap.ts';
import type { Theme } from './theme/theme.ts';
import { type PageRows, readPageManifest } from './tree/page-manifest.ts';
import { Tree } from './tree/tree.ts';
import { verificationError, verifySite } from './verify/verify.ts';

/** Runs a step of a build, and notes how long it took. */
export type Step = <T>(name: string, work: () => T | Promise<T>) => Promise<T>;

export interface AssembleOptions
  extends Pick<MakeOptions, 'rest' | 'record' | 'onProgress' | 'signal'> {
  plan: SitePlan;
  theme: Theme;
  media: Pick<MediaResult, 'outputs' | 'folder'>;
  output: string;
  /** See `rememberedFolder`. */
  remembered: string;
  siteUrl: string;
  secrets: readonly Secret[];
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
  beforePublish: (made: MadePages, site: string) => Promise<void>;
  /** The file of times, see `timesOf`. */
  timesText: (made: MadePages) => string;
  /** Files that pages may link to although somebody else makes them. */
  elsewhere?: Iterable<string>;
  /** Files to be put beside what was verified. With it, something is always published. */
  beside?: (pages: PageRows, made: MadePages) => readonly SiteFile[];
}

/**
 * Makes what changed, puts the next site together, verifies it, and publishes it, unless the
 * published site is already what it would be.
 *
 * @returns whether anything was published.
 */
export async function assembleSite(options: AssembleOptions): Promise<boolean> {
  const { plan, theme, media, output, remembered, siteUrl, secrets, step, signal } = options;
  const staging = stagingFolder(output);
  const search = SecretSearch.of(secrets);
  await using helper = new Helper({
    folder: staging,
    siteUrl,
    forms: search.forms,
    personalWords: options.personalWords,
  });
  const tree = new Tree({
    output,
    published: readPageManifest(manifestFile(output)),
    staging,
    search,
  });
  const { rest, record, onProgress } = options;
  const made = await step('render', () =>
    makePages({ plan, theme, tree, helper, remembered, siteUrl, signal, rest, record, onProgress }),
  );
  options.onMade(made);
  if (!options.beside && tree.isPublished(media.outputs, media.folder)) {
    await options.beforePublish(made, output);
    // The one file that every night changes: nothing else of the site is touched.
    await writeFileAtomic(path.join(output, PUBLISHED_TIMES), options.timesText(made));
    return false;
  }

  const next = await step('place', () => tree.complete(media.outputs, media.folder));
  const { rows } = next;
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
      onFile: (file, found) => rows.set(file, { key: tree.made.get(file) ?? '', ...found }),
    }),
  );
  if (findings.length > 0) throw verificationError(findings);
  helper.write(`/${PUBLISHED_TIMES}`, options.timesText(made));
  for (const { file, content } of options.beside?.(rows, made) ?? []) {
    helper.write(file, content);
  }
  await helper.written();
  signal?.throwIfAborted();
  await options.beforePublish(made, staging);
  await step('publish', () => publishStaged(output, next));
  options.onPublished();
  return true;
}
