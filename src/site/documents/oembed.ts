import { escapeHtml } from '../../lib/html.ts';
import { FRAME } from '../views/snippets-view.ts';
import type { VehicleView } from '../views/view.ts';

/**
 * The oEmbed response for a vehicle (oembed.com, 2.3.4.4): a quotation with a link, and an iframe. WordPress shows
 * the quotation until the frame has loaded, and removes `style`. Feeds show the quotation instead of the frame.
 */
export function oembedJson(
  view: VehicleView,
  embedUrl: string,
  site: { title: string; url: string },
): string {
  const link = `<a href="${escapeHtml(view.canonical)}">${escapeHtml(view.fullName)}</a>`;
  const { share, dealer } = view;
  return `${JSON.stringify({
    version: '1.0',
    type: 'rich',
    title: view.title,
    author_name: dealer.name,
    author_url: new URL(dealer.url, view.canonical).href,
    provider_name: site.title,
    provider_url: site.url,
    // In seconds. Pictures of a vehicle change within days.
    cache_age: 86_400,
    // A static file cannot react to `maxwidth`.
    width: 600,
    height: 600,
    html: `<blockquote class="wp-embedded-content">${link}</blockquote><iframe class="wp-embedded-content" src="${escapeHtml(embedUrl)}" title="${escapeHtml(view.gallery.label)}" frameborder="0" ${FRAME}></iframe>`,
    ...(share && {
      thumbnail_url: share.image,
      thumbnail_width: share.width,
      thumbnail_height: share.height,
    }),
  })}\n`;
}
