/**
 * Schedules the vehicles that one worker processes at the same time. A vehicle that is tried again
 * because a worker died is processed alone: if the worker dies again, that vehicle is the cause.
 */
export class VehicleTurns {
  readonly #running = new Set<Promise<unknown>>();
  /** Resolves once all vehicles that are processed alone are done. */
  #alone: Promise<unknown> = Promise.resolve();

  async take<T>(alone: boolean, work: () => Promise<T>): Promise<T> {
    if (alone) {
      const turn = this.#alone.then(() => Promise.allSettled(this.#running)).then(work);
      this.#alone = turn.catch(() => {});
      return turn;
    }
    await this.#alone;
    const running = work();
    this.#running.add(running);
    return running.finally(() => this.#running.delete(running));
  }
}
