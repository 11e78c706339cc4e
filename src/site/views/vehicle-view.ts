import { enquirySources } from '../../config/opened-sources.ts';
import { vehicleSlug } from '../../stock/address.ts';
import type { Vehicle } from '../../stock/vehicle.ts';
import type { VehicleFacts } from '../../stock/vehicle-facts.ts';
import { contactsOf, quickContacts } from './contacts.ts';
import { type DealerContext, FRAMED, UNLISTED } from './context.ts';
import { enquiryOf, enquirySettingOf } from './enquiry.ts';
import type { PictureView, VideoView } from './gallery-types.ts';
import { galleryOf } from './gallery-view.ts';
import { vehicleJsonLd } from './json-ld.ts';
import { makePath } from './makes.ts';
import { sheetOf } from './sheet.ts';
import { embedAt, pageAt } from './site-url.ts';
import { type CardFile, cardFile } from './social-card.ts';
import { factRows, factsOf, type ShownFacts, vehicleTexts } from './vehicle-texts.ts';
import type { EmbedView, PageView, SimilarView, VehicleView } from './view.ts';

const fullNameOf = ({ name, plate }: { name: string; plate: string }): string =>
  name === plate || plate === '' ? name : `${name}, ${plate}`;

/** Fields that vehicles in stock and withdrawn ones share. */
function common(vrm: string, facts: ShownFacts, context: DealerContext) {
  const { dealer, link, place, texts, frame } = context;
  const { words, fill } = texts;
  const slug = vehicleSlug(vrm);
  const written = vehicleTexts(vrm, facts, context);
  const fullName = fullNameOf(written);
  return {
    ...frame,
    ...pageAt(place, `/${dealer.slug}/${slug}/`),
    dealer: link,
    slug,
    vrm,
    ...written,
    fullName,
    title: `${fullName} – ${dealer.name}`,
    contactLabel: fill(words.contact, { dealer: dealer.name }),
    backText: fill(words.backToDealer, { dealer: dealer.name }),
  };
}

/** The card of a vehicle in stock, for shared links. */
export function vehicleCard(vehicle: Vehicle, context: DealerContext): CardFile {
  const { assets, dealer, views } = context;
  const { vrm, slug } = vehicle;
  const written = vehicleTexts(vrm, factsOf(vrm, context), context);
  const card = {
    ...{ title: written.name, detail: written.price, seller: dealer.name },
    ...{ picture: views.cardPicture(vehicle), colour: dealer.colour, logo: assets.logo(dealer) },
    alt: fullNameOf(written),
  };
  return cardFile(`/${dealer.slug}/${slug}/card`, card, context);
}

const inStock = (vehicle: Vehicle, context: DealerContext) => ({
  ...common(vehicle.vrm, factsOf(vehicle.vrm, context), context),
  share: vehicleCard(vehicle, context).share as PageView['share'],
});

/** Fields that lists need as well. */
function described(
  vehicle: Vehicle,
  { fullName, price, share }: ReturnType<typeof inStock>,
  { pictures, videos }: Record<'pictures' | 'videos', { length: number }>,
  { dealer, texts }: DealerContext,
) {
  const { words, fill, count } = texts;
  const picturesText = pictures.length > 0 ? count(words.pictures, pictures.length) : '';
  const videosText = videos.length > 0 ? count(words.videos, videos.length) : '';
  const media =
    picturesText && videosText
      ? fill(words.and, { a: picturesText, b: videosText })
      : picturesText || videosText || words.noMedia;
  return {
    description: fill(words.vehicleDescription, {
      vehicle: price ? `${fullName}, ${price}` : fullName,
      dealer: dealer.name,
      media,
    }),
    share,
    updated: {
      iso: vehicle.dateUpdated,
      text: fill(words.updated, { date: texts.date(vehicle.dateUpdated) }),
    },
    picturesText,
    videosText,
  };
}

/** What lists, feeds and sitemaps need of a vehicle, made in a fifth of the time of its view. */
export type ListedVehicle = Omit<ReturnType<typeof listedVehicle>, 'updated'> &
  Pick<VehicleView, 'updated'>;

export function listedVehicle(vehicle: Vehicle, context: DealerContext) {
  const shared = inStock(vehicle, context);
  const media = context.views.listed(vehicle, shared.fullName);
  return { ...shared, ...described(vehicle, shared, media, context), ...media };
}

/** What a vehicle's page needs besides the vehicle. */
export interface VehiclePlace {
  similar: readonly Vehicle[];
  previous: Vehicle | undefined;
  next: Vehicle | undefined;
  /** Last part of the address of its make's page at the dealer. Undefined where that has none. */
  makePage: string | undefined;
}

/** A vehicle beside another. */
function similarView(vehicle: Vehicle, context: DealerContext): SimilarView {
  const { vrm, slug } = vehicle;
  const written = vehicleTexts(vrm, factsOf(vrm, context), context);
  return {
    ...written,
    url: `${context.link.url}${slug}/`,
    cover: context.views.cover(vehicle),
  };
}

function neighbourOf({ vrm, slug }: Vehicle, context: DealerContext) {
  const { name } = vehicleTexts(vrm, factsOf(vrm, context), context);
  return { url: `${context.link.url}${slug}/`, text: name };
}

/**
 * All that the views of other vehicles show of this one, as plain data: as a similar one, and as the
 * previous or the next in the list.
 */
