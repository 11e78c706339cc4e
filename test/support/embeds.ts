import fc from 'fast-check';
import { providersFor } from '../../src/videos/providers.ts';
import { anyText } from '../property/support.ts';

/** Custom providers of a configuration: with narrow and wide paths, and unusual parameter names. */
export const CONFIGURED: Parameters<typeof providersFor>[0] = [
  {
    name: 'Narrow',
    host: 'narrow.example',
    path: '/v/[a-z0-9]+',
    parameters: ['t', 'h'],
    play: {},
  },
  {
    name: 'Wide',
    host: 'wide.example',
    path: '/.*',
    parameters: ['9', 't', 'é b&=', '', '__proto__', 'a'],
    play: { t: 'now' },
  },
  // Its host and path belong to a built-in provider, for URLs that the provider does not match.
  {
    name: 'Lists',
    host: 'www.youtube-nocookie.com',
    path: '/embed/.*',
    parameters: ['list'],
    play: {},
  },
  {
    name: 'Either',
    host: 'either.example',
    path: '/a|/b/(x)\\2*|.*/(?=end)end',
    parameters: [],
    play: {},
  },
];

export const SAMPLE_ORIGIN = 'http://127.0.0.1:8701';

export const everyProvider = providersFor(CONFIGURED, SAMPLE_ORIGIN);

const word = (form: string, lengths: string) =>
  fc.stringMatching(new RegExp(`^[${form}]${lengths}$`));
const long = fc
  .tuple(fc.constantFrom('é', '~', 'a', '/', '%2e', '中', "'"), fc.integer({ min: 1, max: 1500 }))
  .map(([text, times]) => text.repeat(times));

const place = fc.oneof(
  fc
    .tuple(
      fc.constantFrom('www.youtube.com', 'youtube.com', 'www.youtube-nocookie.com'),
      word('\\w-', '{11}'),
    )
    .map(([host, id]) => `https://${host}/embed/${id}`),
  fc
    .tuple(
      fc.constantFrom('www.youtube.com', 'www.youtube-nocookie.com'),
      fc.constantFrom('videoseries', 'live_stream'),
    )
    .map(([host, list]) => `https://${host}/embed/${list}`),
  word('0-9', '{1,12}').map((id) => `https://player.vimeo.com/video/${id}`),
  fc
    .tuple(fc.constantFrom('net', 'com'), word('a-z0-9', '{6,16}'))
    .map(([end, id]) => `https://fast.wistia.${end}/embed/iframe/${id}`),
  word('0-9', '{1,12}').map((id) => `https://view.vzaar.com/${id}/player`),
  fc
    .tuple(fc.constantFrom('vod', 'live'), word('\\w-', '{1,9}'), word('a-zA-Z0-9-', '{1,64}'))
    .map((parts) => `https://iframe.dacast.com/${parts.join('/')}`),
  word('a-z0-9', '{1,9}').map((id) => `https://narrow.example/v/${id}`),
  fc.oneof(anyText, long, fc.webPath()).map((path) => `https://wide.example/${path}`),
  fc
    .constantFrom('/a', '/b/x', '/b/xxx', '//end', '/%2e/x/../end')
    .map((path) => `https://either.example${path}`),
  word('A-Za-z0-9_-', '{1,64}').map((code) => `${SAMPLE_ORIGIN}/hosted/embed/${code}`),
);

const value = fc.oneof(word('0-9a-f', '{1,20}'), word('\\w.~-', '{1,200}'), anyText);
const parameters = fc.array(
  fc.tuple(
    fc.constantFrom('rel', 'start', 'end', 'h', 't', 'a', '9', 'dnt', 'list', '', 'é b&=', 'utm'),
    value,
  ),
  { maxLength: 14 },
);

/** URLs that a provider embeds, mostly in a spelling that differs from ours. */
export const embedAddress: fc.Arbitrary<string> = fc
  .tuple(place, parameters, fc.constantFrom('', '', '#t=1'), fc.boolean())
  .map(([address, query, fragment, schemeless]) => {
    // Lone surrogates, which URLSearchParams replaces, cannot be escaped.
    const search = new URLSearchParams(query).toString();
    const url = `${address}${search && `?${search}`}${fragment}`;
    return schemeless ? url.replace(/^https:/, '') : url;
  });
