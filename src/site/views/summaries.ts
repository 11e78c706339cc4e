import type { CoverView } from './gallery-types.ts';
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
  /** The whole picture of its cover, for a large card. */
  lead: CoverView | undefined;
  /** As the dealer's list has it. Empty where it says none. */
  make: string;
  /** All facts but the long ones. */
  facts: Omit<VehicleView['values'], 'description' | 'equipment'>;
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
  /** The card of the front page with the picture of its newest vehicle. */
  share: NonNullable<PageView['share']>;
  hasPicture: boolean;
  /** Address of the index file that the search of its list reads. */
  index: string;
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
  /** Its newest vehicle with a picture: address, and the whole picture. */
  lead: { url: string; cover: CoverView } | undefined;
  /** Cards of its vehicles in the order of its list: all of them if pages search all dealers, otherwise the first. */
  cards: CardView[];
  sitemaps: { loc: string; lastmod: string | undefined }[];
  frameOrigins: string[];
  /** The same in each further language of the site. Undefined where there is none. */
  translated?: DealerSummary[];
}