export function shownElsewhere({ vrm }: Vehicle, context: DealerContext) {
  const facts = factsOf(vrm, context);
  const { make, model, variant, title, year, price, mileage, fuel, transmission, status } = facts;
  const name = [vrm, make, model, variant, year, title];
  return { name, similar: [...name, price, mileage, fuel, transmission, status] };
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

/** How many items of equipment are shown at first. A list of at most `whole` items is shown whole. */
const EQUIPMENT = { shown: 12, whole: 14 };

function equipmentOf({ equipment = [] }: VehicleFacts, { texts }: DealerContext) {
  const shown = equipment.length > EQUIPMENT.whole ? EQUIPMENT.shown : equipment.length;
  const more = equipment.slice(shown);
  const moreText = texts.fill(texts.words.moreEquipment, { n: texts.number(more.length) });
  return { first: equipment.slice(0, shown), more, moreText };
}

export function publicFacts({ vin: _, ...facts }: VehicleFacts, context: DealerContext) {
  const mileageUnit = context.facts?.mileageUnit;
  return { ...facts, ...(facts.mileage !== undefined && mileageUnit && { mileageUnit }) };
}

/** A vehicle's page. */
export function vehicleView(
  vehicle: Vehicle,
  context: DealerContext,
  { similar, previous, next, makePage }: VehiclePlace,
): VehicleView {
  const { dealer, texts, views, assets } = context;
  const facts = factsOf(vehicle.vrm, context);
  const shared = inStock(vehicle, context);
  const { canonical, fullName } = shared;
  const media = views.of(vehicle, fullName);
  const gallery = galleryOf(media, fullName, texts);
  const pictures = media.filter((view): view is PictureView => view.kind === 'picture');
  const videos = media.filter((view): view is VideoView => view.kind === 'video');
  const { contact, website } = dealer;
  // The website is in the footer, and here where there is no other way to reach the dealer.
  const ways = Object.values(contact ?? {}).some(Boolean) ? { contact } : { website };
  const make = makeOf(facts, makePage, context);
  const enquiry = enquiryOf(shared, context);
  const contacts = contactsOf(ways, texts, { fullName, canonical });
  if (enquiry) {
    contacts.unshift({ kind: 'form', text: texts.words.enquiryHeading, href: '#enquiry' });
  }
  return {
    ...shared,
    ...described(vehicle, shared, { pictures, videos }, context),
    policy: context.policy(views.originsOf(vehicle), enquirySources(enquirySettingOf(context))),
    scripts: [
      ...['gallery.js', 'share.js', ...(enquiry ? ['enquiry.js'] : [])].map((name) =>
        assets.script(name),
      ),
      ...context.frame.scripts,
    ],
    alternates: [
      {
        type: 'application/json+oembed',
        href: `${canonical}oembed.json`,
        title: fullName,
      },
    ],
    jsonLd: vehicleJsonLd({ ...shared, pictures, make }, facts, context),
    facts: factRows(facts, shared, context),
    values: publicFacts(facts, context),
    paragraphs: facts.description?.split('\n') ?? [],
    equipment: equipmentOf(facts, context),
    make,
    link: facts.link,
    gallery,
    media,
    pictures,
    videos,
    contacts,
    quickContacts: quickContacts(contacts),
    enquiry,
    similar: similar.map((other) => similarView(other, context)),
    previous: previous && neighbourOf(previous, context),
    next: next && neighbourOf(next, context),
    sheet: sheetOf(canonical, gallery, dealer),
    cover: undefined,
    withdrawn: false,
  };
}

/** The page of a withdrawn vehicle: its name and its picture, and others that are like it. */
export function withdrawnView(
  vehicle: Vehicle,
  facts: ShownFacts,
  similar: readonly Vehicle[],
  context: DealerContext,
): VehicleView {
  const { texts, dealer, views } = context;
  const { words } = texts;
  return {
    ...common(vehicle.vrm, facts, context),
    statusText: facts.status === 'sold' ? words.sold : words.unavailable,
    description: words.withdrawn,
    noindex: true,
    keyFacts: '',
    price: '',
    priceText: '',
    cover: views.cover(vehicle),
    facts: [],
    values: {},
    paragraphs: [],
    equipment: equipmentOf({}, context),
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
    quickContacts: [],
    enquiry: undefined,
    similar: similar.map((other) => similarView(other, context)),
    previous: undefined,
    next: undefined,
    sheet: undefined,
    withdrawn: true,
  };
}

/** The sheet of a vehicle alone, to be printed for its window. */
export function stickerView(vehicle: VehicleView, context: DealerContext): EmbedView {
  const { place, dealer, policy } = context;
  return {
    ...vehicle,
    ...pageAt(place, `/${dealer.slug}/${vehicle.slug}/sticker/`),
    canonical: vehicle.canonical,
    ...UNLISTED,
    policy: policy([]),
    scripts: [],
    vehicle,
  };
}

/** The gallery of a vehicle alone, for frames. For a withdrawn vehicle, a short notice. */
export function embedView(vehicle: VehicleView, context: DealerContext): EmbedView {
  const { place, dealer, assets } = context;
  const origins = vehicle.videos.flatMap(({ embed }) => (embed ? new URL(embed.src).origin : []));
  return {
    ...vehicle,
    policy: context.policy([...new Set(origins)].sort()),
    ...embedAt(place, `/${dealer.slug}/${vehicle.slug}/`),
    ...FRAMED,
    canonical: vehicle.canonical,
    scripts: vehicle.withdrawn
      ? [assets.script('frame.js')]
      : [assets.script('gallery.js'), assets.script('frame.js')],
    vehicle,
  };
}
