import type { Sources } from '../../config/opened-sources.ts';
import { MEDIA } from '../../images/stores/folder.ts';

/**
 * The security policies of pages. Pages have no inline scripts and styles, so the policy needs no exceptions for
 * them. Every page has its policy as `<meta>`, because some hosts cannot set headers. `_headers` (Netlify,
 * Cloudflare) has a policy for all pages, and restricts which websites may frame a page.
 */

/** Permissions that not all pages need. */
interface PolicyOptions {
  /** Whether pages load fonts from the site. */
  fonts?: boolean;
  /** Sources that the configuration adds. */
  opened?: Sources;
}

/** Content-Security-Policy without `frame-ancestors`, which `<meta>` ignores. */
export function contentPolicy(
  frameOrigins: readonly string[],
  { fonts = false, opened = {} }: PolicyOptions = {},
): string {
  const directive = (name: keyof Sources, defaults: readonly string[]) => {
    const sources = [...new Set([...defaults, ...(opened[name] ?? [])])];
    return `${name} ${sources.length > 0 ? sources.join(' ') : "'none'"}`;
  };
  const needs = (name: keyof Sources) => (opened[name] ?? []).length > 0;
  return [
    "default-src 'none'",
    // Speculation rules only list links to fetch in advance. No other inline script is allowed.
    directive('script-src', ["'self'", "'inline-speculation-rules'"]),
    directive('style-src', ["'self'"]),
    directive('img-src', ["'self'"]),
    "manifest-src 'self'",
    ...(fonts || needs('font-src') ? [directive('font-src', ["'self'"])] : []),
    ...(needs('media-src') ? [directive('media-src', [])] : []),
    // A script requests the hosts of players, because a frame does not report that its host is unreachable.
    directive('connect-src', ["'self'", ...frameOrigins]),
    directive('frame-src', frameOrigins),
    "base-uri 'none'",
    directive('form-action', []),
  ].join('; ');
}

/** Features that players need. Full screen has a separate attribute of the iframe. */
const PLAYER_FEATURES = [
  'accelerometer',
  'autoplay',
  'clipboard-write',
  'encrypted-media',
  'gyroscope',
  'picture-in-picture',
  'web-share',
] as const;

/** `allow` of an iframe with a player, or with a gallery that contains players. */
export const PLAYER_ALLOW = PLAYER_FEATURES.join('; ');

/**
 * Features that the header restricts to pages of the site and players. `web-share` is left out: browsers without
 * it (Chromium on Linux) would log an error on every page.
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
 * Paths of pages that other websites may not frame. Rules of `_headers` add up, so a rule for all paths could not
 * be revoked for embed pages. These patterns match all other pages, except custom pages further below, and none
 * matches `/embed/DEALER/VEHICLE/`.
 * The number of rules does not grow with the number of dealers.
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

/** A recently visited page is shown at once, and revalidated in the background. */
const PAGE_CACHE = 'Cache-Control: public, max-age=60, stale-while-revalidate=600';

/** Patterns that are repeated for the folder of each further language. Its other pages already match. */
const DEEPER = PAGES.filter((path) => path.startsWith('/:dealer/') && path !== '/:dealer/');

/** Data that other websites may read. */
const DATA = ['/:dealer/:file', '/:dealer/:vehicle/:file', '/schema/*'];

/**
 * `_headers` for Netlify and Cloudflare. Its rules can only add up, so its policy has all that any page needs. Each
 * page has a stricter one as `<meta>`, and browsers apply both.
 *
 * @param options `folders` of the pages in further languages. `deep`: top folders with custom pages further below than
 *   the patterns of pages match.
 */
export function headersFile(
  frameOrigins: readonly string[],
  options: PolicyOptions & { folders?: readonly string[]; deep?: readonly string[] } = {},
): string {
  const { folders = [], deep = [] } = options;
  const inFolders = (paths: readonly string[]) =>
    folders.flatMap((folder) => paths.map((path) => `${folder}${path}`));
  const rule = (path: string, ...headers: string[]) => [
    path,
    ...headers.map((line) => `  ${line}`),
  ];
  return `${[
    ...rule(
      '/*',
      `Content-Security-Policy: ${contentPolicy(["'self'", ...frameOrigins], options)}`,
      `Permissions-Policy: ${permissionsPolicy(frameOrigins)}`,
      'Referrer-Policy: strict-origin-when-cross-origin',
      'X-Content-Type-Options: nosniff',
    ),
    ...[...PAGES, ...inFolders(DEEPER), ...deep.map((name) => `/${name}/*`)].flatMap((path) =>
      rule(path, "Content-Security-Policy: frame-ancestors 'self'", PAGE_CACHE),
    ),
    // Without `frame-ancestors`, because `*` would exclude websites in a sandbox, and apps.
    ...rule('/embed/*', PAGE_CACHE),
    // Names under /media/ are derived from the pictures' bytes. Assets have a hash in the query.
    ...rule(`/${MEDIA}*`, 'Cache-Control: public, max-age=31536000, immutable'),
    ...rule('/assets/*', 'Cache-Control: public, max-age=31536000, immutable'),
    // Builds must read the newest records, even through a CDN that caches.
    ...rule('/api/records/*', 'Cache-Control: no-cache'),
    ...rule('/embed.js', 'Cache-Control: public, max-age=3600', 'Access-Control-Allow-Origin: *'),
    // Data that other websites may read: media.json, feed.json, oembed.json.
    ...[...DATA, ...inFolders(['/:dealer/:vehicle/:file'])].flatMap((path) =>
      rule(path, 'Access-Control-Allow-Origin: *'),
    ),
  ].join('\n')}\n`;
}
