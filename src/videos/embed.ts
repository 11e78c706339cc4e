import { LONGEST } from '../contract/media.ts';
import { newParser } from '../lib/html.ts';
import type { VideoMedia } from '../stock/vehicle.ts';
import type { Provider } from './providers.ts';

export type Embed = NonNullable<ReturnType<typeof matchProvider>>;

/** The `src` of the first iframe in an HTML snippet. No other part of a snippet is used. */
function firstIframeSource(html: string): string | undefined {
  let source: string | undefined;
  let isFound = false;
  const parser = newParser({
    onopentag(name, attributes) {
      if (name !== 'iframe' || isFound) return;
      isFound = true;
      source = attributes.src;
    },
  });
  parser.write(html.slice(0, LONGEST.snippet));
  parser.end();
  return source;
}

function parseAddress(text: string): URL | undefined {
  // Old snippets omit the scheme, to use the scheme of the page, which is https here.
  const absolute = text.startsWith('//') ? `https:${text}` : text;
  // The URL parser would silently correct these characters. Valid URLs do not contain them.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern searches for them
  if (/[\u0000-\u0020\u007f\\]/.test(absolute)) return undefined;
  // The parser would also accept zero, one or five slashes before the host.
  if (!/^https?:\/\/[^/]/i.test(absolute) || absolute.length > LONGEST.address) return undefined;
  const url = URL.parse(absolute);
  return url && url.username === '' && url.password === '' ? url : undefined;
}

/** The embed of an embeddable URL. Undefined if no provider matches. */
export function matchProvider(text: string, providers: readonly Provider[]) {
  const url = parseAddress(text.trim());
  if (!url) return undefined;
  for (const provider of providers) {
    if (!provider.origins.includes(url.origin)) continue;
    const match = provider.path.exec(url.pathname);
    if (!match) continue;
    const src = new URL(provider.address(match.slice(1)));
    for (const [key, form] of Object.entries(provider.parameters)) {
      const value = url.searchParams.get(key);
      if (value !== null && form.test(value)) src.searchParams.set(key, value);
    }
    for (const [key, value] of Object.entries(provider.always ?? {})) {
      src.searchParams.set(key, value);
    }
    // Encoding can make a URL much longer, and the result must match again.
    if (src.href.length > LONGEST.address) return undefined;
    const play = new URL(src);
    for (const [key, value] of Object.entries(provider.play ?? {}))
      play.searchParams.set(key, value);
    return {
      provider: provider.name,
      /** URL for the iframe of the page. */
      src: src.href,
      /** The same URL with the parameters that start the player, for use after a click. */
      play: play.href,
      /** URL of the provider's still, if it can be derived from the video's URL. */
      poster: provider.poster?.(match.slice(1)),
      answers: provider.answers ?? false,
    };
  }
  return undefined;
}

/**
 * The embed of a video: from the URL in its snippet, otherwise from its hosted URL. If neither matches a
 * provider, the page links to the player page, and the host is reported.
 */
export function embedOf(video: VideoMedia, providers: readonly Provider[]) {
  const candidates = [
    video.embedHtml === undefined ? undefined : firstIframeSource(video.embedHtml),
    video.hostedUrl,
  ].filter((text) => text !== undefined);
  for (const candidate of candidates) {
    const embed = matchProvider(candidate, providers);
    if (embed) return { embed };
  }
  const [first] = candidates;
  if (first === undefined) return {};
  return { unmatchedHost: parseAddress(first.trim())?.host.slice(0, 100) ?? '(no address)' };
}
