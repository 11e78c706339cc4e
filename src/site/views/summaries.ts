import type { CardView, DealerRow, ListView } from './list-types.ts';
import type { MakeCount } from './makes.ts';
import type { DealerLink, PageView, VehicleView } from './view.ts';

/**
 * Summary of a vehicle for pages and files about many vehicles: lists, feeds, sitemaps, search. They are
 * made from it alone. It is plain data, so that it can be stored for vehicles whose own pages need not
 * be made again.
 */
export interface VehicleSummary
  extends Pick<VehicleView, 'vrm' | 'slug' | 'canonical' | 'fullName' | 'share'> {
  card: CardView;
  /** As the dealer's list has it; empty where it says none. */
  make: string;
  /** The vehicle's `<url>` in a sitemap. */
  sitemapXml: string;
  /** Videos that can be played in the page. */
  embedded: number;
  /** Origins that its pages frame. */
  origins: string[];
}

/** Summary of a dealer for pages about all dealers, as plain data. */
export interface DealerSummary {
  link: DealerLink;
  /** The dealer among others. */
  row: DealerRow;
  /** The picture of its newest vehicle, for shared links. */
  share: PageView['share'];
  /** Addresses of the index files that the search reads. */
  indices: string[];
  priced: boolean;
  filterable: boolean;
  filmed: boolean;
  /** Its list, where the site has no other dealer: it is the front page, too. */
  list?: ListView;
  /** All its makes. */
  makes: MakeCount[];
  vehicles: number;
  withdrawn: number;
  pictures: number;
  /** Videos that can be played in the page, and those that are links. */
  embedded: number;
  linked: number;
  /** Cards of its newest vehicles, newest first. */
  newest: CardView[];
  /** The same of each make that may have a page of all dealers, by its slug. */
  newestOfMakes: Record<string, CardView[]>;
  sitemaps: { loc: string; lastmod: string | undefined }[];
  frameOrigins: string[];
  /** The same in each further language of the site; undefined where there is none. */
  translated?: DealerSummary[];
}
