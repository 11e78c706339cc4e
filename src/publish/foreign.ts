import type { SiteModel } from '../site/view.ts';
import { PERSONAL_FIELDS } from './verify.ts';

/**
 * Addresses in pages that the service gave. Whether they lead anywhere is the service's matter: one
 * that names a missing page of our own site must not keep the site from being published.
 */
export function foreignLinks({ vehicles }: SiteModel): Set<string> {
  const links = new Set<string>();
  for (const { pictures, videos } of vehicles) {
    for (const { full } of pictures) if (/^https?:/.test(full)) links.add(full);
    for (const { player } of videos) links.add(player);
  }
  return links;
}

/**
 * Whether a text of the service itself names a field of batches. Such a label is odd but no leak,
 * and must not keep the site from being published; then only keys of JSON are looked for.
 */
export function speaksOfBatches({ vehicles }: SiteModel): boolean {
  return vehicles.some(
    ({ vrm, media }) =>
      PERSONAL_FIELDS.test(vrm) || media.some(({ label }) => PERSONAL_FIELDS.test(label)),
  );
}
