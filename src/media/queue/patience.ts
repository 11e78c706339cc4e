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

/** What a run says that waited long enough for workers. */
export function noProgress({
  vehicles,
  workers,
  idle,
}: {
  vehicles: number;
  /** Workers that are connected. */
  workers: number;
  /** Milliseconds without a finished vehicle. */
  idle: number;
}): UnreachableError {
  const seconds = Math.round(idle / 1000);
  return new UnreachableError({
    code: workers > 0 ? 'queue-stuck' : 'queue-no-worker',
    what: `Thumbnails of ${vehicles} vehicles were not made.`,
    why:
      workers > 0
        ? `${workers} workers are connected, but none finished a vehicle for ${seconds} s.`
        : `No worker is connected to the queue, for ${seconds} s.`,
    fix: 'Start workers (npm run worker) with the same QUEUE_URL and STORE_URL, and build again; what is done already is kept.',
  });
}
