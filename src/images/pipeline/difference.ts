import { dealerOf, type KnownPictures } from '../../record/known-pictures.ts';
import type { OutputNames } from '../output-names.ts';
import { nextStep, type Source } from '../plan.ts';
import type { PictureTask } from '../process/tasks.ts';
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

export interface DifferenceOptions
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
    const step = nextStep(source, {
      entry,
      content,
      hasAll: (hash, suffixes) => existing.hasAll(hash, suffixes),
      lastConfirmed: later(known.askedAt(key), lastConfirmed?.(dealer)),
      now,
      revalidateAfter: media.revalidateAfter,
    });
    if (entry && content && (source.withdrawn || step.kind === 'nothing')) {
      difference.complete.push(source);
      continue;
    }
    if (source.withdrawn) continue;
    difference.incomplete.push(source);
    if (step.kind === 'nothing') continue;
    const reason = reasonNotRequested(source, step.because, asks(dealer));
    if (!reason) difference.tasks.push({ source, entry, content, step });
    else if (step.kind === 'download') difference.notRequested.push({ source, reason });
  }
  return difference;
}

const later = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || (b !== undefined && b > a) ? b : a;

/** The reason why a source is not requested. Undefined if it is requested. */
function reasonNotRequested(
  { url }: Source,
  because: PictureTask['step']['because'],
  asks: boolean,
) {
  if (url === undefined) {
    return { code: 'picture-no-address', message: 'its URL is unknown' };
  }
  if (asks || because === 'outputs-missing') return undefined;
  return { code: 'picture-not-asked', message: 'its dealer has no usable response' };
}
