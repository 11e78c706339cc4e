/**
 * What visitors' browsers may do on the pages. There is no inline script or style anywhere, so the
 * policy needs no exceptions. It stands in every page as `<meta>`, because some hosts cannot set
 * headers, and in `_headers` (Netlify, Cloudflare), which can also say who may frame a page.
 */

/**
 * Content-Security-Policy without what `<meta>` ignores (`frame-ancestors`).
 *
 * @param fonts whether pages load fonts of the site's own.
 */
export function contentPolicy(frameOrigins: readonly string[], fonts = false): string {
  const frames = frameOrigins.length > 0 ? frameOrigins.join(' ') : "'none'";
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    ...(fonts ? ["font-src 'self'"] : []),
    "connect-src 'self'",
    `frame-src ${frames}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

/** What players need besides the full screen, for which an iframe has an attribute of its own. */
const PLAYER_FEATURES = [
  'accelerometer',
  'autoplay',
  'clipboard-write',
  'encrypted-media',
  'gyroscope',
  'picture-in-picture',
  'web-share',
] as const;

/** `allow` of an iframe that holds a player, or our own gallery with players in it. */
export const PLAYER_ALLOW = PLAYER_FEATURES.join('; ');

/**
 * Features that the header keeps to ourselves and the players. Not sharing: where a browser has none
 * of it (Chromium on Linux), naming it is an error in the console of every page.
 */
const RESTRICTED = PLAYER_FEATURES.filter((feature) => feature !== 'web-share');

const NOT_USED = ['camera', 'display-capture', 'geolocation', 'microphone', 'payment', 'usb'];

export function permissionsPolicy(frameOrigins: readonly string[]): string {
  const origins = ['self', ...frameOrigins.map((origin) => `"${origin}"`)].join(' ');
  return [
    ...[...RESTRICTED, 'fullscreen'].map((feature) => `${feature}=(${origins})`),
    ...NOT_USED.map((feature) => `${feature}=()`),
  ].join(', ');
}

/**
 * Addresses of pages that nobody else may frame. Rules of `_headers` add up, so a rule for
 * everything could not be taken back for the embed pages: these patterns are those of our pages,
 * and none matches `/embed/DEALER/VEHICLE/`. The number of rules does not grow with the dealers.
 */
const PAGES = ['/', '/:dealer/', '/:dealer/:vehicle/', '/:dealer/page/:number/', '/404.html'];

/** `_headers` for Netlify and Cloudflare. */
export function headersFile(frameOrigins: readonly string[], fonts = false): string {
  const rule = (path: string, ...headers: string[]) => [
    path,
    ...headers.map((line) => `  ${line}`),
  ];
  return `${[
    ...rule(
      '/*',
      `Content-Security-Policy: ${contentPolicy(frameOrigins, fonts)}`,
      `Permissions-Policy: ${permissionsPolicy(frameOrigins)}`,
      'Referrer-Policy: strict-origin-when-cross-origin',
      'X-Content-Type-Options: nosniff',
    ),
    ...PAGES.flatMap((path) => rule(path, "Content-Security-Policy: frame-ancestors 'self'")),
    ...rule('/embed/*', 'Content-Security-Policy: frame-ancestors *'),
    // Names under /media/ follow from the pictures' bytes; assets carry a hash in the query.
    ...rule('/media/*', 'Cache-Control: public, max-age=31536000, immutable'),
    ...rule('/assets/*', 'Cache-Control: public, max-age=31536000, immutable'),
    // What builds remember must be of one night, also through a network that keeps copies.
    ...rule('/api/records/*', 'Cache-Control: no-cache'),
    ...rule('/embed.js', 'Cache-Control: public, max-age=3600', 'Access-Control-Allow-Origin: *'),
    // Data that other websites may read: media.json, feed.json, oembed.json.
    ...['/:dealer/:file', '/:dealer/:vehicle/:file', '/schema/*'].flatMap((path) =>
      rule(path, 'Access-Control-Allow-Origin: *'),
    ),
  ].join('\n')}\n`;
}
