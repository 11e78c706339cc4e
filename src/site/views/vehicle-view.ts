import { vehicleSlug } from '../../stock/address.ts';
import type { VehicleFacts } from '../../stock/facts.ts';
import { comparablePlate } from '../../stock/plate.ts';
import type { Vehicle } from '../../stock/vehicle.ts';
import { plateText, type Texts } from '../i18n/text.ts';
import { contactsOf } from './contacts.ts';
import type { DealerContext } from './context.ts';
import { vehicleJsonLd } from './json-ld.ts';
import { makePath } from './make-views.ts';
import type { ListedMedia } from './media-views.ts';
import { pageAt } from './site-url.ts';
import { embedSnippet } from './snippet.ts';
import type {
  EmbedView,
  GalleryView,
  MediaView,
  PictureView,
  VehicleView,
  VideoView,
} from './view.ts';

const NO_FACTS: VehicleFacts = {};

/** Aspect ratios of the stage, by class of the style sheet. */
const SHAPES = [
  { name: 'r-4x3', ratio: 4 / 3 },
  { name: 'r-3x2', ratio: 3 / 2 },
  { name: 'r-16x9', ratio: 16 / 9 },
] as const;

function shapeOf(media: readonly MediaView[]): string {
  const [first] = media.filter(({ kind }) => kind === 'picture') as PictureView[];
  if (!first) return 'r-16x9';
  const ratio = first.width / first.height;
  const distance = (shape: (typeof SHAPES)[number]) => Math.abs(Math.log(shape.ratio / ratio));
  return [...SHAPES].sort((a, b) => distance(a) - distance(b))[0]?.name ?? 'r-4x3';
}

function galleryOf(media: MediaView[], fullName: string, { words, fill }: Texts): GalleryView {
  return {
    label: fill(words.gallery, { vehicle: fullName }),
    shape: shapeOf(media),
    items: media,
    position: fill(words.position, { n: 1, total: media.length }),
    several: media.length > 1,
  };
}

/** Name such as `2021 Ford Puma`, from the facts of the dealer's list. */
function nameOf({ year, make, model, variant }: VehicleFacts, plate: string): string {
  if (!make && !model) return plate;
  return [year, make, model, variant].filter(Boolean).join(' ');
}

function factRows(
  facts: VehicleFacts,
  plate: string,
  context: DealerContext,
): VehicleView['facts'] {
  const { words, distance } = context.texts;
  const { year, mileage, fuel, transmission, colour, body } = facts;
  const unit = context.facts?.mileageUnit ?? 'mi';
  return [
    { label: words.plate, text: plate },
    { label: words.year, text: year === undefined ? '' : String(year) },
    { label: words.mileage, text: mileage === undefined ? '' : distance(mileage, unit) },
    { label: words.fuel, text: fuel ?? '' },
    { label: words.transmission, text: transmission ?? '' },
    { label: words.colour, text: colour ?? '' },
    { label: words.body, text: body ?? '' },
  ].filter(({ text }) => text !== '');
}

/** Fields that vehicles in stock and withdrawn ones share. */
function common(vrm: string, facts: VehicleFacts, context: DealerContext) {
  const { dealer, link, place, texts, frame } = context;
  const { words, fill } = texts;
  const slug = vehicleSlug(vrm);
  const plate = plateText(vrm, words.noPlate);
  const name = nameOf(facts, plate);
  const fullName = name === plate ? plate : `${name}, ${plate}`;
  return {
    ...frame,
    ...pageAt(place, `/${dealer.slug}/${slug}/`),
    dealer: link,
    slug,
    plate,
    vrm,
    name,
    fullName,
    title: `${fullName} – ${dealer.name}`,
    contactLabel: fill(words.contact, { dealer: dealer.name }),
    backText: fill(words.backToDealer, { dealer: dealer.name }),
  };
}

/** Fields that lists need as well. */
function described(
  vehicle: Vehicle,
  {
    shared,
    facts,
    media,
  }: { shared: ReturnType<typeof common>; facts: VehicleFacts; media: MediaCount },
  { dealer, texts, views, facts: list }: DealerContext,
) {
  const { words, fill, count } = texts;
  const { fullName } = shared;
  const picturesText = count(words.pictures, media.pictures.length);
  const videosText = count(words.videos, media.videos.length);
  const mediaText =
    media.videos.length === 0 ? picturesText : fill(words.and, { a: picturesText, b: videosText });
  const priceCurrency = facts.price === undefined ? '' : (list?.currency ?? '');
  const price = facts.price === undefined ? '' : texts.price(facts.price, priceCurrency);
  return {
    description: fill(words.vehicleDescription, {
      vehicle: price ? `${fullName}, ${price}` : fullName,
      dealer: dealer.name,
      media: mediaText,
    }),
    share: views.share(vehicle, fullName),
    price,
    priceValue: facts.price ?? 0,
    priceCurrency,
    updated: {
      iso: vehicle.dateUpdated,
      text: fill(words.updated, { date: texts.date(vehicle.dateUpdated) }),
    },
    picturesText,
    videosText,
  };
}

