import type { LoadedConfig } from '../config/load.ts';

/**
 * The video hosts whose players may be embedded. A provider is an exact host and an anchored path. This program creates
 * the URL in a page from the matched parts, so no other part of a snippet gets into a page.
 */

export interface Provider {
  /** Name for visitors. */
  name: string;
  /** Allowed origins of an embed URL. */
  origins: readonly string[];
  /** Anchored pattern of the path. Its groups are passed to `address`. */
  path: RegExp;
  /** Allowed query parameters, with the pattern of each value. Others are dropped. */
  parameters: Readonly<Record<string, RegExp>>;
  /** Creates the URL from the groups of `path`. Parameters are added afterwards. */
  address: (groups: readonly string[]) => string;
  /** Parameters that are always set. */
  always?: Readonly<Record<string, string>>;
  /** Parameters that start the player at once, for use after a click. */
  play?: Readonly<Record<string, string>>;
  /**
   * Whether pages of other sites can check that the host is reachable. A host that forbids it
   * (`Cross-Origin-Resource-Policy`) would seem blocked.
   */
  answers?: boolean;
  /** Creates the URL of a still from the groups of `path`. All stills have one host. */
  poster?: (groups: readonly string[]) => string;
}

const SECONDS = /^\d{1,6}$/;
const FLAG = /^[01]$/;

export const BUILT_IN_PROVIDERS: readonly Provider[] = [
  {
    name: 'YouTube',
    origins: [
      'https://www.youtube.com',
      'https://youtube.com',
      'https://www.youtube-nocookie.com',
      'https://youtube-nocookie.com',
    ],
    // These two words of eleven characters are not video ids. They need further parameters.
    path: /^\/embed\/(?!videoseries$|live_stream$)([A-Za-z0-9_-]{11})$/,
    parameters: {
      start: SECONDS,
      end: SECONDS,
      rel: FLAG,
      cc_load_policy: FLAG,
      playsinline: FLAG,
    },
    // This host sets no cookie before the video plays.
    address: ([id]) => `https://www.youtube-nocookie.com/embed/${id}`,
    play: { autoplay: '1' },
    answers: true,
    // The largest still that exists for every video.
    poster: ([id]) => `https://i.ytimg.com/vi/${id}/hqdefault.jpg`,
  },
  {
    name: 'Vimeo',
    origins: ['https://player.vimeo.com'],
    path: /^\/video\/(\d{1,12})$/,
    // `h` is the key of unlisted videos. Without it, they do not play.
    parameters: { h: /^[0-9a-f]{6,20}$/ },
    address: ([id]) => `https://player.vimeo.com/video/${id}`,
    always: { dnt: '1' },
    play: { autoplay: '1' },
  },
  {
    name: 'Wistia',
    origins: ['https://fast.wistia.net', 'https://fast.wistia.com'],
    path: /^\/embed\/iframe\/([a-z0-9]{6,16})$/,
    parameters: {},
    address: ([id]) => `https://fast.wistia.net/embed/iframe/${id}`,
    play: { autoPlay: 'true' },
  },
  {
    name: 'Vzaar',
    origins: ['https://view.vzaar.com'],
    path: /^\/(\d{1,12})\/player$/,
    parameters: {},
    address: ([id]) => `https://view.vzaar.com/${id}/player`,
    play: { autoplay: 'true' },
  },
  {
    name: 'Dacast',
    origins: ['https://iframe.dacast.com'],
    path: /^\/(vod|live)\/([A-Za-z0-9-]{1,64})\/([A-Za-z0-9-]{1,64})$/,
    parameters: {},
    address: ([kind, owner, id]) => `https://iframe.dacast.com/${kind}/${owner}/${id}`,
    play: { autoplay: 'true' },
  },
];

/** The sample service's player, only on this machine. */
const sampleProvider = (origin: string): Provider => ({
  name: 'Sample video host',
  origins: [origin],
  path: /^\/hosted\/embed\/([A-Za-z0-9_-]{1,64})$/,
  parameters: { rel: FLAG },
  address: ([id]) => `${origin}/hosted/embed/${id}`,
  play: { autoplay: '1' },
  answers: true,
  // Its codes are `hv` and the media id in base 36.
  poster: ([code = '']) => `${origin}/posters/${Number.parseInt(code.slice(2), 36)}.jpg`,
});

/** All providers of a run: built-in, configured, and the sample service if it is in use. */
export function providersFor(
  configured: LoadedConfig['videos']['providers'],
  sampleOrigin?: string,
): Provider[] {
  const customProviders = configured.map(({ name, host, path, parameters, play }): Provider => {
    const origin = `https://${host}`;
    return {
      name,
      origins: [origin],
      path: new RegExp(`^(${path})$`),
      parameters: Object.fromEntries(parameters.map((key) => [key, /^[\w.~-]{1,200}$/])),
      address: ([fullPath]) => `${origin}${fullPath}`,
      play,
    };
  });
  return [
    ...BUILT_IN_PROVIDERS,
    ...customProviders,
    ...(sampleOrigin ? [sampleProvider(sampleOrigin)] : []),
  ];
}
