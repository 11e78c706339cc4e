import type { LoadedConfig } from '../config/load.ts';
import type { DealerConfig } from '../config/schema.ts';
import { isLoopback } from '../config/schema.ts';
import { type Provider, providersFor } from '../media/embeds/providers.ts';
import type { RecipeBook } from '../media/recipes.ts';
import { vehicleSlug } from '../stock/address.ts';
import type { DealerStock } from '../stock/load.ts';
import type { Vehicle } from '../stock/vehicle.ts';
import { contactsOf } from './contacts.ts';
import { MediaViews, type PictureFacts } from './media-views.ts';
import { plateText, type Texts, textsFor } from './text.ts';
import type {
  CardView,
  DealerLink,
  DealerView,
  PictureView,
  SiteModel,
  VehicleView,
  VideoView,
} from './view.ts';

/** How many vehicles of each dealer the front page shows. */
const FRONT_CARDS = 6;

interface Place {
  /** Path of `site.url`, without a slash at the end. */
  base: string;
  /** `site.url`, without a slash at the end. */
  origin: string;
}

function pageAt(
  { base, origin }: Place,
  path: string,
): { url: string; file: string; canonical: string } {
  return {
    url: `${base}${path}`,
    file: `${path}index.html`,
    canonical: `${origin}${path}`,
  };
}

function vehicleView(
  vehicle: Vehicle,
  {
    dealer,
    dealerSlug,
    place,
    texts,
    views,
  }: {
    dealer: DealerLink;
    dealerSlug: string;
    place: Place;
    texts: Texts;
    views: MediaViews;
  },
): VehicleView {
  const plate = plateText(vehicle.vrm, texts.words.noPlate);
  const media = views.of(vehicle, plate);
  const pictures = media.filter((view): view is PictureView => view.kind === 'picture');
  const videos = media.filter((view): view is VideoView => view.kind === 'video');
  return {
    ...pageAt(place, `/${dealerSlug}/${vehicle.slug}/`),
    dealer,
    plate,
    vrm: vehicle.vrm,
    title: `${plate} – ${dealer.name}`,
    updated: { iso: vehicle.dateUpdated, text: texts.date(vehicle.dateUpdated) },
    media,
    pictures,
    videos,
    picturesText: texts.count(texts.words.pictures, pictures.length),
    videosText: texts.count(texts.words.videos, videos.length),
    withdrawn: false,
  };
}

function withdrawnView(
  vrm: string,
  {
    dealer,
    dealerSlug,
    place,
    texts,
  }: {
    dealer: DealerLink;
    dealerSlug: string;
    place: Place;
    texts: Texts;
  },
): VehicleView {
  const plate = plateText(vrm, texts.words.noPlate);
  return {
    ...pageAt(place, `/${dealerSlug}/${vehicleSlug(vrm)}/`),
    dealer,
    plate,
    vrm,
    title: `${plate} – ${dealer.name}`,
    updated: undefined,
    media: [],
    pictures: [],
    videos: [],
    picturesText: '',
    videosText: '',
    withdrawn: true,
  };
}

const newestFirst = (a: Vehicle, b: Vehicle): number =>
  a.dateUpdated === b.dateUpdated
    ? a.slug < b.slug
      ? -1
      : 1
    : a.dateUpdated < b.dateUpdated
      ? 1
      : -1;

function cardOf(view: VehicleView, vehicle: Vehicle, views: MediaViews): CardView {
  return {
    url: view.url,
    plate: view.plate,
    updated: view.updated ?? { iso: '', text: '' },
    cover: views.cover(vehicle),
    picturesText: view.picturesText,
    videosText: view.videos.length > 0 ? view.videosText : '',
    hasVideo: view.videos.length > 0,
  };
}

/** The providers of a configuration; the sample service counts only where it is the service. */
export function providersOf(config: LoadedConfig): Provider[] {
  const service = new URL(config.service.baseUrl);
  return providersFor(config.videos.providers, isLoopback(service) ? service.origin : undefined);
}

export interface BuildModelOptions {
  config: LoadedConfig;
  stock: readonly DealerStock[];
  book: RecipeBook;
  /** What the media line knows of pictures. */
  pictures: PictureFacts;
}

/** All view models of a site. Pure: the same input gives the same pages, whatever the clock says. */
export function buildModel({ config, stock, book, pictures }: BuildModelOptions): SiteModel {
  const place: Place = {
    origin: config.site.url,
    base: new URL(config.site.url).pathname.replace(/\/+$/, ''),
  };
  const texts = textsFor(config.site.locale, config.site.timeZone);
  const views = new MediaViews({
    place,
    book,
    pictures,
    texts,
    providers: providersOf(config),
    fullSize: config.media.fullSize,
  });
  const dealers: DealerView[] = [];
  const vehicles: VehicleView[] = [];
  const sitemap: SiteModel['sitemap'] = [];
  for (const { dealer, source, vehicles: listed, withdrawn } of stock) {
    if (source === 'none') continue;
    const page = pageAt(place, `/${dealer.slug}/`);
    const link: DealerLink = { id: dealer.id, name: dealer.name, url: page.url };
    const context = { dealer: link, dealerSlug: dealer.slug, place, texts, views };
    const cards: CardView[] = [];
    let newest: string | undefined;
    const entries: SiteModel['sitemap'] = [];
    for (const vehicle of [...listed].sort(newestFirst)) {
      const view = vehicleView(vehicle, context);
      vehicles.push(view);
      cards.push(cardOf(view, vehicle, views));
      newest ??= vehicle.dateUpdated;
      entries.push({ url: view.canonical, lastmod: vehicle.dateUpdated });
    }
    for (const { vrm } of withdrawn) vehicles.push(withdrawnView(vrm, context));
    dealers.push(dealerView(dealer, { ...page, ...link }, cards, texts));
    sitemap.push({ url: page.canonical, lastmod: newest }, ...entries);
  }
  const front = pageAt(place, '/');
  const newestOfAll = sitemap
    .map(({ lastmod }) => lastmod ?? '')
    .sort()
    .at(-1);
  return {
    site: {
      title: config.site.title,
      lang: texts.lang,
      home: front.url,
      assets: `${place.base}/assets/`,
      words: texts.words,
    },
    front: {
      ...front,
      title: config.site.title,
      dealers: dealers.map(({ name, url, vehiclesText, cards }) => ({
        name,
        url,
        vehiclesText,
        cards: cards.slice(0, FRONT_CARDS),
      })),
    },
    dealers,
    vehicles,
    sitemap: [{ url: front.canonical, lastmod: newestOfAll || undefined }, ...sitemap],
    unmatchedEmbeds: views.unmatchedEmbeds(),
    frameOrigins: views.frameOrigins(),
    usedOutputs: views.usedOutputs,
  };
}

function dealerView(
  dealer: DealerConfig,
  page: DealerLink & { file: string; canonical: string },
  cards: CardView[],
  texts: Texts,
): DealerView {
  return {
    ...page,
    title: dealer.name,
    contacts: contactsOf(dealer, texts),
    vehiclesText: texts.count(texts.words.vehicles, cards.length),
    cards,
  };
}
