/** The view models of pages for other websites and for their makers; see view.ts. */
import type { DealerLink, PageView, VehicleView } from './view.ts';

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
