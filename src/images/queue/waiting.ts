import { UnreachableError } from '../../errors.ts';
import { countText } from '../../lib/terminal/count-text.ts';

/** Why a run waits. */
export interface Waiting {
  /** Vehicles that are not done. */
  vehicles: number;
  /** Workers that are connected. */
  workers: number;
  /** Milliseconds without a finished vehicle. */
  idle: number;
  /** Whether jobs ended without a result. */
  undone: boolean;
}

function reason({ workers, idle, undone }: Waiting): string {
  const seconds = Math.round(idle / 1000);
  if (workers === 0) return `No worker is connected to the queue, for ${seconds} s.`;
  if (!undone)
    return `${countText(workers, 'worker is', 'workers are')} connected, but none finished a vehicle for ${seconds} s.`;
  return `${countText(workers, 'worker is', 'workers are')} connected, but vehicles come back undone, for ${seconds} s: workers are of another version of this program, or have another store.`;
}

/** Line for a run that begins to wait. */
export const waiting = ({ timeout, ...of }: Waiting & { timeout: number }): string =>
  `Waiting for thumbnails of ${countText(of.vehicles, 'vehicle')}. ${reason(of)} Gives up after ${Math.round(timeout / 1000)} s.`;

/** Error of a run that waited too long for workers. */
export function noProgress(of: Waiting): UnreachableError {
  return new UnreachableError({
    code: of.workers > 0 ? 'queue-stuck' : 'queue-no-worker',
    what: `Thumbnails of ${countText(of.vehicles, 'vehicle')} were not made.`,
    why: reason(of),
    fix: 'Start workers (npm run worker) of the same version with the same QUEUE_URL and STORE_URL, and build again. Finished work is kept.',
  });
}
