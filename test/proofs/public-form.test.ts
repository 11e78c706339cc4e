import { hash } from 'node:crypto';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { vehicleMediaRecordSchema } from '../../src/contract/media.ts';
import { recipeBook } from '../../src/images/recipe-book.ts';
import { outputSuffixes } from '../../src/images/recipes.ts';
import { fromPublic, publicVehicleSchema } from '../../src/record/vehicle.ts';
import type { PlanPart } from '../../src/site/plan/planned.ts';
import { planSite, type SitePlanOptions } from '../../src/site/plan/site-plan.ts';
import type { AssetSources } from '../../src/site/views/assets.ts';
import type { PictureFacts } from '../../src/site/views/media-views.ts';
import type { DealerStock } from '../../src/stock/dealer-stock.ts';
import { noFindings, toVehicle, type Vehicle, type VehicleMedia } from '../../src/stock/vehicle.ts';
import { anyText } from '../property/support.ts';
import { CONFIGURED, embedAddress, SAMPLE_ORIGIN } from '../support/embeds.ts';
import { offlineConfig } from '../support/offline-config.ts';
import { stockOf } from '../support/planned-files.ts';
import { shippedAssets } from '../support/theme.ts';

type FullSize = 'link' | 'mirror';

const configFor = (fullSize: FullSize) =>
  offlineConfig({
    service: { baseUrl: SAMPLE_ORIGIN },
    media: { widths: [160, 320], formats: ['webp', 'avif'], fullSize },
    videos: { providers: CONFIGURED.map((one) => ({ ...one, parameters: [...one.parameters] })) },
  });

let assets: AssetSources;
beforeAll(async () => {
  assets = await shippedAssets({ dealers: [], file: 'site.config.ts' });
});

/** Ids of videos. Ids of pictures are smaller. */
const VIDEOS = 1000;

/** Pseudo-random bits derived from a text. */
const bits = (text: string): number => Number.parseInt(hash('sha256', text, 'hex').slice(0, 8), 16);

/**
 * Stored state of an image pipeline: none for some pictures, all outputs of others, and some of the rest.
 * Pictures are identified by id, stills of videos by URL.
 */
function picturesOf(fullSize: FullSize): PictureFacts {
  const book = recipeBook(configFor(fullSize).media);
  const recipes = book.cover;
  const contentOf: PictureFacts['contentOf'] = (key) => {
    const item = key.slice(0, key.indexOf(' '));
    const name = Number(item.split('/')[1]) < VIDEOS ? item : key;
    if (bits(name) % 5 === 0) return undefined;
    const [width, height] = bits(`${name} size`) % 2 ? [1600, 1200] : [300, 500];
    return { hash: hash('sha256', name, 'hex').slice(0, 20), width, height, colour: '336699' };
  };
  const all = [
    ...outputSuffixes({ width: 1600, height: 1200 }, recipes),
    ...outputSuffixes({ width: 300, height: 500 }, recipes),
  ];
  return {
    contentOf,
    suffixesOf: (name) =>
      bits(name) % 3 === 0 ? all.filter((end) => bits(name + end) % 2 === 0) : all,
  };
}

const DEALER = configFor('link').dealers[0] as DealerStock['dealer'];

const madeOf = ({ pages, files }: PlanPart) => ({
  pages: pages.map((page) => ({ ...page, view: page.view() })),
  files: files.map((file) => ({ ...file, content: file.content() })),
});

/** The complete plan of a stock with its files and its report. */
function planned(
  vehicles: readonly Vehicle[],
  fullSize: FullSize,
  options: Pick<SitePlanOptions, 'headOf'> = {},
) {
  const config = configFor(fullSize);
  const plan = planSite({
    config,
    stock: [stockOf(DEALER, vehicles)],
    book: recipeBook(config.media, config.feeds),
    pictures: picturesOf(fullSize),
    assets,
    programKey: 'program',
    templatesKey: 'templates',
    ...options,
  });
  const dealers = [...plan.dealers()];
  const made = {
    dealers: dealers.map((dealer) => ({
      ...madeOf(dealer),
      head: dealer.head,
      vehicles: dealer.vehicles.map(madeOf),
    })),
    siteWide: madeOf(plan.siteWide(dealers.map(({ head }) => head.summary))),
    custom: plan.views().vehicles,
  };
  const shown = dealers.flatMap((dealer) => dealer.shown);
  const [unmatched] = dealers.map((dealer) => dealer.unmatched);
  return {
    made,
    shown,
    unmatched,
    views: dealers.flatMap(({ vehicles }) => vehicles.flatMap(({ view }) => view?.() ?? [])),
  };
}

const address = fc.oneof(fc.webUrl({ withQueryParameters: true }), embedAddress);
const snippet = fc
  .tuple(anyText, address)
  .map(([before, src]) => `${before}<iframe width="9" src="${src}"></iframe>`);
const optional = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined });
const label = anyText;
const items = fc.array(
  fc.oneof(
    fc.record({
      id: fc.integer({ min: 1, max: 60 }),
      type: fc.constant('Image'),
      label,
      mediaUrl: fc.webUrl({ withQueryParameters: true }),
    }),
    fc.record({
      id: fc.integer({ min: VIDEOS, max: VIDEOS + 60 }),
      type: fc.constant('Video'),
      label,
      mediaUrl: fc.webUrl(),
      hostedVideoUrl: optional(address),
      hostedVideoEmbedHtml: optional(fc.oneof(snippet, anyText)),
      hostedVideoWatchUrl: optional(fc.webUrl()),
    }),
  ),
  { maxLength: 6 },
);
const stock = fc
  .uniqueArray(
    fc.record({
      vrm: fc.oneof(fc.stringMatching(/^[A-Z]{2}\d{2}[A-Z]{3}$/), anyText),
      dateUpdated: fc.constantFrom('2026-03-01T00:00:00Z', '2026-03-02T09:30:00Z'),
      mediaList: items,
    }),
    { maxLength: 3, selector: ({ vrm }) => vrm },
  )
  .map((records) =>
    records.map((record) =>
      toVehicle(vehicleMediaRecordSchema.parse(record), DEALER.id, noFindings()),
    ),
  );

