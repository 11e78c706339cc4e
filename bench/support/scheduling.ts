/** What a fleet of workers makes of an hour's jobs, without the jobs. */

/** Numbers from 0 to 1 that are the same in every run (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export interface Schedule {
  /** When the last job ends, in seconds. */
  makespan: number;
  /** When each job ends, in the order of the jobs. */
  ends: number[];
  /** Share of the time that the workers work. */
  busy: number;
}

/** Jobs in their order, each to the worker that is free first, as a queue hands them out. */
export function schedule(durations: readonly number[], workers: number): Schedule {
  // A heap is not worth it: some dozens of workers.
  const free = new Array<number>(workers).fill(0);
  let work = 0;
  const ends = durations.map((duration) => {
    let first = 0;
    for (let one = 1; one < workers; one++) {
      if ((free[one] ?? 0) < (free[first] ?? 0)) first = one;
    }
    const end = (free[first] ?? 0) + duration;
    free[first] = end;
    work += duration;
    return end;
  });
  const makespan = Math.max(0, ...free);
  return { makespan, ends, busy: makespan === 0 ? 0 : work / (makespan * workers) };
}
