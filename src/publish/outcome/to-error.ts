import { AppError, GateError } from '../../errors.ts';
import {
  explainFullDisk,
  explainOpenFiles,
  explainSystemError,
} from '../../lib/files/system-errors.ts';
import type { BuiltChunk } from '../chunk/built-chunk.ts';

/** Average bytes of a vehicle's pages, and of each of its media in them, as measured. */
const PAGE = { vehicle: 15_500, media: 1_500 };
/** Estimated bytes of a picture's thumbnails, used before any was made. */
const THUMBNAILS = 100_000;

/** Estimated bytes that the build of a chunk needs on disk. */
function neededRoom({ outcomes, reports, progress }: BuiltChunk): number {
  const vehicles = outcomes.reduce((sum, one) => sum + one.vehicles, 0);
  const media = reports.reduce((sum, one) => sum + one.pictures.listed + one.videos.listed, 0);
  const { total = 0, done = 0, outputsMadeBytes = 0 } = progress ?? {};
  const thumbnails = outputsMadeBytes > 0 ? outputsMadeBytes / done : THUMBNAILS;
  return vehicles * PAGE.vehicle + media * PAGE.media + (total - done) * thumbnails;
}

/** How far a build came, and the folders that it writes to. */
interface Around {
  chunks?: readonly BuiltChunk[];
  folders?: readonly string[];
}

/** The error that stopped a build, with reason and fix. */
export function toError(error: unknown, { chunks = [], folders = [] }: Around = {}): AppError {
  const limit = explainOpenFiles(error);
  if (limit) return limit;
  const needed = chunks.reduce((sum, chunk) => sum + neededRoom(chunk), 0);
  const full = explainFullDisk(error, folders, needed > 0 ? needed : undefined);
  if (full || error instanceof AppError) return full ?? (error as AppError);
  const known = explainSystemError(error);
  if (known) return known;
  if (error instanceof Error && error.name === 'AbortError') {
    return new GateError({
      code: 'build-interrupted',
      what: 'The build was interrupted.',
      why: 'A user or the scheduler stopped it.',
      fix: 'Run it again. Finished pictures are kept. The published site is unchanged.',
    });
  }
  return new AppError({
    code: 'internal',
    what: 'The build hit a bug.',
    why: error instanceof Error ? error.message : String(error),
    fix: 'Run it again with --debug and report the output. The published site is unchanged.',
    cause: error,
  });
}

/** What failed after the new site was published, in one sentence. */
export function afterText(problem: unknown): string {
  const { message, why } = toError(problem);
  return `The site was published, but writing the report or the cache failed: ${message}${why ? ` ${why}` : ''}`;
}
