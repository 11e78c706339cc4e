import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options: { type: 'minor' | 'major' }) => void;

let collect: Collect | undefined;
let sweeps = 0;

/**
 * Pictures between two looks at everything. Such a look takes a millisecond for each MB of heap, and
 * what waits for it is 16 kB a picture (measured).
 */
const SWEEPS_PER_FULL = 200;

/**
 * Frees the bytes of pictures that are done with. They lie outside of the heap, where the collector
 * sees a handful of small objects and no reason to run, so 40 MB of them wait for it in each
 * process (measured). A look at the young objects alone takes less than a millisecond. But what is
 * in use during two such looks counts as old from then on, so now and then all are looked at:
 * without that a run of 2,000 pictures gathers 30 MB (measured).
 */
export function collectGarbage(): void {
  sweeps++;
  collector()({ type: sweeps % SWEEPS_PER_FULL === 0 ? 'major' : 'minor' });
}

/** Collects all garbage, about 1 ms for each MB that is in use: for where much of it has just been made. */
export function collectAllGarbage(): void {
  collector()({ type: 'major' });
}

function collector(): Collect {
  if (!collect) {
    // The flag that Node takes on its command line, for a context of its own: nobody else sees `gc`.
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as Collect;
  }
  return collect;
}
