import { setTimeout as sleep } from 'node:timers/promises';
import { UnreachableError } from '../../errors.ts';

/**
 * Waits for an answer of Redis, through an outage that does not last.
 *
 * @param patience milliseconds.
 * @throws {UnreachableError} it lasts.
 */
export async function patiently<T>(
  answer: Promise<T>,
  patience: number,
  signal: AbortSignal | undefined,
): Promise<T> {
  const controller = new AbortController();
  const stop = signal ? AbortSignal.any([signal, controller.signal]) : controller.signal;
  const gaveUp = sleep(patience, 'gave up' as const, { signal: stop }).catch(() => {
    signal?.throwIfAborted();
    return 'gave up' as const;
  });
  // Whichever of the two comes second has nobody who waits for it.
  answer.catch(() => {});
  gaveUp.catch(() => {});
  try {
    const first = await Promise.race([answer.then((value) => ({ value })), gaveUp]);
    if (first !== 'gave up') return first.value;
  } finally {
    controller.abort();
  }
  throw new UnreachableError({
    code: 'queue-unreachable',
    what: 'The queue could not be reached.',
    why: `Redis did not answer for ${Math.round(patience / 1000)} s.`,
    fix: 'Check QUEUE_URL and that Redis runs, and build again; what is done already is kept. Without QUEUE_URL the build does the work itself.',
  });
}

export interface Waiting {
  /** Vehicles that are not done. */
  vehicles: number;
  /** Workers that are connected. */
  workers: number;
  /** Milliseconds without a finished vehicle. */
  idle: number;
  /** Workers handed vehicles back without a result. */
  undone: boolean;
}

function reason({ workers, idle, undone }: Waiting): string {
  const seconds = Math.round(idle / 1000);
  if (workers === 0) return `No worker is connected to the queue, for ${seconds} s.`;
  if (!undone)
    return `${workers} workers are connected, but none finished a vehicle for ${seconds} s.`;
  return `${workers} workers are connected, but hand vehicles back undone, for ${seconds} s: they are of another version of this program, or have another store.`;
}

/** What a run says that begins to wait. */
export const waiting = ({ patience, ...of }: Waiting & { patience: number }): string =>
  `Waiting for thumbnails of ${of.vehicles} vehicles. ${reason(of)} Gives up after ${Math.round(patience / 1000)} s.`;

/** What a run says that waited long enough for workers. */
export function noProgress(of: Waiting): UnreachableError {
  return new UnreachableError({
    code: of.workers > 0 ? 'queue-stuck' : 'queue-no-worker',
    what: `Thumbnails of ${of.vehicles} vehicles were not made.`,
    why: reason(of),
    fix: 'Start workers (npm run worker) of the same version with the same QUEUE_URL and STORE_URL, and build again; what is done already is kept.',
  });
}
