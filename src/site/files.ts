import type { Assets } from './assets.ts';
import type { SiteContext } from './context.ts';
import type { ListEntry } from './entry.ts';
import { dealerFeeds } from './feeds.ts';
import { dealerMediaJson, mediaJsonSchemas, vehicleMediaJson } from './media-json.ts';
import { oembedJson } from './oembed.ts';
import type { Place } from './place.ts';
import { headersFile } from './policy.ts';
import { robotsTxt } from './robots.ts';
import { platesIndex, searchIndex } from './search-index.ts';
import { sitemaps } from './sitemap.ts';
import type {
  EmbedView,
  FinderView,
  FrontView,
  ListView,
  OwnPageView,
  SiteFile,
  VehicleView,
} from './view.ts';

/** All views of one dealer. */
export interface DealerBundle {
  lists: ListView[];
  /** Vehicles that are there, newest first. */
  entries: { view: VehicleView; entry: ListEntry; embed: EmbedView }[];
  /** Vehicles that are gone. */
  gone: { view: VehicleView; embed: EmbedView }[];
  finder: FinderView;
}

export interface SiteFilesInput {
  bundles: readonly DealerBundle[];
  front: FrontView;
  own: readonly OwnPageView[];
  assets: Assets;
  place: Place;
  context: SiteContext;
  frameOrigins: readonly string[];
}

const below = (page: { file: string }, name: string): string =>
  page.file.replace(/index\.html$/, name);

function* dealerFiles(bundle: DealerBundle, input: SiteFilesInput): Iterable<SiteFile> {
  const { lists, entries } = bundle;
  const { place, front, context } = input;
  const [list] = lists;
  if (!list) return;
  const site = { title: context.title, url: front.canonical };
  for (const { view, embed } of entries) {
    yield { file: below(view, 'media.json'), content: vehicleMediaJson(view, embed.url, place) };
    yield {
      file: below(view, 'oembed.json'),
      content: oembedJson(view, `${place.origin}${embed.url}`, site),
    };
  }
  const vehicles = entries.map(({ entry }) => entry);
  yield {
    file: below(list, 'media.json'),
    content: dealerMediaJson(list, vehicles, place),
  };
  yield {
    file: below(list, 'index.json'),
    content: searchIndex(
      list.url,
      vehicles.map(({ card }) => card),
    ),
  };
  yield { file: below(list, 'plates.json'), content: platesIndex(vehicles) };
  yield* dealerFeeds(list, vehicles, { place, lang: context.texts.lang });
}

/** Everything of a site that is no page. */
export function* siteFiles(input: SiteFilesInput): Iterable<SiteFile> {
  const { bundles, front, assets, place, frameOrigins } = input;
  yield* assets.files();
  for (const bundle of bundles) yield* dealerFiles(bundle, input);
  yield* sitemaps(
    front,
    input.own,
    bundles.map(({ lists, entries }) => ({ lists, vehicles: entries.map(({ entry }) => entry) })),
    place,
  );
  const schemas = mediaJsonSchemas();
  yield { file: '/schema/vehicle-media.json', content: schemas.vehicle };
  yield { file: '/schema/dealer-media.json', content: schemas.dealer };
  yield { file: '/robots.txt', content: robotsTxt(front.canonical) };
  yield { file: '/_headers', content: headersFile(frameOrigins, { fonts: assets.hasFonts() }) };
}
