/**
 * Whose turn it is among the vehicles that one worker does at the same time. Those that are done for
 * the second time, because a worker died, have the worker to themselves: if it dies again, there is no
 * doubt about which of them it was at.
 */
export class VehicleTurns {
  readonly #running = new Set<Promise<unknown>>();
  /** Settled once all vehicles that are to be alone are done. */
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