/** A plan with all its files takes 5 ms. Other rules of this folder take microseconds. */
const PLANS = { numRuns: 150 } as const;

describe.each(['link', 'mirror'] as const)('pages with full sizes by %s', (fullSize) => {
  it('are rendered only from the public form of vehicles', () => {
    const seen = { embeds: 0, linked: 0, posters: 0, pictures: 0, withAddress: 0, partial: 0 };
    fc.assert(
      fc.property(stock, (live) => {
        const answered = planned(live, fullSize);
        const text = JSON.stringify(answered.shown);
        const read = publicVehicleSchema.array().parse(JSON.parse(text));
        expect(JSON.stringify(read)).toBe(text);
        const vehicles = read.map((one) => fromPublic(one, DEALER.id));
        const remembered = planned(vehicles, fullSize);
        expect(remembered.made).toEqual(answered.made);
        expect(JSON.stringify(remembered.shown)).toBe(text);

        for (const { media } of answered.views) {
          for (const item of media) {
            if (item.kind === 'video') {
              if (item.embed) seen.embeds++;
              else seen.linked++;
              if (item.poster) seen.posters++;
              continue;
            }
            seen.pictures++;
            if (/^https?:/.test(item.full)) seen.withAddress++;
            if (item.sources.length < 2) seen.partial++;
          }
        }
      }),
      PLANS,
    );
    expect(Object.values(seen)).not.toContain(0);
    if (fullSize === 'link') expect(seen.withAddress).toBe(seen.pictures);
    else expect(seen.withAddress).toBeLessThan(seen.pictures);
  });

  it('are the same if an earlier build prepared the dealer with other data', () => {
    const [former] = planned([], fullSize).made.dealers;
    const seen = { pictures: 0, videos: 0, shares: 0, empty: 0 };
    fc.assert(
      fc.property(stock, (live) => {
        const { made, views } = planned(live, fullSize);
        const headOf = () => former?.head;
        expect(planned(live, fullSize, { headOf }).made).toEqual(made);
        for (const { pictures, videos, share } of views) {
          seen.pictures += pictures.length;
          seen.videos += videos.filter(({ poster }) => poster).length;
          if (share) seen.shares++;
          if (pictures.length === 0) seen.empty++;
        }
      }),
      PLANS,
    );
    expect(Object.values(seen)).not.toContain(0);
  });

  it('show every URL of the public form and no other URL of the response', () => {
    fc.assert(
      fc.property(stock, (live) => {
        const { shown, views } = planned(live, fullSize);
        const pictures = views.flatMap(({ pictures }) => pictures.map(({ full }) => full));
        const frames = views.flatMap(({ videos }) =>
          videos.flatMap(({ embed }) => embed?.src ?? []),
        );
        const media = shown.flatMap((one) => one.media);
        const addresses = media.flatMap((one) => (one.kind === 'image' ? (one.url ?? []) : []));
        const hosted = media.flatMap((one) => (one.kind === 'video' ? (one.hostedUrl ?? []) : []));
        const links = pictures.filter((full) => /^https?:/.test(full));
        if (fullSize === 'mirror') expect(addresses.sort()).toEqual(links.sort());
        // A link is known even if its picture could not be downloaded.
        else expect(addresses).toEqual(expect.arrayContaining(links));
        expect(hosted.sort()).toEqual(frames.sort());
      }),
      PLANS,
    );
  });

  it('are the same, with the same keys, for any other data about a video', () => {
    let unmatched = 0;
    fc.assert(
      fc.property(stock, (live) => {
        const before = planned(live, fullSize);
        const framed = new Map<VehicleMedia, string>();
        const byVrm = new Map(before.views.map((view) => [view.vrm, view]));
        for (const { vrm, media } of live) {
          const videos = byVrm.get(vrm)?.videos ?? [];
          media
            .filter(({ kind }) => kind === 'video')
            .forEach((one, index) => {
              const src = videos[index]?.embed?.src;
              if (src !== undefined) framed.set(one, src);
            });
        }
        const otherwise = live.map((vehicle) => ({
          ...vehicle,
          media: vehicle.media.map((one): VehicleMedia => {
            if (one.kind === 'image') return one;
            const src = framed.get(one)?.replaceAll('&', '&amp;');
            return {
              ...one,
              hostedUrl: 'https://nobody.example/another',
              embedHtml: src === undefined ? '' : `<p><iframe height="1" src="${src}">`,
            };
          }),
        }));
        const after = planned(otherwise, fullSize);
        expect(after.made).toEqual(before.made);
        const linked = live.flatMap(({ media }) => media).filter(({ kind }) => kind === 'video');
        const hosts = linked.length - framed.size;
        expect([...(after.unmatched ?? [])]).toEqual(hosts > 0 ? [['nobody.example', hosts]] : []);
        unmatched += hosts;
      }),
      PLANS,
    );
    expect(unmatched).toBeGreaterThan(5);
  });
});
