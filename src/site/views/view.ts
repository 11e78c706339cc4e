/**
 * The view models: all data that templates use. Templates only print it. The template engine escapes texts. URLs
 * (`url`, `href`, `src`) begin with the site's base path unless described as absolute.
 */

import type { VehicleStatus } from '../../stock/control.ts';
import type { VehicleFacts } from '../../stock/vehicle-facts.ts';
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
  /** Language tag for `<html lang>` and all texts. */
  lang: string;
  /** For `og:locale`, such as `en_GB`. */
  ogLocale: string;
  /** URL of the front page: `/`, or the path of `site.url` with a final slash. */
  home: string;
  /** Folder of thumbnails, with a final slash. */
  media: string;
  words: Words;
  /** URLs of the theme's additional scripts, fonts and pictures, by file name. */
  assets: Record<string, string>;
  /** URL of the page of saved vehicles, or empty. */
  saved: string;
  /** `allow` of every iframe with a player. */
  playerAllow: string;
}

/** A page in one language of the site. */
export interface PageLanguage {
  /** Language tag. */
  lang: string;
  /** Native name of the language. */
  name: string;
  /** URL in this language. `href` is absolute. */
  url: string;
  href: string;
  /** Whether it is this page. */
  current: boolean;
}

/** Data for the layout of every page. */
export interface PageView {
  /** Language tag of the page, equal to `site.lang`. */
  lang: string;
  /** This page in all languages of the site, main language first. Empty with one language. */
  languages: PageLanguage[];
  /** URL of the page. */
  url: string;
  /** File below the output folder, beginning with a slash. */
  file: string;
  /** Absolute. */
  canonical: string;
  /** Title of the document. */
  title: string;
  description: string;
  /** Not for search engines. */
  noindex: boolean;
  /** Minimal Content-Security-Policy of this page, for `<meta>`. */
  policy: string;
  /** URL of the style sheet, which includes the dealer's colour. */
  css: string;
  /** URL of the site's font, for preloading. Undefined with the system font. */
  font: string | undefined;
  /** URLs of the icon and the web manifest. Undefined in frames. */
  icon: string | undefined;
  manifest: string | undefined;
  /** URLs of classic scripts, to be deferred. */
  scripts: string[];
  /** Name, logo and link at the top. Undefined if the heading repeats them. */
  masthead: Masthead | undefined;
  /** On a dealer's pages: its name, location and hours. */
  footer: FooterView | undefined;
  /** `<link rel="alternate">`: feeds, oEmbed. */
  alternates: { type: string; href: string; title: string }[];
  /** Picture for shared links, absolute. */
  share: { image: string; width: number; height: number; alt: string } | undefined;
  /** JSON-LD, safe to insert into a script element unchanged, or empty. */
  jsonLd: string;
}

/** The footer of every page. */
export interface FooterView {
  name: string;
  /** Name of the company, if different. */
  legalName: string;
  /** Lines of the address. Empty if unknown. */
  address: string[];
  /** Absolute URL of a map. Empty without address and coordinates. */
  map: string;
  /** Opening hours by day of the week, and exceptions by date. */
  hours: { days: string; times: string; date: string }[];
  /** The same as JSON, for the script that shows the current status. Empty without hours. */
  now: string;
  contacts: ContactView[];
  contactLabel: string;
  /** The front page, if there are several dealers. */
  home: { url: string; text: string } | undefined;
  /** Custom pages with `eleventyNavigation`. */
  pages: { url: string; text: string }[];
  /** Legally required pages. */
  legal: { url: string; text: string }[];
}

/** The header of every page. */
export interface Masthead {
  name: string;
  url: string;
  logo: LogoView | undefined;
  /** Whether it shows the name as text, so that headings omit it. */
  showsName: boolean;
  /** The list of vehicles. Undefined on the list, or if there are several. */
  vehicles: { url: string; text: string } | undefined;
  phone: ContactView | undefined;
}

export interface LogoView {
  src: string;
  /** Size in the header, with the aspect ratio of the file: at most 176 by 36 pixels. */
  width: number;
  height: number;
  /** More than twice as wide as high: replaces the name. */
  wide: boolean;
  /** Background of a logo that is invisible in the other colour scheme. Otherwise empty. */
  ground: 'light' | 'dark' | '';
}

