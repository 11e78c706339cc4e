import { z } from 'zod';

/**
 * Files that a host asked for and that are neither on this disk nor online: a deploy writes the list, and the next build
 * makes them again.
 */
export const LOST = 'lost.json';

const lostSchema = z.strictObject({
  version: z.literal(1),
  /** Paths below the site, without a slash at the start. */
  files: z.array(z.string().min(1).max(1000)),
});

/** The list as text: the same for the same files. */
export const writeLost = (files: Iterable<string>): string =>
  `${JSON.stringify({ version: 1, files: [...files].sort() }, null, 1)}\n`;

/** Reads what {@link writeLost} wrote; undefined where it is something else. */
export function readLost(text: string): string[] | undefined {
  try {
    return lostSchema.parse(JSON.parse(text)).files;
  } catch {
    return undefined;
  }
}
