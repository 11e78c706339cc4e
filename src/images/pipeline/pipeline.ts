import { KnownPictures } from '../../record/known-pictures.ts';
import type { ContentEntry } from '../../record/pictures.ts';
import { noCounts } from '../counts.ts';
import { Fallbacks } from '../fallbacks.ts';
import { outputName } from '../fingerprint.ts';
import { OutputNames } from '../output-names.ts';
import type { Source } from '../plan.ts';
import { processHere } from '../process/process-picture.ts';
import type { Outcome, PictureTask, PictureTaskPlan } from '../process/tasks.ts';
import { restoreMissing } from '../published/restore.ts';
import { outputSuffixes } from '../recipes.ts';
import { mediaFolder, thumbnailsIn } from '../stores/folder.ts';
import { type Intact, intactOutputs, removeGarbage } from '../stores/intact-outputs.ts';
import { type Difference, differenceOf } from './difference.ts';
import type { MediaResult, PictureFailure, PipelineOptions } from './types.ts';

/**
 * Runs the image pipeline: compares plan and store, and processes the difference. Every finished picture is
 * recorded at once. A picture that cannot be downloaded or decoded falls back to its last valid
 * thumbnails, or fails without affecting others.
 */
export async function runPipeline(options: PipelineOptions): Promise<MediaResult> {
  const { cacheDir, signal, sources, published, known = new KnownPictures() } = options;
  const startTime = Date.now();
  const folder = thumbnailsIn(cacheDir);
  const onSite = published?.names ?? (published?.folder && mediaFolder(published.folder));
  const intact = await intactOutputs({ folder, published: onSite, known, signal });

  const run = new MediaRun({ ...options, known, folder, startTime }, intact);
  await run.restore(sources);
  const difference = run.compare(sources);
  await run.process(difference.tasks);
  run.refusePlaceholders();
  const remaining = run.withoutUnmade(difference);
  if (remaining === sources) return run.finish(difference);
  // Other pages may show other pictures.
  await run.restore(remaining);
  const shown = run.compare(remaining);
  run.failNotStarted(shown);
  return run.finish(shown);
}

interface RunOptions extends PipelineOptions {
  known: KnownPictures;
  folder: string;
  /** Milliseconds since 1970. */
  startTime: number;
}

