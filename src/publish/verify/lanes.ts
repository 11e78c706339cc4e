import { setImmediate } from 'node:timers/promises';
import { sweepAll } from '../../media/sweep.ts';
import type { Inspected } from './inspect.ts';

/** Files that are looked at between two looks at what else there is to do. */
const LOT = 40;
/** Fewer are looked at here: another thread would have to be started, and to load what it needs. */
const FEW = 400;
/** Files after which what reading them left in memory is collected. */
export const SWEPT = 4000;

/**
 * Looks at files here, and at as many elsewhere as it is quick: each side takes the next lot when it
 * has done one.
 *
 * @returns what `take` returned, in the order of the files.
 */
export async function inspectAll<Finding>(
  files: readonly string[],
  {
    look,
    inspect,
    take,
    signal,
  }: {
    look: (file: string) => Inspected;
    inspect: ((files: string[]) => Promise<Inspected[]>) | undefined;
    take: (inspected: Inspected) => Finding[];
    signal: AbortSignal | undefined;
  },
): Promise<Finding[]> {
  let next = 0;
  let read = 0;
  const found: Finding[][] = [];
  const lane = async (work: (lot: string[]) => Inspected[] | Promise<Inspected[]>) => {
    while (next < files.length) {
      const first = next;
      next += LOT;
      try {
        const results = await work(files.slice(first, next));
        for (const [index, result] of results.entries()) {
          const its = take(result);
          if (its.length > 0) found[first + index] = its;
        }
        // Lets answers and signals in.
        await setImmediate();
        signal?.throwIfAborted();
      } catch (error) {
        // The others are not to begin another lot.
        next = files.length;
        throw error;
      }
    }
  };
  const here = (lot: string[]): Inspected[] => {
    read += lot.length;
    if (read >= SWEPT) {
      sweepAll();
      read = 0;
    }
    return lot.map(look);
  };
  const lanes = [lane(here)];
  // Two, so that one lot waits there while the results of the other are taken here.
  if (inspect && files.length > FEW) lanes.push(lane(inspect), lane(inspect));
  const ends = await Promise.allSettled(lanes);
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  return found.flat();
}
