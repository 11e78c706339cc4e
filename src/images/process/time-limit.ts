import { dealerOf } from '../../record/known-pictures.ts';
import type { Source, Step } from '../plan.ts';

/**
 * The time of `--for` in one process. When it is over, no further vehicle's pictures are begun. Those of a
 * vehicle that was begun are finished, and one vehicle is always begun, so that every build makes progress.
 */
export class TimeLimit {
  readonly #until: number;
  readonly #begun = new Set<string>();

  /** @param until milliseconds since 1970. */
  constructor(until: number) {
    this.#until = until;
  }

  get isOver(): boolean {
    return Date.now() >= this.#until;
  }

  /** Whether a picture may be begun. */
  mayBegin({
    source: { key, vehicle },
    step,
  }: {
    source: Source;
    step: Exclude<Step, { kind: 'nothing' }>;
  }): boolean {
    // Asking whether a picture has changed is no progress, and can wait for any time.
    if (step.because === 'due') return !this.isOver;
    const its = `${dealerOf(key)}/${vehicle}`;
    if (this.#begun.has(its)) return true;
    if (this.isOver && this.#begun.size > 0) return false;
    this.#begun.add(its);
    return true;
  }
}
