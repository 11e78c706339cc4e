import type { Sources } from '../../config/opened-sources.ts';

/**
 * What visitors' browsers may do on the pages. Pages have no inline script or style, so the policy needs
 * no exceptions. Every page has it as `<meta>`, because some hosts cannot set headers; `_headers`
 * (Netlify, Cloudflare) has it as well, and there also who may frame a page.
 */

/** What pages may do besides what all of them need. */
export interface PolicyOptions {
  /** Whether pages load fonts of the site's own. */
  fonts?: boolean;
  /** Sources that the configuration opens. */
  opened?: Sources;
}

/** Content-Security-Policy without `frame-ancestors`, which `<meta>` ignores. */
export function contentPolicy(
  frameOrigins: readonly string[],
  { fonts = false, opened = {} }: PolicyOptions = {},
): string {
  const directive = (name: keyof Sources, own: readonly string[]) => {
    const sources = [...new Set([...own, ...(opened[name] ?? [])])];
    return `${name} ${sources.length > 0 ? sources.join(' ') : "'none'"}`;
  };
  const needs = (name: keyof Sources) => (opened[name] ?? []).length > 0;
  return [
    "default-src 'none'",
    // Rules of which links to fetch ahead are no program: nothing else may stand in a page.
    directive('script-src', ["'self'", "'inline-speculation-rules'"]),
    directive('style-src', ["'self'"]),
    directive('img-src', ["'self'"]),
    "manifest-src 'self'",
    ...(fonts || needs('font-src') ? [directive('font-src', ["'self'"])] : []),
    ...(needs('media-src') ? [directive('media-src', [])] : []),
    // Players' hosts are asked whether they answer, which nobody tells of a frame.
    directive('connect-src', ["'self'", ...frameOrigins]),
    directive('frame-src', frameOrigins),
    "base-uri 'none'",
    directive('form-action', []),
  ].join('; ');
}

/** Features that players need. The full screen is granted by an iframe's own attribute. */
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
 * Features that the header restricts to our pages and the players. Sharing is left out: in browsers
 * without it (Chromium on Linux), naming it logs an error on every page.
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
 * Addresses of pages that other websites may not frame. Rules of `_headers` add up, so a rule for
 * all addresses could not be revoked for embed pages: these patterns match our other pages, and none
 * matches `/embed/DEALER/VEHICLE/`. The number of rules does not grow with the dealers.
 */
const PAGES = [
  '/',
  '/:dealer/',
  '/:dealer/:vehicle/',
  '/:dealer/page/:number/',
  '/:dealer/:vehicle/sticker/',
  '/:dealer/make/:make/',
  '/:dealer/make/:make/page/:number/',
  '/404.html',
];

/** A page that was just looked at is there at once, and asked for again behind the scenes. */
const PAGE_CACHE = 'Cache-Control: public, max-age=60, stale-while-revalidate=600';

/** Those that pages in the folder of a further language need again: its other pages match as they are. */
const DEEPER = PAGES.filter((path) => path.startsWith('/:dealer/') && path !== '/:dealer/');

/** Data that other websites may read. */
const DATA = ['/:dealer/:file', '/:dealer/:vehicle/:file', '/schema/*'];

/**
 * `_headers` for Netlify and Cloudflare. Its rules can only add up, so its policy has what any page needs;
 * each page has its own as `<meta>`, and browsers obey both.
 *
 * @param options `folders`: of the pages in further languages.
 */
export function headersFile(
  frameOrigins: readonly string[],
  { folders = [], ...options }: PolicyOptions & { folders?: readonly string[] } = {},
): string {
  const inFolders = (paths: readonly string[]) =>
    folders.flatMap((folder) => paths.map((path) => `${folder}${path}`));
  const rule = (path: string, ...headers: string[]) => [
    path,
    ...headers.map((line) => `  ${line}`),
  ];
  return `${[
    ...rule(
      '/*',
      // Of all pages together. Each says in itself what it needs of this.
      `Content-Security-Policy: ${contentPolicy(["'self'", ...frameOrigins], options)}`,
      `Permissions-Policy: ${permissionsPolicy(frameOrigins)}`,
      'Referrer-Policy: strict-origin-when-cross-origin',
      'X-Content-Type-Options: nosniff',
    ),
    ...[...PAGES, ...inFolders(DEEPER)].flatMap((path) =>
      rule(path, "Content-Security-Policy: frame-ancestors 'self'", PAGE_CACHE),
    ),
    ...rule('/embed/*', 'Content-Security-Policy: frame-ancestors *', PAGE_CACHE),
    // Names under /media/ follow from the pictures' bytes; assets carry a hash in the query.
    ...rule('/media/*', 'Cache-Control: public, max-age=31536000, immutable'),
    ...rule('/assets/*', 'Cache-Control: public, max-age=31536000, immutable'),
    // Builds must read records of the same night, even through a CDN that caches.
    ...rule('/api/records/*', 'Cache-Control: no-cache'),
    ...rule('/embed.js', 'Cache-Control: public, max-age=3600', 'Access-Control-Allow-Origin: *'),
    // Data that other websites may read: media.json, feed.json, oembed.json.
    ...[...DATA, ...inFolders(['/:dealer/:vehicle/:file'])].flatMap((path) =>
      rule(path, 'Access-Control-Allow-Origin: *'),
    ),
  ].join('\n')}\n`;
}
