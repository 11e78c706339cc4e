/**
 * The view models: all data that templates use. Templates only print it. The template engine escapes texts. URLs
 * (`url`, `href`, `src`) begin with the site's base path unless described as absolute.
 */

import type { VehicleFacts, VehicleStatus } from '../../stock/vehicle-facts.ts';
import type { Words } from '../i18n/index.ts';
import type {
  CoverView,
  GalleryView,
  MediaView,
  PictureView,
  SheetView,
  VideoView,
} from './gallery-types.ts';

export interface SiteView {
  title: string;
  /** Language tag of the texts, for `<html lang>`. */
  lang: string;
  /** For `og:locale`, such as `en_GB`. */
  ogLocale: string;
  /** URL of the front page: `/`, or the path of `site.url` with a slash at the end. */
  home: string;
  /** URL of the thumbnail folder, with a slash at the end. */
  media: string;
  words: Words;
  /** URLs of the additional scripts, fonts and pictures of the theme, by file name. */
  assets: Record<string, string>;
  /** URL of the page of saved vehicles. Empty without `site.favourites`. */
  saved: string;
  /** The attribute `allow` of iframes with a player. */
  playerAllow: string;
}

/** A page in one language of the site. */
export interface PageLanguage {
  /** Language tag. */
  lang: string;
  /** Name of the language, in that language. */
  name: string;
  /** URL of the page in this language. `href` is absolute. */
  url: string;
  href: string;
  /** Whether this is the current page. */
  current: boolean;
}

/** The data of `layouts/base.njk`. */
export interface PageView {
  /** Language tag of the texts, the same as `site.lang`. */
  lang: string;
  /** This page in every language of the site, the first language first. Empty if the site has one language. */
  languages: PageLanguage[];
  /** URL of the page. */
  url: string;
  /** File below the output folder, beginning with a slash. */
  file: string;
  /** Absolute URL. */
  canonical: string;
  title: string;
  description: string;
  /** Whether search engines should not list the page. */
  noindex: boolean;
  /** Content-Security-Policy for `<meta>`. It allows only the sources of this page. */
  policy: string;
  /** URL of the style sheet, which contains the dealer's colour. */
  css: string;
  /** URLs of the site's font for the language, for preloading. Empty with the system font. */
  fonts: string[];
  /** URLs of the icon for tabs and home screens, and of the web manifest. Undefined in frames. */
  icon: string | undefined;
  manifest: string | undefined;
  /** URLs of classic scripts, for `<script defer>`. */
  scripts: string[];
  /** Name, logo and link at the top. Undefined if the heading of the page contains the same. */
  masthead: Masthead | undefined;
  /** Name, address and opening hours, on a dealer's pages. */
  footer: FooterView | undefined;
  /** `<link rel="alternate">`: feeds, oEmbed. */
  alternates: { type: string; href: string; title: string }[];
  /** Picture for shared links, absolute. */
  share: { image: string; width: number; height: number; alt: string } | undefined;
  /** JSON-LD, safe to print unescaped into a script element. Empty if there is none. */
  jsonLd: string;
}

/** The footer of a page. */
export interface FooterView {
  name: string;
  /** Name of the company, if it differs from `name`. */
  legalName: string;
  /** Lines of the address. Empty if it is unknown. */
  address: string[];
  /** Absolute URL of a map. Empty if address and coordinates are unknown. */
  map: string;
  /** Opening hours: days of the week, then exceptions with their dates. */
  hours: { days: string; times: string; date: string }[];
  /** Opening hours as JSON, for the script that shows whether the dealer is open now. Empty if they are unknown. */
  now: string;
  contacts: ContactView[];
  contactLabel: string;
  /** The front page, if the site has several dealers. */
  home: { url: string; text: string } | undefined;
  /** Custom pages with `eleventyNavigation`. */
  pages: { url: string; text: string }[];
  /** Pages that the law requires. */
  legal: { url: string; text: string }[];
}

/** The header of every page. */
export interface Masthead {
  name: string;
  url: string;
  logo: LogoView | undefined;
  /** Whether the name is shown as text. If so, headings do not repeat it. */
  showsName: boolean;
  /** The list of vehicles. Undefined on that list, and if there are several lists. */
  vehicles: { url: string; text: string } | undefined;
  phone: ContactView | undefined;
}

export interface LogoView {
  src: string;
  /** Size in the header, with the aspect ratio of the file: at most 288 × 36 pixels. */
  width: number;
  height: number;
  /** Whether it is more than twice as wide as high. If so, it replaces the name. */
  wide: boolean;
  /** Plate behind a logo that is hard to see on pages of the other colour scheme. Empty if it needs none. */
  ground: 'light' | 'dark' | '';
}

/** The texts of a vehicle on every page that shows it. */
export interface VehicleTexts {
  /** Number plate as people write it. Empty with `site.plates: 'hide'`. */
  plate: string;
  /** Whether there is a plate. Otherwise `plate` is the text `noPlate`. */
  hasPlate: boolean;
  /** Such as `2021 Ford Puma`, from the stock list. Without it, the plate. */
  name: string;
  /** The name without the year. No line ends after the hyphen of a short word, as in `C-Class`. */
  heading: string;
  /** Whether there is a name other than the plate, so that both are shown. */
  named: boolean;
  status: VehicleStatus;
  /** The status for visitors. Empty while the vehicle is available. */
  statusText: string;
  /** Such as `2017 · 64,956 miles · Hybrid · Automatic`. Empty if nothing is known. */
  keyFacts: string;
  price: string;
  /** The price, or `priceOnRequest` if other vehicles of the dealer have a price and this one is not sold. Otherwise empty. */
  priceText: string;
  /** The price as a number, for sorting. 0 if it is unknown. */
  priceValue: number;
  /** Its currency, such as `GBP`. Empty if the price is unknown. */
  priceCurrency: string;
}

