import { escapeHtml } from '../../lib/html.ts';
import { EMBED_SCRIPT } from './assets.ts';
import { pageAt, type SiteAddress } from './site-url.ts';
import type { VehicleView } from './view.ts';

/**
 * The lines that put a vehicle's gallery on another website; without JavaScript they are a link.
 *
 * @param findable whether a search for the plate leads to exactly this vehicle.
 */
export function embedSnippet(
  {
    dealer,
    slug,
    vrm,
    canonical,
    fullName,
  }: Pick<VehicleView, 'dealer' | 'slug' | 'vrm' | 'canonical' | 'fullName'>,
  findable: boolean,
  place: SiteAddress,
): string {
  const which = findable
    ? `dealer="${dealer.slug}" vrm="${escapeHtml(vrm)}"`
    : `src="${escapeHtml(pageAt(place, `/embed/${dealer.slug}/${slug}/`).canonical)}"`;
  return [
    `<script async src="${place.origin}${place.base}/${EMBED_SCRIPT}"></script>`,
    `<vehicle-media ${which}><a href="${escapeHtml(canonical)}">${escapeHtml(fullName)}</a></vehicle-media>`,
  ].join('\n');
}
