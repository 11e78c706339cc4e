/** What a run of the media line did. */
export interface MediaCounts {
  sources: number;
  /** Needed nothing. */
  unchanged: number;
  /** Asked again and found unchanged (304 or equal bytes). */
  revalidated: number;
  downloaded: number;
  downloadedBytes: number;
  outputsMade: number;
  outputsMadeBytes: number;
  outputsReused: number;
  outputsRemoved: number;
  /** Taken from the published site. */
  outputsRestored: number;
  /** What that took, lists included. */
  restoredBytes: number;
  failed: number;
}

/** The counts before anything was done. */
export const noCounts = (): MediaCounts => ({
  sources: 0,
  unchanged: 0,
  revalidated: 0,
  downloaded: 0,
  downloadedBytes: 0,
  outputsMade: 0,
  outputsMadeBytes: 0,
  outputsReused: 0,
  outputsRemoved: 0,
  outputsRestored: 0,
  restoredBytes: 0,
  failed: 0,
});