/** A similar vehicle of the dealer. */
export interface SimilarView extends VehicleTexts {
  url: string;
  cover: CoverView | undefined;
}

export interface DealerLink {
  id: number;
  slug: string;
  name: string;
  url: string;
}

export interface ContactView {
  kind: 'form' | 'phone' | 'whatsapp' | 'email' | 'website';
  text: string;
  href: string;
}

/** A form that a provider sends to the dealer. */
export interface EnquiryView {
  /** URL to which the form is posted: absolute, or the URL of the page. */
  action: string;
  /** Hidden fields: the vehicle, and the fields that the provider needs. */
  hidden: { name: string; value: string }[];
  /** A hidden field with the URL to which the provider returns. Scripts omit it, because they stay on the page. */
  back: { name: string; value: string } | undefined;
  /** The spam field: visitors do not see it, robots fill it in. */
  trap: { name: string; type: 'text' | 'checkbox' };
  /** The prepared message. */
  message: string;
  /** URL of the privacy notice. Empty if there is none. */
  privacy: string;
}

export interface VehicleView extends PageView, VehicleTexts {
  dealer: DealerLink;
  /** Last part of the page's URL. */
  slug: string;
  vrm: string;
  /** `name` and plate, or only the plate, for titles and texts. */
  fullName: string;
  /** Facts of the stock list, and the plate. */
  facts: { label: string; text: string }[];
  /** Facts of the stock list, as numbers and texts. */
  values: Omit<VehicleFacts, 'vin'> & { mileageUnit?: 'mi' | 'km' };
  /** Language of description and equipment. */
  listLang: string | undefined;
  /** Paragraphs of the description in the stock list, as plain text. */
  paragraphs: string[];
  /** The first equipment items, and the others, which the page shows on request. */
  equipment: { first: string[]; more: string[]; moreText: string };
  /** The dealer's page of this make. Undefined if there is none. */
  make: { name: string; url: string; text: string } | undefined;
  /** URL of the vehicle on the dealer's website. */
  link: string | undefined;
  updated: { iso: string; text: string };
  gallery: GalleryView;
  media: MediaView[];
  pictures: PictureView[];
  videos: VideoView[];
  /** Number of pictures, and of videos, as a text. Empty if there are none. */
  picturesText: string;
  videosText: string;
  contacts: ContactView[];
  contactLabel: string;
  /** Phone and WhatsApp, otherwise the form. They stay on the screen of a phone. */
  quickContacts: ContactView[];
  enquiry: EnquiryView | undefined;
  /** At most four similar vehicles of the dealer, the most similar first. */
  similar: SimilarView[];
  /** The neighbours in the dealer's list. */
  previous: { url: string; text: string } | undefined;
  next: { url: string; text: string } | undefined;
  backText: string;
  /** The page for paper. */
  sheet: SheetView;
  /** The picture of a card. */
  cover: CoverView | undefined;
  /** The dealer and its town, for a card. Empty if the site has one dealer. */
  seller: string;
}

/** The page of a vehicle that is no longer available: its name, its picture and similar vehicles. */
export interface WithdrawnView extends PageView, VehicleTexts {
  dealer: DealerLink;
  slug: string;
  cover: CoverView | undefined;
  contacts: ContactView[];
  contactLabel: string;
  similar: SimilarView[];
  backText: string;
  /** URL of the file with the vehicles that another dealer lists now. Empty if the site has none. */
  moved: string;
}

/** Only the gallery, for frames. */
export interface EmbedView extends PageView {
  vehicle: VehicleView | WithdrawnView;
}

/** Sheets for paper: of one vehicle, or of the vehicles of a dealer. */
export interface StickerView extends PageView {
  heading: string;
  vehicles: VehicleView[];
}

/** The page in a frame that finds the vehicle's embed page by plate. */
export interface FinderView extends PageView {
  dealer: DealerLink;
  /** URL of the dealer's `plates.json`. */
  plates: string;
  /** URL of the dealer's embed pages, with a slash at the end. */
  embeds: string;
}

/** The page that generates the lines for other websites. */
export interface SnippetsView extends PageView {
  dealer: DealerLink;
  /** The plate in the lines until the user types another one. */
  plate: string;
  /** URL of the dealer's `plates.json`. */
  plates: string;
  /** Absolute URL of the dealer's embed pages, with a slash at the end. */
  embeds: string;
  /** The element, a frame without scripts, and the data of all vehicles. */
  snippets: { label: string; lines: string }[];
}

/** `page_` of a custom page. */
export interface CustomPageView extends PageView {
  /** The title of the page, without the name of the site. */
  heading: string;
}

/** A file that is not rendered from a template. */
export interface GeneratedFile {
  /** Path below the output folder, beginning with a slash. */
  file: string;
  content: string | Uint8Array;
}
