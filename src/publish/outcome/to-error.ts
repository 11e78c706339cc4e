import { AppError, ConfigError, firstError, GateError } from '../../errors.ts';
import { explainFullDisk, explainSystemError } from '../../lib/files/system-errors.ts';
import type { BuiltChunk } from '../chunk/built-chunk.ts';

/** Average bytes of a vehicle's pages, and of each media item in them (measured). */
const PAGE = { vehicle: 15_500, media: 1_500 };
/** Estimated bytes of a picture's thumbnails, before any are made. */
const THUMBNAILS = 100_000;

/** How sharp and esbuild begin the error that they have no program for this system. */
const FOREIGN_PACKAGES =
  /^(?:Could not load the "sharp" module|\s*The package "@esbuild\/|\s*You installed esbuild for another platform)/;

/** Estimated bytes that the build of a chunk needs on disk. */
function estimateBytes({ outcomes, reports, progress }: BuiltChunk): number {
  const vehicles = outcomes.reduce((sum, one) => sum + one.vehicles, 0);
  const media = reports.reduce((sum, one) => sum + one.pictures.listed + one.videos.listed, 0);
  const { total = 0, done = 0, outputsMadeBytes = 0 } = progress ?? {};
  const thumbnails = outputsMadeBytes > 0 ? outputsMadeBytes / done : THUMBNAILS;
  return vehicles * PAGE.vehicle + media * PAGE.media + (total - done) * thumbnails;
}

/** The error that stopped a build, with reason and fix. @param folders that it writes to. */
export function toError(
  cause: unknown,
  chunks: readonly BuiltChunk[] = [],
  folders: readonly string[] = [],
): AppError {
  const error = firstError(cause);
  const neededBytes = chunks.reduce((sum, chunk) => sum + estimateBytes(chunk), 0);
  const fullDisk = explainFullDisk(error, folders, neededBytes > 0 ? neededBytes : undefined);
  const known = fullDisk ?? explainSystemError(error);
  if (known) return known;
  if (error instanceof AppError) return error;
  if (error instanceof Error && error.name === 'AbortError') {
    return new GateError({
      code: 'build-interrupted',
      what: 'The build was interrupted.',
      why: 'A user or the scheduler stopped it.',
      fix: 'Run it again. Finished pictures are kept. The published site is unchanged.',
    });
  }
  const why = error instanceof Error ? error.message : String(error);
  if (FOREIGN_PACKAGES.test(why)) {
    return new ConfigError({
      code: 'packages-incomplete',
      what: 'The packages are not installed for this system.',
      why,
      fix: 'Reinstall them on this machine with their optional packages: npm ci --include=optional. The published site is unchanged.',
      cause: error,
    });
  }
  return new AppError({
    code: 'internal',
    what: 'The build hit a bug.',
    why,
    fix: 'Run it again with --debug and report the output. The published site is unchanged.',
    cause: error,
  });
}

/** Describes a failure after publishing in one sentence. */
export function afterText(problem: unknown): string {
  const { message, why } = toError(problem);
  return `The site was published, but writing the report or the cache failed: ${message}${why ? ` ${why}` : ''}`;
}
