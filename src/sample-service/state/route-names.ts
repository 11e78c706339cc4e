/** The kinds of address the service answers, as faults and the request log name them. */
export const ROUTE_NAMES = [
  'media',
  'batches',
  'picture',
  'poster',
  'video',
  'openapi',
  'page',
  'control',
] as const;

export type RouteName = (typeof ROUTE_NAMES)[number];

const PREFIXES: readonly (readonly [prefix: string, route: RouteName])[] = [
  ['/PublicAPI/GetMediaByDealer', 'media'],
  ['/PublicAPI/MyVideos/', 'batches'],
  ['/pictures/', 'picture'],
  ['/posters/', 'poster'],
  ['/player/', 'video'],
  ['/hosted/', 'video'],
  ['/openapi.json', 'openapi'],
  ['/_', 'control'],
];

/** The kind of a request path; anything that is not listed is a `page`. */
export function routeOf(path: string): RouteName {
  return PREFIXES.find(([prefix]) => path.startsWith(prefix))?.[1] ?? 'page';
}
