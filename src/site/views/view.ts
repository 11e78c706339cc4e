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
  /** Language tag for `<html lang>`; words are in this language. */
  lang: string;
  /** For `og:locale`, such as `en_GB`. */
  ogLocale: string;
  /** Address of the front page, `/` or the path of `site.url` with a slash at the end. */
  home: string;
  /** Folder that thumbnails lie in, with a slash at the end. */
  media: string;
  words: Words;
  /** Addresses of the scripts, fonts and pictures that only the theme has, by file name. */
  assets: Record<string, string>;
  /** Address of the page of saved vehicles. Empty where there is none. */
  saved: string;
  /** `allow` of every iframe with a player in it. */
  playerAllow: string;
}

/** A page in one language of the site. */
export interface PageLanguage {
  /** Language tag. */
  lang: string;
  /** What the language calls itself. */
  name: string;
  /** Address of the page in it; `href` is absolute. */
  url: string;
  href: string;
  /** Whether it is this page. */
  current: boolean;
}

/** What the frame of every page needs. */
export interface PageView {
  /** Language tag of its words, which is that of `site.lang`. */
  lang: string;
  /** This page in every language of the site, the first one first. Empty where it has one alone. */
  languages: PageLanguage[];
  /** Address of the page. */
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
  /** Content-Security-Policy for `<meta>`: what this page needs and no more. */
  policy: string;
  /** Address of the style sheet, with the dealer's colour in it. */
  css: string;
  /** URL of the site's font, to be fetched early. Undefined if visitors see the system's font. */
  font: string | undefined;
  /** Address of the icon for tabs and home screens, and of the site's web manifest. Undefined in frames. */
  icon: string | undefined;
  manifest: string | undefined;
  /** Addresses of scripts; classic ones, to be deferred. */
  scripts: string[];
  /** Name, logo and link at the top. None where the heading of the page says the same. */
  masthead: Masthead | undefined;
  /** Of a dealer's pages: who it is, where and when. */
  footer: FooterView | undefined;
  /** `<link rel="alternate">`: feeds, oEmbed. */
  alternates: { type: string; href: string; title: string }[];
  /** Picture for shared links, absolute. */
  share: { image: string; width: number; height: number; alt: string } | undefined;
  /** JSON-LD, safe to be written into a script element as it is. Empty where there is none. */
  jsonLd: string;
}

/** What stands at the foot of every page. */
export interface FooterView {
  name: string;
  /** Of the company, where it is another. */
  legalName: string;
  /** Lines of the address. None where it is not known. */
  address: string[];
  /** Address of a map, absolute. Empty where neither address nor coordinates are known. */
  map: string;
  /** When it is open: by days of the week, and days on which it is otherwise, with their dates. */
  hours: { days: string; times: string; date: string }[];
  /** The same for the script that says whether it is open now, as JSON. Empty where there are none. */
  now: string;
  contacts: ContactView[];
  contactLabel: string;
  /** The front page, where the site has several dealers. */
  home: { url: string; text: string } | undefined;
  /** Custom pages with `eleventyNavigation`. */
  pages: { url: string; text: string }[];
  /** Pages that the law asks for. */
  legal: { url: string; text: string }[];
}

/** The band at the top of every page. */
export interface Masthead {
  name: string;
  url: string;
  logo: LogoView | undefined;
  /** Whether it shows the name as text. Headings do not repeat it then. */
  showsName: boolean;
  /** The list of vehicles. Undefined on that list itself, and where there are several. */
  vehicles: { url: string; text: string } | undefined;
  phone: ContactView | undefined;
}

export interface LogoView {
  src: string;
  /** As the header shows it, in the shape of the file: at most 176 pixels wide and 36 high. */
  width: number;
  height: number;
  /** More than twice as wide as high: stands for the name. */
  wide: boolean;
  /** Ground behind a logo that could not be seen on pages of the other colour scheme. Empty for others. */
  ground: 'light' | 'dark' | '';
}

