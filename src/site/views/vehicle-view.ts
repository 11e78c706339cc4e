import { enquirySources } from '../../config/opened-sources.ts';
import { vehicleSlug } from '../../stock/address.ts';
import type { Vehicle } from '../../stock/vehicle.ts';
import type { VehicleFacts } from '../../stock/vehicle-facts.ts';
import { contactsOf, quickContacts } from './contacts.ts';
import { type DealerContext, FRAMED, UNLISTED } from './context.ts';
import { enquiryOf, enquirySettingOf } from './enquiry.ts';
import { nameWithTown, sellerOf } from './footer.ts';
import { galleryOf, isPicture, isVideo, originsOf } from './gallery-view.ts';
import { vehicleJsonLd } from './json-ld.ts';
import { makePath } from './makes.ts';
import { neighbourOf, type Other, type Surroundings, similarView } from './other-vehicles.ts';
import { sheetOf } from './sheet.ts';
import { embedAt, pageAt } from './site-url.ts';
import { type CardFile, cardFile } from './social-card.ts';
import { factRows, factsOf, factTexts, type ShownFacts, vehicleTexts } from './vehicle-texts.ts';
import type { EmbedView, PageView, StickerView, VehicleView, WithdrawnView } from './view.ts';

const fullNameOf = ({ name, plate }: { name: string; plate: string }): string =>
  name === plate || plate === '' ? name : `${name}, ${plate}`;

/** Fields that vehicles in stock and withdrawn ones share. */
function sharedFields(vrm: string, facts: ShownFacts, context: DealerContext) {
  const { dealer, link, place, texts, frame } = context;
  const { words, fill } = texts;
  const slug = vehicleSlug(vrm);
  const labels = vehicleTexts(vrm, facts, context);
  const fullName = fullNameOf(labels);
  return {
    ...frame,
    ...pageAt(place, `/${dealer.slug}/${slug}/`),
    dealer: link,
    slug,
    vrm,
    ...labels,
    fullName,
    listLang: dealer.stock?.locale,
    title: `${fullName} – ${dealer.name}`,
    contactLabel: fill(words.contact, { dealer: dealer.name }),
    backText: fill(words.backToDealer, { dealer: dealer.name }),
  };
}

/** The card of a vehicle in stock, for shared links. */
export function vehicleCard(
  vehicle: Vehicle,
  context: DealerContext,
  labels = vehicleTexts(vehicle.vrm, factsOf(vehicle.vrm, context), context),
): CardFile {
  const { assets, dealer, views } = context;
  const card = {
    title: labels.name,
    detail: labels.price,
    seller: dealer.name,
    picture: views.cardPicture(vehicle),
    colour: dealer.colour,
    logo: assets.logo(dealer),
    alt: fullNameOf(labels),
  };
  return cardFile(`/${dealer.slug}/${vehicle.slug}/card`, card, context);
}

function inStock(vehicle: Vehicle, context: DealerContext) {
  const shared = sharedFields(vehicle.vrm, factsOf(vehicle.vrm, context), context);
  return { ...shared, share: vehicleCard(vehicle, context, shared).share as PageView['share'] };
}