/** Texts of a vehicle on all pages. */
export interface VehicleTexts {
  /** Number plate, formatted for reading. Empty if plates are private. */
  plate: string;
  /** Otherwise, `plate` is a placeholder. */
  hasPlate: boolean;
  /** `2021 Ford Puma` from the dealer's list, otherwise the plate. */
  name: string;
  /** The same without the year. */
  heading: string;
  /** Whether these differ from the plate, so that both are shown. */
  named: boolean;
  status: VehicleStatus;
  /** The status for visitors. Empty while the vehicle is available. */
  statusText: string;
  /** Such as `2017 · 64,956 miles · Hybrid · Automatic`. Empty if unknown. */
  keyFacts: string;
  price: string;
  /** The price, or "on request" if other vehicles of the dealer have prices. Otherwise empty. */
  priceText: string;
  /** The price as a number, for sorting. 0 if unknown. */
  priceValue: number;
  /** Its currency, such as `GBP`. Empty if unknown. */
  priceCurrency: string;
}

/** Another vehicle of the dealer. */
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
  /** Target URL: absolute, or the page itself. */
  action: string;
  /** Hidden fields: the vehicle, and data for the provider. */
  hidden: { name: string; value: string }[];
  /** Another hidden field: where the provider redirects. Scripts omit it and stay on the page. */
  back: { name: string; value: string } | undefined;
  /** The hidden field that only bots fill in. */
  trap: { name: string; type: 'text' | 'checkbox' };
  /** Beginning of the message. */
  message: string;
  /** URL of the privacy page, or empty. */
  privacy: string;
}

export interface VehicleView extends PageView, VehicleTexts {
  dealer: DealerLink;
  /** Last part of the page's URL. */
  slug: string;
  vrm: string;
  /** `name` and plate, or only the plate: for titles and texts. */
  fullName: string;
  /** Facts of the dealer's list, and the plate. */
  facts: { label: string; text: string }[];
  /** Facts of the dealer's list, as numbers and texts. */
  values: Omit<VehicleFacts, 'vin'> & { mileageUnit?: 'mi' | 'km' };
  /** Paragraphs of the dealer's description, plain text. */
  paragraphs: string[];
  /** The first equipment items, and the others, which the page shows on request. */
  equipment: { first: string[]; more: string[]; moreText: string };
  /** The dealer's page of its make, if any. */
  make: { name: string; url: string; text: string } | undefined;
  /** The dealer's own page of the vehicle. */
  link: string | undefined;
  updated: { iso: string; text: string } | undefined;
  gallery: GalleryView;
  media: MediaView[];
  pictures: PictureView[];
  videos: VideoView[];
  /** Number of pictures, or empty, like `videosText`. */
  picturesText: string;
  videosText: string;
  contacts: ContactView[];
  contactLabel: string;
  /** The main contacts, always visible on phones: phone and WhatsApp. */
  quickContacts: ContactView[];
  enquiry: EnquiryView | undefined;
  /** At most four similar vehicles of the dealer, most similar first. */
  similar: SimilarView[];
  /** Its neighbours in the dealer's list. */
  previous: { url: string; text: string } | undefined;
  next: { url: string; text: string } | undefined;
  backText: string;
  /** For printing. Undefined if the vehicle is no longer available. */
  sheet: SheetView | undefined;
  /** A withdrawn vehicle: its name, picture and similar vehicles. Not for search engines. */
  withdrawn: boolean;
  /** The picture of a withdrawn vehicle. */
  cover: CoverView | undefined;
}

/** Only the gallery, for frames, or only the sheet, for printing. */
export interface EmbedView extends PageView {
  vehicle: VehicleView;
}

/** The page in a frame that finds a plate's embed page. */
export interface FinderView extends PageView {
  dealer: DealerLink;
  /** URL of the dealer's plates, see search-index.ts. */
  plates: string;
  /** URL of the dealer's embed pages, with a final slash. */
  embeds: string;
}

/** The page with embed codes for vehicles of a dealer. */
export interface SnippetsView extends PageView {
  dealer: DealerLink;
  /** The initial plate in the embed codes. */
  plate: string;
  /** URL of the dealer's plates, see search-index.ts. */
  plates: string;
  /** Absolute URL of the dealer's embed pages, with a final slash. */
  embeds: string;
  /** The element, a frame without scripts, and the data of all vehicles. */
  snippets: { label: string; lines: string }[];
}

/** The page of a text of `site.legal`. */
export interface LegalView extends PageView {
  heading: string;
  /** The text as markup, safe to insert unchanged. */
  html: string;
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
