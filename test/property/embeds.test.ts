import fc from 'fast-check';
import { expect, it } from 'vitest';
import { httpAddress, type VideoMedia } from '../../src/stock/vehicle.ts';
import { embedOf } from '../../src/videos/embed.ts';
import { providersFor } from '../../src/videos/providers.ts';
import { EMBEDS } from '../hostile/corpus/embeds.ts';
import { embedAddress, everyProvider } from '../support/embeds.ts';
import { anyText, RUNS } from './support.ts';

const providers = providersFor([
  { name: 'Ours', host: 'videos.example', path: '/v/[a-z0-9]+|/w/.*', parameters: ['t'], play: {} },
]);

/** All URLs allowed on a page, written by hand: host, path and names of parameters. */
const WRITTEN =
  /^https:\/\/(?:www\.youtube-nocookie\.com\/embed\/[\w-]{11}|player\.vimeo\.com\/video\/\d+|fast\.wistia\.net\/embed\/iframe\/[a-z0-9]+|view\.vzaar\.com\/\d+\/player|iframe\.dacast\.com\/(?:vod|live)\/[\w-]+\/[\w-]+|videos\.example\/[vw]\/[^?#"<>\s]*)(?:\?(?:(?:start|end|rel|cc_load_policy|playsinline|h|dnt|t)=(?:[\w.~-]|%7E)*&?)*)?$/;

const address = fc.oneof(
  embedAddress,
  fc.constantFrom(...EMBEDS.flatMap(({ url }) => url ?? [])),
  fc
    .tuple(
      fc.constantFrom('https://www.youtube.com/embed/', 'https://videos.example/w/'),
      anyText,
      fc.constantFrom('', '?rel=0', '?t="x', '?start=1&end=<', '?t=1#<b>'),
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
