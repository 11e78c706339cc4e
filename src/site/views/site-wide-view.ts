/** The view models of pages of makes, and of those that belong to no single dealer; see view.ts. */

import type { CardView, MakeLink, PageLink } from './list-types.ts';
import type { DealerLink, PageView } from './view.ts';

/** A dealer among others. */
export interface DealerRow {
  name: string;
  /** Its list of vehicles, or where those lie that the page is about. */
  url: string;
  vehiclesText: string;
  cover: CardView['cover'];
  /** Empty where its address is not known. */
  town: string;
  /** Address of a map, absolute; empty where neither address nor coordinates are known. */
  map: string;
  /** For the script that says whether it is open now, as JSON; empty where that is not known. */
  now: string;
}

/** The front page of a site with several dealers; that of a site with one is its ListView. */
export interface FrontView extends PageView {
  heading: string;
  dealers: DealerRow[];
  /** Makes of all dealers, each with a page; empty where no list says any. */
  makes: MakeLink[];
  vehiclesText: string;
  cards: CardView[];
  indices: string[];
  priced: boolean;
  /** Whether its vehicles differ in anything that they can be filtered by. */
  filterable: boolean;
}

/** One page of the list of a dealer's vehicles of one make. */
export interface MakeView extends PageView {
  dealer: DealerLink;
  heading: string;
  /** Of the make. */
  name: string;
  vehiclesText: string;
  backText: string;
  cards: CardView[];
  /** Empty where there is one page. */
  pages: PageLink[];
  previous: string | undefined;
  next: string | undefined;
}

/** The page of a make of several dealers. */
export interface MakeHubView extends PageView {
  heading: string;
  /** Of the make. */
  name: string;
  vehiclesText: string;
  /** Those that have it, with the number of its vehicles. */
  dealers: DealerRow[];
}

/** The page of a text of `site.legal`. */
export interface LegalView extends PageView {
  heading: string;
  /** The text as markup, safe to be written into the page as it is. */
  html: string;
}

/** The page of saved vehicles and of those that were looked at. */
export interface SavedView extends PageView {
  heading: string;
}

/** `page_` of a custom page. */
export interface CustomPageView extends PageView {
  /** The title of the page, without the name of the site. */
  heading: string;
}