type MediaCount = Record<'pictures' | 'videos', { length: number }>;

const factsOf = ({ vrm }: Vehicle, { facts }: DealerContext): VehicleFacts =>
  facts?.byPlate.get(comparablePlate(vrm)) ?? NO_FACTS;

/** The fields of a vehicle's view that lists, feeds and sitemaps need, made in a fifth of the time. */
export type ListedVehicle = Pick<
  VehicleView,
  | 'url'
  | 'canonical'
  | 'slug'
  | 'plate'
  | 'vrm'
  | 'name'
  | 'fullName'
  | keyof ReturnType<typeof described>
> &
  ListedMedia;

export function listedVehicle(vehicle: Vehicle, context: DealerContext): ListedVehicle {
  const facts = factsOf(vehicle, context);
  const shared = common(vehicle.vrm, facts, context);
  const media = context.views.listed(vehicle, shared.fullName);
  return { ...shared, ...described(vehicle, { shared, facts, media }, context), ...media };
}

function makeOf(
  { make }: VehicleFacts,
  slug: string | undefined,
  { dealer, place, texts }: DealerContext,
): VehicleView['make'] {
  if (make === undefined || slug === undefined) return undefined;
  const text = texts.fill(texts.words.makeAt, { make, dealer: dealer.name });
  return { name: make, url: `${place.base}${makePath(dealer.slug, slug)}`, text };
}

/**
 * A vehicle's page.
 *
 * @param findable whether the plate, as people type it, leads to this vehicle.
 * @param makePage address of its make's page among the dealer's; undefined where it has none.
 */
export function vehicleView(
  vehicle: Vehicle,
  context: DealerContext,
  { findable, makePage }: { findable: boolean; makePage: string | undefined },
): VehicleView {
  const { dealer, place, texts, views, assets } = context;
  const facts = factsOf(vehicle, context);
  const shared = common(vehicle.vrm, facts, context);
  const { canonical, fullName, plate } = shared;
  const media = views.of(vehicle, fullName);
  const pictures = media.filter((view): view is PictureView => view.kind === 'picture');
  const videos = media.filter((view): view is VideoView => view.kind === 'video');
  const make = makeOf(facts, makePage, context);
  return {
    ...shared,
    ...described(vehicle, { shared, facts, media: { pictures, videos } }, context),
    policy: context.policy(views.originsOf(vehicle)),
    scripts: [assets.script('gallery.js'), assets.script('share.js'), ...context.frame.scripts],
    alternates: [
      {
        type: 'application/json+oembed',
        href: `${canonical}oembed.json`,
        title: fullName,
      },
    ],
    jsonLd: vehicleJsonLd({ ...shared, pictures, make }, facts, context),
    facts: factRows(facts, plate, context),
    make,
    link: facts.link,
    gallery: galleryOf(media, fullName, texts),
    media,
    pictures,
    videos,
    contacts: contactsOf(dealer, texts, { fullName, canonical }),
    snippet: context.embedSnippet ? embedSnippet(shared, findable, place) : '',
    withdrawn: false,
  };
}

/** The page of a withdrawn vehicle. */
export function withdrawnView(vrm: string, context: DealerContext): VehicleView {
  const { texts, dealer } = context;
  return {
    ...common(vrm, NO_FACTS, context),
    description: texts.words.withdrawn,
    noindex: true,
    price: '',
    priceValue: 0,
    priceCurrency: '',
    facts: [],
    make: undefined,
    link: undefined,
    updated: undefined,
    gallery: galleryOf([], '', texts),
    media: [],
    pictures: [],
    videos: [],
    picturesText: '',
    videosText: '',
    contacts: contactsOf(dealer, texts),
    snippet: '',
    withdrawn: true,
  };
}

/** The gallery of a vehicle alone, for frames; for a withdrawn vehicle, a short notice. */
export function embedView(vehicle: VehicleView, context: DealerContext): EmbedView {
  const { place, dealer, assets } = context;
  return {
    ...vehicle,
    ...pageAt(place, `/embed/${dealer.slug}/${vehicle.slug}/`),
    canonical: vehicle.canonical,
    noindex: true,
    scripts: vehicle.withdrawn
      ? [assets.script('frame.js')]
      : [assets.script('gallery.js'), assets.script('frame.js')],
    alternates: [],
    masthead: undefined,
    footer: undefined,
    share: undefined,
    jsonLd: '',
    vehicle,
  };
}
