import fc from 'fast-check';
import { expect, it } from 'vitest';
import { httpAddress, type VideoMedia } from '../../src/stock/vehicle.ts';
import { embedOf } from '../../src/videos/embed.ts';
import { BUILT_IN_PROVIDERS, providersFor } from '../../src/videos/providers.ts';
import { embedAddress, everyProvider } from '../support/embeds.ts';
import { anyText, RUNS } from './support.ts';

const providers = providersFor([
  { name: 'Ours', host: 'videos.example', path: '/v/[a-z0-9]+|/w/.*', parameters: ['t'], play: {} },
]);

/** All URLs allowed on a page, written by hand: host, path and names of parameters. */
const WRITTEN =
  /^https:\/\/(?:www\.youtube-nocookie\.com\/embed\/[\w-]{11}|player\.vimeo\.com\/video\/\d+|fast\.wistia\.net\/embed\/iframe\/[a-z0-9]+|view\.vzaar\.com\/\d+\/player|iframe\.dacast\.com\/(?:vod|live)\/[\w-]+\/[\w-]+|videos\.example\/[vw]\/[^?#"<>\s]*)(?:\?(?:(?:start|end|rel|cc_load_policy|playsinline|h|dnt|t)=(?:[\w.~-]|%7E)*&?)*)?$/;

const hosts = BUILT_IN_PROVIDERS.flatMap(({ origins }) =>
  origins.map((origin) => new URL(origin).host),
);
/** Hosts with one of their paths, so that matching URLs are frequent enough. */
const places = [
  ...hosts.map((host) => [host, '/embed/dQw4w9WgXcQ']),
  ['player.vimeo.com', '/video/12345'],
  ['fast.wistia.net', '/embed/iframe/abc123def4'],
  ['view.vzaar.com', '/987/player'],
  ['iframe.dacast.com', '/vod/a/b'],
  ['videos.example', '/v/x'],
  ['videos.example', '/w/"><script>'],
] as [string, string][];
const mostly = (good: fc.Arbitrary<string>, ...bad: fc.Arbitrary<string>[]) =>
  fc.oneof({ weight: 5, arbitrary: good }, ...bad.map((arbitrary) => ({ weight: 1, arbitrary })));
const address = fc.constantFrom(...places).chain(([host, path]) =>
  fc
    .tuple(
      mostly(
        fc.constantFrom('https://', '//'),
        fc.constantFrom('http://', 'https:', 'https:\\\\', 'javascript:', ''),
      ),
      mostly(fc.constant(host), anyText),
      mostly(fc.constantFrom('', ':443'), fc.constantFrom(':80', '@evil.example', '.evil.example')),
      mostly(
        fc.constant(path),
        anyText.map((text) => `/embed/${text}`),
        anyText.map((text) => `/w/${text}`),
        anyText.map((text) => `${path}${text}`),
      ),
      fc.oneof(
        fc.constantFrom('', '?rel=0', '?h=0a1b2c3d', '?t="x', '?start=1&end=<', '?t=1#<b>'),
        anyText.map((text) => `?t=${text}&h=${text}`),
      ),
    )
    .map((all) => all.join('')),
);
const snippet = fc
  .tuple(anyText, fc.constantFrom('"', "'", ''), address, anyText)
  .map(([before, quote, src, after]) => `${before}<iframe src=${quote}${src}${quote}>${after}`);

it('a page only contains URLs that the program composed, for any snippet', () => {
  let embedded = 0;
  fc.assert(
    fc.property(fc.oneof(snippet, anyText), fc.oneof(address, anyText), (html, url) => {
      const video: VideoMedia = {
        kind: 'video',
        id: 1,
        label: '',
        playerUrl: 'https://media.example/',
        embedHtml: html,
        hostedUrl: url,
      };
      const finding = embedOf(video, providers);
      if (!finding.embed) return;
      embedded++;
      const { src } = finding.embed;
      expect(src).toMatch(WRITTEN);
      expect(new URL(src).href).toBe(src);
    }),
    RUNS,
  );
  // A rule that rejects everything would pass the tests above.
  expect(embedded).toBeGreaterThan(500);
});

it('a URL on a page yields itself when embedded again, and pages may link to it', () => {
  const found = new Map<string, number>();
  let altered = 0;
  fc.assert(
    fc.property(fc.oneof(embedAddress, address), (hostedUrl) => {
      const video: VideoMedia = {
        kind: 'video',
        id: 1,
        label: '',
        playerUrl: 'https://m.example/',
      };
      const { embed } = embedOf({ ...video, hostedUrl }, everyProvider);
      if (!embed) return;
      found.set(embed.provider, (found.get(embed.provider) ?? 0) + 1);
      if (embed.src !== hostedUrl) altered++;
      expect(embedOf({ ...video, hostedUrl: embed.src }, everyProvider)).toEqual({ embed });
      expect(httpAddress(embed.src)).toBe(embed.src);
    }),
    RUNS,
  );
  // From every provider, mostly in a spelling that differs from ours.
  expect([...found.keys()].sort()).toEqual(
    [...new Set(everyProvider.map(({ name }) => name))].sort(),
  );
  expect(Math.min(...found.values())).toBeGreaterThan(50);
  expect(altered).toBeGreaterThan(500);
});
