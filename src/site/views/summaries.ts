import type { CardView, DealerLink, PageView, VehicleView } from './view.ts';

/**
 * What a vehicle gives to the pages and files that speak of many: lists, feeds, sitemaps, search.
 * It is all that they are made from, and plain data: a vehicle whose own pages need not be made
 * again is known by it alone.
 */
export interface ListEntry
  extends Pick<VehicleView, 'vrm' | 'slug' | 'canonical' | 'fullName' | 'share'> {
  card: CardView;
  /** The vehicle's `<url>` in a sitemap. */
  sitemapXml: string;
}

/** The same, with what a dealer's summary counts. */
export interface VehicleRecord extends ListEntry {
  /** Videos that can be played in the page. */
  embedded: number;
  /** Origins that its pages frame. */
  origins: string[];
}

/** What a dealer gives to the pages that speak of all: plain data, too. */
export interface DealerSummary {
  link: DealerLink;
  vehiclesText: string;
  /** The picture of its newest vehicle, for shared links. */
  share: PageView['share'];
  /** Addresses of the indices that the search reads. */
  indices: string[];
  priced: boolean;
  vehicles: number;
  withdrawn: number;
  pictures: number;
  /** Videos that can be played in the page, and those that are links. */
  embedded: number;
  linked: number;
  /** Cards of its newest vehicles, newest first. */
  newest: CardView[];
  cover: CardView['cover'];
  sitemaps: { loc: string; lastmod: string | undefined }[];
  frameOrigins: string[];
}
