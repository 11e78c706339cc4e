import { dealerOf, type KnownPictures } from '../../record/known-pictures.ts';
import type { OutputNames } from '../output-names.ts';
import { isDue, type Source, type Step } from '../plan.ts';
import type { PictureTask } from '../process/tasks.ts';
import { outputSuffixes } from '../recipes.ts';
import type { PictureFailure, PipelineOptions } from './types.ts';

/** The difference between the planned and the existing outputs. */
export interface Difference {
  sources: readonly Source[];
  tasks: PictureTask[];
  /** Sources without work. */
  complete: Source[];
  /** Sources with work, and sources that are not requested although they need to be. */
  incomplete: Source[];
  /** Sources of which the bytes are needed, with the reason why they are not requested. */
  notRequested: { source: Source; reason: Pick<PictureFailure, 'code' | 'message'> }[];
}

interface DifferenceOptions
  extends Pick<PipelineOptions, 'media' | 'now' | 'asks' | 'lastConfirmed'> {
  known: KnownPictures;
  existing: OutputNames;
}

/** Compares planned sources with the store. Pure. */
export function differenceOf(sources: readonly Source[], options: DifferenceOptions): Difference {
  const { known, existing, media, now, asks = () => true, lastConfirmed } = options;
  const difference: Difference = {
    sources,
    tasks: [],
    complete: [],
    incomplete: [],
    notRequested: [],
  };
  for (const source of sources) {
    const { key } = source;
    const dealer = dealerOf(key);
    const { entry, content } = known.known(key) ?? {};
    const lastChecked = later(known.askedAt(key), lastConfirmed?.(dealer));
    const isCheckDue = isDue(key, lastChecked, now, media.revalidateAfter);
    const step = nextStep(source, { entry, content }, existing, isCheckDue);
    if (!step || (source.withdrawn && entry && content)) {
      difference.complete.push(source);
      continue;
    }
    if (source.withdrawn) continue;
    difference.incomplete.push(source);
    const reason = reasonNotRequested(source, step.because, asks(dealer));
    if (!reason) difference.tasks.push({ source, entry, content, step });
    else if (step.kind === 'download') difference.notRequested.push({ source, reason });
  }
  return difference;
}

/** Compares the planned outputs of a source with the existing ones. Undefined if it needs nothing. */
function nextStep(
  source: Source,
  { entry, content }: Pick<PictureTask, 'entry' | 'content'>,
  existing: OutputNames,
  isCheckDue: boolean,
): Step | undefined {
  if (!entry || !content) return { kind: 'download', because: 'new' };
  if (!existing.hasAll(entry.hash, outputSuffixes(content, source.recipes))) {
    return { kind: 'download', because: 'outputs-missing' };
  }
  if (entry.vehicleDate !== source.vehicleDate) {
    return { kind: 'revalidate', because: 'vehicle-updated' };
  }
  return entry.stale || isCheckDue ? { kind: 'revalidate', because: 'due' } : undefined;
}

const later = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || (b !== undefined && b > a) ? b : a;

/** The reason why a source is not requested. Undefined if it is requested. */
function reasonNotRequested({ url }: Source, because: Step['because'], asks: boolean) {
  if (url === undefined) {
    return { code: 'picture-no-address', message: 'its URL is unknown' };
  }
  if (asks || because === 'outputs-missing') return undefined;
  return { code: 'picture-not-asked', message: 'its dealer has no usable response' };
}
