import { z } from 'zod';

const count = z.int().min(0);

/** Counts of a run of the image pipeline. */
export const mediaCountsSchema = z.strictObject({
  sources: count,
  unchanged: count.describe('Needed nothing.'),
  revalidated: count.describe('Asked again and found unchanged (304 or equal bytes).'),
  downloaded: count,
  renamed: count.describe('Downloaded under a new URL, with the same bytes as before.'),
  downloadedBytes: count,
  outputsMade: count,
  outputsMadeBytes: count,
  outputsReused: count,
  outputsRemoved: count,
  outputsRestored: count.describe('Thumbnails taken from the published site.'),
  restoredBytes: count.describe('Bytes of them that came over the network.'),
  failed: count,
});

export type MediaCounts = z.infer<typeof mediaCountsSchema>;

/** The counts before anything was done. */
export const noCounts = (): MediaCounts =>
  Object.fromEntries(Object.keys(mediaCountsSchema.shape).map((name) => [name, 0])) as MediaCounts;