/** One run of the image pipeline, whose methods are its steps. */
class MediaRun {
  readonly #options: RunOptions;
  readonly #intact: Intact;
  readonly #fallbacks: Fallbacks;
  readonly #counts = noCounts();
  readonly #problems: string[] = [];
  /** By key. */
  readonly #failures = new Map<string, PictureFailure>();
  /** Keys of pictures that were processed, successfully or not. */
  readonly #processed = new Set<string>();
  /** Pictures with other bytes than before. */
  readonly #replaced: (Pick<PictureTask, 'source' | 'entry'> & {
    hash: string;
    former: NonNullable<ReturnType<KnownPictures['known']>>;
  })[] = [];

  constructor(options: RunOptions, intact: Intact) {
    this.#options = options;
    this.#intact = intact;
    this.#fallbacks = new Fallbacks(options.known, intact.outputs);
  }

  /** Restores missing thumbnails from the shared store and the published site. */
  async restore(sources: readonly Source[]): Promise<void> {
    const { isIncomplete, outputs: local } = this.#intact;
    if (!isIncomplete) return;
    const { known, folder } = this.#options;
    const pictures = { known, fallbacks: this.#fallbacks, local, folder };
    const restored = await restoreMissing({ ...this.#options, sources }, pictures);
    this.#counts.outputsRestored += restored.outputs;
    this.#counts.restoredBytes += restored.bytes;
    this.#problems.push(...restored.problems);
  }

  /** Compares plan and store. A picture that is not requested has failed. */
  compare(sources: readonly Source[]): Difference {
    const existing = this.#intact.outputs;
    const difference = differenceOf(sources, { ...this.#options, existing });
    for (const { source, reason } of difference.notRequested) {
      if (!this.#failures.has(source.key)) this.#fail(source, reason);
    }
    return difference;
  }

  /** Makes pictures, here or by workers, and records each one when it is finished. */
  async process(tasks: readonly PictureTask[]): Promise<void> {
    const { engines, known } = this.#options;
    const plan: PictureTaskPlan = {
      ...this.#options,
      tasks,
      existing: this.#intact.outputs,
      contents: known.contents,
      store: engines?.store,
    };
    this.#reportProgress(tasks);
    const submit = engines?.submit ?? processHere;
    await submit(plan, (task, outcome) => {
      this.#record(task, outcome);
      this.#reportProgress(tasks);
    });
  }

  #reportProgress({ length: total }: readonly PictureTask[]): void {
    const { downloadedBytes, outputsMade, outputsMadeBytes } = this.#counts;
    const counts = { downloadedBytes, outputsMade, outputsMadeBytes };
    const failed = this.#failures.size;
    this.#options.onProgress?.({ total, done: this.#processed.size, failed, ...counts });
  }

  #record({ source, step, entry }: PictureTask, outcome: Outcome): void {
    const counts = this.#counts;
    const { known, now } = this.#options;
    this.#processed.add(source.key);
    if (outcome.downloadedBytes !== undefined) {
      counts.downloaded++;
      counts.downloadedBytes += outcome.downloadedBytes;
    }
    if (!outcome.ok) {
      this.#fail(source, outcome);
      if (step.kind === 'revalidate') known.missed(source.key);
      return;
    }
    if (outcome.revalidated) counts.revalidated++;
    for (const { bytes } of outcome.newOutputs) {
      counts.outputsMade++;
      counts.outputsMadeBytes += bytes;
    }
    const former = known.known(this.#fallbacks.formerOf(source.key));
    known.record(source.key, outcome.entry, outcome.content, now);
    const { hash } = outcome.entry;
    if (former?.entry.hash === hash && step.because === 'new') counts.renamed++;
    if (former && !former.entry.stale && former.entry.hash !== hash)
      this.#replaced.push({ source, entry, hash, former });
  }

  /**
   * Different pictures that became the same one, probably a placeholder of their server, have failed. The next build
   * accepts it, because the dealer may have replaced them.
   */
  refusePlaceholders(): void {
    const { known, now } = this.#options;
    for (const group of Map.groupBy(this.#replaced, ({ hash }) => hash).values()) {
      if (new Set(group.map(({ former }) => former.entry.hash)).size < MIN_SAME) continue;
      for (const { source, entry, former } of group) {
        // The validator of another URL has no meaning here.
        const validator = entry?.validator ?? '';
        const earlier = { ...former.entry, validator, stale: true } as const;
        known.record(source.key, earlier, former.content, now);
        this.#fail(source, PLACEHOLDER);
      }
    }
  }

  #fail(source: Source, { code, message }: { code: string; message: string }): void {
    const { key, vehicle, url, optional } = source;
    const standIn = this.#fallbacks.choose(source) || optional === true;
    this.#failures.set(key, { key, vehicle, url, code, message, standIn });
  }

  /** The sources of the pages that can be shown without pictures that were not started, or that failed. */
  withoutUnmade({ sources, tasks }: Difference): readonly Source[] {
    const { known, without } = this.#options;
    const missing = new Set<string>();
    for (const { source, step } of tasks) {
      if (this.#processed.has(source.key)) continue;
      // The site shows its existing thumbnails, and the next run checks whether it has changed.
      if (step.because === 'due') known.missed(source.key);
      else missing.add(source.key);
    }
    const lost = [...this.#failures.values()].filter(({ standIn }) => !standIn);
    if (!without || missing.size + lost.length === 0) return sources;
    return without(missing, new Set(lost.map(({ key }) => key)));
  }

  /** Records the failure of pictures of live pages that never arrived, if the pages have to stay unchanged. */
  failNotStarted({ tasks }: Difference): void {
    for (const { source, step } of tasks) {
      if (step.kind === 'download' && !this.#failures.has(source.key)) {
        this.#fail(source, NOT_STARTED);
      }
    }
  }

  #contentOf(key: string): ({ hash: string } & ContentEntry) | undefined {
    const picture = this.#options.known.known(this.#fallbacks.of(key));
    return picture && { hash: picture.entry.hash, ...picture.content };
  }

  /** Sets the sources in use, and removes unplanned outputs from the outputs that pages may use. */
  finish({ sources, complete, incomplete }: Difference): MediaResult {
    const { known, folder } = this.#options;
    const { outputs: local, published, isIncomplete } = this.#intact;
    const counts = this.#counts;
    const shown: (readonly [key: string, suffixes: readonly string[]])[] = [];
    const planned = new OutputNames();
    for (const source of [...complete, ...incomplete]) {
      const key = this.#fallbacks.of(source.key);
      const picture = known.known(key);
      if (!picture) continue;
      const suffixes = outputSuffixes(picture.content, source.recipes);
      shown.push([key, suffixes]);
      planned.addPictures(suffixes, [picture.entry.hash]);
    }
    const unplanned = [...local.without(planned)];
    // If nothing had to be done, all planned outputs exist, and the records need no change.
    const isComplete = incomplete.length === 0 && unplanned.length === 0;
    known.show(shown, { asRecorded: isComplete && !isIncomplete });
    for (const name of unplanned) local.delete(name);
    counts.outputsReused = Math.max(0, local.size - counts.outputsMade - counts.outputsRestored);
    // If nothing was downloaded and all outputs are planned, there is nothing to clean up.
    const mayLeaveOutputs = counts.downloaded > 0 || unplanned.length > 0;
    return {
      counts,
      failures: this.#finalFailures(sources),
      problems: this.#problems,
      contentOf: (key) => this.#contentOf(key),
      outputs: local,
      unpublished: new OutputNames(local.without(published)),
      folder,
      fingerprints: () => fingerprintsOf(local, known),
      mayLeaveOutputs,
      removeUnplanned: (force = false, outputsToKeep = local) =>
        this.#removeUnplanned(force || mayLeaveOutputs, outputsToKeep),
    };
  }

  /** Sorts the failures of these sources, and counts unchanged sources in stock. */
  #finalFailures(sources: readonly Source[]): PictureFailure[] {
    const inStock = sources.filter(({ withdrawn }) => !withdrawn);
    const needsNothing = ({ key }: Source) => !this.#processed.has(key) && !this.#failures.has(key);
    const keys = new Set(sources.map(({ key }) => key));
    const failures = [...this.#failures.values()].flatMap((failure) => {
      if (keys.has(failure.key)) return failure;
      // Without the source, earlier pictures of the vehicle are shown.
      return failure.standIn ? [] : { ...failure, standIn: true };
    });
    this.#counts.sources = inStock.length;
    this.#counts.unchanged = inStock.filter(needsNothing).length;
    this.#counts.failed = failures.length;
    return failures.sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  /** Removes outputs that are not planned from the folder and the shared store. */
  async #removeUnplanned(searches: boolean, planned: OutputNames): Promise<void> {
    const { engines, known, folder, startTime } = this.#options;
    const { usedByOthers = async () => new OutputNames() } = this.#options;
    // Workers are an exception: they may have died in any run, or may still be writing for this run.
    const hasWorkers = engines?.submit !== undefined;
    const before = hasWorkers ? startTime : Number.POSITIVE_INFINITY;
    if (searches || hasWorkers) {
      const options = { planned, usedByOthers, before };
      this.#counts.outputsRemoved = await removeGarbage(folder, options);
    }
    if (!engines?.store) return;
    // Only of the previous records: an output that a worker is putting for a later build is in no record.
    const recorded = new OutputNames();
    recorded.addRecorded(known.contents);
    const unplanned = [...recorded.without(planned)];
    const used = unplanned.length > 0 ? await usedByOthers() : undefined;
    if (used) await engines.store.remove(unplanned.filter((name) => !used.has(name)));
  }
}

/** So many different pictures rarely become the same one in one build. */
const MIN_SAME = 3;

const PLACEHOLDER = {
  code: 'picture-placeholder',
  message: 'its server sends one picture for several URLs',
};

const NOT_STARTED = {
  code: 'picture-not-started',
  message: 'the time of the build was over before it was requested again',
};

function* fingerprintsOf(
  names: OutputNames,
  { contents }: KnownPictures,
): Iterable<[name: string, fingerprint: string]> {
  for (const [hash, suffixes] of names.pictures()) {
    const outputs = contents.get(hash)?.outputs;
    for (const suffix of suffixes) yield [outputName(hash, suffix), outputs?.[suffix] ?? ''];
  }
}
