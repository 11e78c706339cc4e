/**
 * The view models: everything that a template may rely on, finished. Templates decide nothing and
 * compute nothing; what is text here is escaped by the template engine where it lands.
 */

export interface SiteView {
  title: string;
  lang: string;
  /** Address of the front page, `/` or the path of `site.url` with a slash at the end. */
  home: string;
  /** Address below which style sheets and scripts lie. */
  assets: string;
  words: Record<string, unknown>;
}

export interface PictureView {
  kind: 'picture';
  /** Place among the media of the vehicle, from 1. */
  position: number;
  id: number;
  label: string;
  alt: string;
  /** JPEG for browsers that know nothing newer. */
  src: string;
  width: number;
  height: number;
  /** One per format, best first; empty where only the JPEG exists. */
  sources: { type: string; srcset: string }[];
  /** Address of the full-size picture. */
  full: string;
  /** Mean colour, six hex digits. */
  colour: string;
}

export interface VideoView {
  kind: 'video';
  position: number;
  id: number;
  label: string;
  title: string;
  /** Our own player address, where the video can be embedded. */
  embed?: { src: string; provider: string };
  /** Page that plays the video at the service. */
  player: string;
}

export type MediaView = PictureView | VideoView;

export interface DealerLink {
  id: number;
  name: string;
  url: string;
}

export interface VehicleView {
  /** Address of the page, with the site's base path. */
  url: string;
  /** File below the output folder. */
  file: string;
  canonical: string;
  dealer: DealerLink;
  /** Number plate as people write it. */
  plate: string;
  vrm: string;
  title: string;
  updated: { iso: string; text: string } | undefined;
  media: MediaView[];
  pictures: PictureView[];
  videos: VideoView[];
  picturesText: string;
  videosText: string;
  /** No longer available: nothing but a word of it, and not for search engines. */
  withdrawn: boolean;
}

/** A vehicle in a list. */
export interface CardView {
  url: string;
  plate: string;
  updated: { iso: string; text: string };
  cover: { src: string; width: number; height: number; srcset: string; colour: string } | undefined;
  picturesText: string;
  videosText: string;
  hasVideo: boolean;
}

export interface ContactView {
  kind: 'phone' | 'whatsapp' | 'email' | 'website';
  text: string;
  href: string;
}

export interface DealerView extends DealerLink {
  file: string;
  canonical: string;
  title: string;
  contacts: ContactView[];
  vehiclesText: string;
  cards: CardView[];
}

export interface FrontView {
  url: string;
  file: string;
  canonical: string;
  title: string;
  dealers: { name: string; url: string; vehiclesText: string; cards: CardView[] }[];
}

/** Everything that a build renders. */
export interface SiteModel {
  site: SiteView;
  front: FrontView;
  dealers: DealerView[];
  vehicles: VehicleView[];
  /** Addresses for search engines, absolute, with the date of the last change where it is known. */
  sitemap: { url: string; lastmod: string | undefined }[];
  /** `host` findings of videos that no provider matches, with how often each was seen. */
  unmatchedEmbeds: Record<string, number>;
  /** Origins that pages frame, for the Content-Security-Policy. */
  frameOrigins: string[];
  /** Names of the thumbnails that pages use. */
  usedOutputs: Set<string>;
}
