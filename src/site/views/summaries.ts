import type { CoverView } from './gallery-types.ts';
import type { CardView, DealerRow, ListView, SearchedView } from './list-types.ts';
import type { MakeCount } from './makes.ts';
import type { DealerLink, PageView, VehicleView } from './view.ts';

/**
 * Summary of a vehicle for pages and files about many vehicles: lists, feeds, sitemaps, search. They depend on
 * nothing more. It is plain data, so that it can be stored for vehicles with unchanged pages.
 */
export interface VehicleSummary
  extends Pick<VehicleView, 'vrm' | 'slug' | 'canonical' | 'fullName' | 'share'> {
  card: CardView;
  /** The uncropped picture of its cover, for a large card. */
  lead: CoverView | undefined;
  /** All facts except the long ones. */
  facts: Omit<VehicleView['values'], 'description' | 'equipment'>;
  /** Last change of its media or its facts, UTC. */
  changed: string;
  /** The vehicle's `<url>` in a sitemap. */
  sitemapXml: string;
  /** Videos that can be played in the page. */
  embedded: number;
  /** Origins that its pages frame. */
  origins: string[];
}

/** Summary of a dealer for pages about all dealers, as plain data. */
export interface DealerSummary extends Omit<SearchedView, 'makes'> {
  link: DealerLink;
  /** Its row on pages of several dealers. */
  row: DealerRow;
  /** The card of the front page with the picture of its newest vehicle. */
  share: NonNullable<PageView['share']>;
  hasPicture: boolean;
  /** Its list if the site has no other dealer. It is also the front page. */
  list?: ListView;
  makes: MakeCount[];
  vehicles: number;
  /** Last parts of the URLs of its withdrawn vehicles. */
  withdrawn: string[];
  pictures: number;
  /** Videos that can be played in the page, and videos that are links. */
  embedded: number;
  linked: number;
  /** Its newest vehicle with a picture: URL, and the uncropped picture. */
  lead: { url: string; cover: CoverView } | undefined;
  /** Cards of its vehicles in the order of its list: all of them if pages search all dealers, otherwise the first. */
  cards: CardView[];
  sitemaps: { loc: string; lastmod: string | undefined }[];
  frameOrigins: string[];
  /** The same in each further language of the site. Undefined if there is none. */
  translated?: DealerSummary[];
}