/** What is written of a vehicle, wherever it is shown. */
export interface VehicleTexts {
  /** Number plate as people write it. Empty where plates are private. */
  plate: string;
  /** Else `plate` says that there is none. */
  hasPlate: boolean;
  /** `2021 Ford Puma` where the dealer's list says so, else the plate. */
  name: string;
  /** The same without the year. */
  heading: string;
  /** Whether these say more than the plate, so that both are shown. */
  named: boolean;
  status: VehicleStatus;
  /** The status for visitors. Empty while the vehicle is available. */
  statusText: string;
  /** Such as `2017 · 64,956 miles · Hybrid · Automatic`. Empty where nothing is known. */
  keyFacts: string;
  price: string;
  /** The price, or that it is told on request where other vehicles of the dealer have one; else empty. */
  priceText: string;
  /** The price as a number, for sorting; 0 where it is not known. */
  priceValue: number;
  /** Its currency, such as `GBP`. Empty where it is not known. */
  priceCurrency: string;
}

/** Another vehicle of the dealer, beside one. */
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

/** A form that goes to the dealer by way of a provider. */
export interface EnquiryView {
  /** Where it is posted: absolute, or of the page itself. */
  action: string;
  /** Fields that nobody sees: the vehicle, and what the provider needs. */
  hidden: { name: string; value: string }[];
  /** One more: where the provider leads to afterwards; not for scripts, which stay on the page. */
  back: { name: string; value: string } | undefined;
  /** The field that people do not see and robots fill in. */
  trap: { name: string; type: 'text' | 'checkbox' };
  /** Beginning of its message. */
  message: string;
  /** Address of the page about privacy. Empty where there is none. */
  privacy: string;
}

export interface VehicleView extends PageView, VehicleTexts {
  dealer: DealerLink;
  /** Last part of the page's address. */
  slug: string;
  vrm: string;
  /** `name` and plate, or the plate alone: for titles and texts. */
  fullName: string;
  /** Facts of the dealer's list, and the plate. */
  facts: { label: string; text: string }[];
  /** Facts of the dealer's list, as numbers and texts. */
  values: Omit<VehicleFacts, 'vin'> & { mileageUnit?: 'mi' | 'km' };
  /** Paragraphs of the dealer's description, plain text. */
  paragraphs: string[];
  /** The first items of equipment, and the others, which the page shows on request. */
  equipment: { first: string[]; more: string[]; moreText: string };
  /** The page of its make at the dealer. Undefined where there is none. */
  make: { name: string; url: string; text: string } | undefined;
  /** The dealer's own page of the vehicle. */
  link: string | undefined;
  updated: { iso: string; text: string } | undefined;
  gallery: GalleryView;
  media: MediaView[];
  pictures: PictureView[];
  videos: VideoView[];
  /** Empty where there is none, and so is the other. */
  picturesText: string;
  videosText: string;
  contacts: ContactView[];
  contactLabel: string;
  /** The fastest ways to reach the dealer, which stay on a phone's screen: telephone and WhatsApp. */
  quickContacts: ContactView[];
  enquiry: EnquiryView | undefined;
  /** Others of the dealer that are like it, nearest first; at most four. */
  similar: SimilarView[];
  /** Its neighbours in the dealer's list. */
  previous: { url: string; text: string } | undefined;
  next: { url: string; text: string } | undefined;
  backText: string;
  /** For paper. Undefined where the vehicle is no longer available. */
  sheet: SheetView | undefined;
  /** No longer available: its name, its picture and others like it; not for search engines. */
  withdrawn: boolean;
  /** The picture of a withdrawn vehicle. */
  cover: CoverView | undefined;
}

/** The gallery alone, for frames; or the sheet alone, for paper. */
export interface EmbedView extends PageView {
  vehicle: VehicleView;
}

/** The page in a frame that looks a plate up and goes to the vehicle's embed page. */
export interface FinderView extends PageView {
  dealer: DealerLink;
  /** Address of the plates of the dealer, see search-index.ts. */
  plates: string;
  /** Where the embed pages of the dealer lie, with a slash at the end. */
  embeds: string;
}

/** The page with the lines that put vehicles of a dealer on another website. */
export interface SnippetsView extends PageView {
  dealer: DealerLink;
  /** The plate that stands in the lines until another one is typed. */
  plate: string;
  /** Address of the plates of the dealer, see search-index.ts. */
  plates: string;
  /** Where the embed pages of the dealer lie, absolute, with a slash at the end. */
  embeds: string;
  /** The element, a frame without scripts, and the data of all vehicles. */
  snippets: { label: string; lines: string }[];
}

/** The page of a text of `site.legal`. */
export interface LegalView extends PageView {
  heading: string;
  /** The text as markup, safe to be written into the page as it is. */
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