/** Fields of the view that lists also need. */
function listFields(
  vehicle: Vehicle,
  { fullName, statusText, price, share }: ReturnType<typeof inStock>,
  { pictures, videos }: Record<'pictures' | 'videos', { length: number }>,
  context: DealerContext,
) {
  const { dealer, texts } = context;
  const { words, fill, count, list } = texts;
  const facts = factTexts(factsOf(vehicle.vrm, context), context);
  const { mileage, fuel, transmission, colour } = facts;
  const picturesText = pictures.length > 0 ? count(words.pictures, pictures.length) : '';
  const videosText = videos.length > 0 ? count(words.videos, videos.length) : '';
  const media = list([picturesText, videosText].filter(Boolean)) || words.noMedia;
  return {
    description: fill(words.vehicleDescription, {
      vehicle: [fullName, statusText, price, mileage, fuel, transmission, colour]
        .filter(Boolean)
        .join(', '),
      dealer: nameWithTown(dealer),
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

/** The data of a vehicle for lists, feeds and sitemaps. It takes a fifth of the time of its view. */
export type ListedVehicle = ReturnType<typeof listedVehicle>;

export function listedVehicle(vehicle: Vehicle, context: DealerContext) {
  const shared = inStock(vehicle, context);
  const media = context.views.listedMedia(vehicle, shared.fullName);
  return { ...shared, ...listFields(vehicle, shared, media, context), ...media };
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

/** Items of equipment that are shown at first. A list of at most `full` items is shown completely. */
const EQUIPMENT = { first: 12, full: 14 };

function equipmentOf({ equipment = [] }: VehicleFacts, { texts }: DealerContext) {
  const count = equipment.length > EQUIPMENT.full ? EQUIPMENT.first : equipment.length;
  const more = equipment.slice(count);
  const moreText = texts.fill(texts.words.moreEquipment, { n: texts.number(more.length) });
  return { first: equipment.slice(0, count), more, moreText };
}

export function publicFacts({ vin: _, ...facts }: VehicleFacts, context: DealerContext) {
  const mileageUnit = context.facts?.mileageUnit;
  return { ...facts, ...(facts.mileage !== undefined && mileageUnit && { mileageUnit }) };
}

/** A vehicle's page. */
export function vehicleView(
  vehicle: Vehicle,
  context: DealerContext,
  { similar, previous, next, makePage }: Surroundings,
): VehicleView {
  const { dealer, texts, views, assets } = context;
  const facts = factsOf(vehicle.vrm, context);
  const shared = inStock(vehicle, context);
  const { canonical, fullName } = shared;
  const media = views.of(vehicle, fullName);
  const gallery = galleryOf(media, fullName, texts);
  const pictures = media.filter(isPicture);
  const videos = media.filter(isVideo);
  const { contact, website } = dealer;
  // The website is in the footer. It is here only if there is no other way to reach the dealer.
  const channels = Object.values(contact ?? {}).some(Boolean) ? { contact } : { website };
  const listed = listFields(vehicle, shared, { pictures, videos }, context);
  const make = makeOf(facts, makePage, context);
  const enquiry = facts.status === 'sold' ? undefined : enquiryOf(shared, context);
  const contacts = contactsOf(channels, texts, { fullName, canonical });
  if (enquiry) {
    contacts.unshift({ kind: 'form', text: texts.words.enquiryHeading, href: '#enquiry' });
  }
  return {
    ...shared,
    ...listed,
    policy: context.policy(originsOf(videos), enquirySources(enquirySettingOf(context))),
    scripts: [
      ...['gallery.js', 'share.js', ...(enquiry ? ['enquiry.js'] : [])].map((name) =>
        assets.script(name),
      ),
      ...context.frame.scripts,
    ],
    alternates: [
      { type: 'application/json+oembed', href: `${canonical}oembed.json`, title: fullName },
    ],
    jsonLd: vehicleJsonLd({ ...shared, ...listed, pictures, make }, facts, context),
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
    cover: views.cover(vehicle),
    seller: sellerOf(context),
  };
}

/** Path of the file with moved vehicles, below the URL of the site. */
export const MOVED = '/moved.json';

export function withdrawnView(
  vehicle: Vehicle,
  facts: ShownFacts,
  similar: readonly Other[],
  context: DealerContext,
): WithdrawnView {
  const { texts, dealer, views, place, assets, frame, hasHubs } = context;
  return {
    ...sharedFields(vehicle.vrm, facts, context),
    scripts: [...frame.scripts, ...(hasHubs ? [assets.script('moved.js')] : [])],
    statusText: texts.words[facts.status === 'sold' ? 'sold' : 'unavailable'],
    description: texts.words.withdrawn,
    noindex: true,
    keyFacts: '',
    price: '',
    priceText: '',
    cover: views.cover(vehicle),
    contacts: contactsOf(dealer, texts),
    similar: similar.map((other) => similarView(other, context)),
    moved: hasHubs ? `${place.root}${MOVED}` : '',
  };
}

/** A page with only sheets of vehicles, to print for their windows. @param path of the page that it belongs to. */
export function stickerView(
  path: string,
  heading: string,
  vehicles: VehicleView[],
  { place, policy, frame }: DealerContext,
): StickerView {
  const { canonical } = pageAt(place, path);
  return {
    ...frame,
    ...pageAt(place, `${path}sticker/`),
    canonical,
    title: heading,
    description: heading,
    ...UNLISTED,
    policy: policy([]),
    scripts: [],
    heading,
    vehicles,
  };
}

/** The page with only the gallery of a vehicle, for frames. For a withdrawn vehicle, it has a short notice. */
export function embedView(vehicle: VehicleView | WithdrawnView, context: DealerContext): EmbedView {
  const { place, dealer, assets, policy } = context;
  const isInStock = 'gallery' in vehicle;
  return {
    ...vehicle,
    policy: policy(isInStock ? originsOf(vehicle.videos) : []),
    ...embedAt(place, `/${dealer.slug}/${vehicle.slug}/`),
    ...FRAMED,
    canonical: vehicle.canonical,
    scripts: [...(isInStock ? [assets.script('gallery.js')] : []), assets.script('frame.js')],
    vehicle,
  };
}
