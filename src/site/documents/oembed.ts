import { escapeHtml } from '../../lib/html.ts';
import type { VehicleView } from '../views/view.ts';

/** Size in pixels. A static file cannot react to `maxwidth`. The frame is as wide as its column. */
const SIZE = { width: 600, height: 540 } as const;

/** How long a consumer may cache the response, in seconds. Pictures of a vehicle change within days. */
const CACHE_AGE = 86_400;

/**
 * The oEmbed response for a vehicle (oembed.com, 2.3.4.4): a quotation with a link, and an iframe. WordPress shows
 * the quotation until the frame has loaded. Feeds show it instead of the frame.
 */
export function oembedJson(
  view: VehicleView,
  embedUrl: string,
  site: { title: string; url: string },
): string {
  const link = `<a href="${escapeHtml(view.canonical)}">${escapeHtml(view.fullName)}</a>`;
  const title = escapeHtml(view.gallery.label);
  const { share, dealer } = view;
  return `${JSON.stringify({
    version: '1.0',
    type: 'rich',
    title: view.title,
    author_name: dealer.name,
    author_url: new URL(dealer.url, view.canonical).href,
    provider_name: site.title,
    provider_url: site.url,
    cache_age: CACHE_AGE,
    ...SIZE,
    html: `<blockquote class="wp-embedded-content">${link}</blockquote><iframe class="wp-embedded-content" src="${escapeHtml(embedUrl)}" width="100%" height="${SIZE.height}" title="${title}" frameborder="0" allowfullscreen></iframe>`,
    ...(share && {
      thumbnail_url: share.image,
      thumbnail_width: share.width,
      thumbnail_height: share.height,
    }),
  })}\n`;
}
