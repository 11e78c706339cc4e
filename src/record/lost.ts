import { z } from 'zod';

/**
 * Files that a host asked for and nobody has any more: a deploy writes the list, and the next build
 * makes them again.
 */
export const LOST = 'lost.json';

/** Paths below the site. */
const lostSchema = z.strictObject({
  version: z.literal(1),
  files: z.array(z.string().min(1).max(1000)),
});

export const writeLost = (files: readonly string[]): string =>
  `${JSON.stringify({ version: 1, files: [...files].sort() }, null, 1)}\n`;

/** Reads what {@link writeLost} wrote; undefined where it is something else. */
export function readLost(text: string): string[] | undefined {
  try {
    return lostSchema.parse(JSON.parse(text)).files;
  } catch {
    return undefined;
  }
}
