import { makePublic } from '../../lib/files/public-rights.ts';
import { checkSiteFolder } from '../folder-checks/site-folder.ts';
import { stagingFolder, swap } from '../output/swap.ts';
import type { MediaFolder } from '../site-diff/media-folder.ts';

/**
 * Publishes the staged folder, see {@link swap}.
 *
 * @param media its thumbnails, if it reuses those of the published folder.
 * @throws {GateError} the new site could not be published.
 */
export async function publishStaged(output: string, media?: MediaFolder): Promise<void> {
  // The folder may have changed since the check at the start of the build.
  const listing = checkSiteFolder(output);
  const mediaStays = media?.complete(listing) === true;
  makePublic(stagingFolder(output));
  await swap(output, { mediaStays });
  if (!mediaStays) return;
  try {
    media.removeSurplus(listing);
  } catch {
    // The site is published; the next build removes the leftovers.
  }
}
